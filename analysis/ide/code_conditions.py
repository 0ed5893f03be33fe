"""Conditions in a description, as far as they can be read: "cents above 3", `name is "a"`, "paid is true".

A pattern that leaves a condition out would give code for something else: `restricts` tells that there is one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from analysis.semantics.declarations import TypeFact

_SIGNS: Final = {
    ">=": r"at least|no less than|not less than|>=",
    "<=": r"at most|no more than|not more than|up to|<=",
    "!=": r"not equal to|other than|different from|not|!=",
    ">": r"above|over|greater than|more than|larger than|bigger than|exceeding|exceeds|>",
    "<": r"below|under|less than|smaller than|lower than|fewer than|<",
    "==": r"equal to|equals|exactly|==|=",
}
_GROUPS: Final = "|".join(f"(?P<s{number}>{words})" for number, words in enumerate(_SIGNS.values()))
_COMPARED: Final = re.compile(
    rf"\b(?P<field>[a-z_][A-Za-z0-9_]*+)\s++(?:(?:is|are|being|of|that is|which is)\s++)?+(?:(?:{_GROUPS})\s*+)?+"
    r"(?P<value>-?[0-9]++(?:\.[0-9]++)?+|\"[^\"\\\n]*+\"|true|false)(?![A-Za-z0-9_])"
)
_RESTRICTS: Final = re.compile(
    r"\b(?:above|below|over(?=\s[0-9-])|under|greater|more than|less|fewer|larger than|bigger than|smaller than|lower than"
    r"|at least|at most|up to|exactly|equals?|where|whose|unless|except|excluding|between|exceed(?:s|ing)?|other than|not"
    r"|without|if|when)\b|\s(?:[<>]=?|[!=]=)\s"
)
_FORMS: Final = {
    "Int": re.compile(r"\A-?[0-9]+\Z"),
    "Float": re.compile(r"\A-?[0-9]+(?:\.[0-9]+)?\Z"),
    "String": re.compile(r"\""),
    "Bool": re.compile(r"(?:true|false)\Z"),
}


_COMMON: Final = frozenset(
    # Words without a condition, and those that patterns of lists read.
    "a an the of in on over for from by to with and as it its their them this these i me we you my please want need should "
    "must can write make create generate build give gives return returns returning compute computes calculate calculates "
    "get gets take takes taking given function functions fn code value values field fields item items element elements "
    "entry entries list lists array record records that which all each every whole up one single result type types int ints "
    "integer integers number numbers float floats string strings texts words bool bools option sum sums total totals add "
    "adds adding product multiply multiplies called named count counts counting many how find finds lookup look looks "
    "search searches map maps apply applies collect extract max maximum largest greatest highest biggest min minimum "
    "smallest least lowest".split()
)


class Condition(NamedTuple):
    """A comparison of a field of a record."""

    field: str
    sign: str
    value: str

    @property
    def text(self) -> str:
        """As an expression about `item`."""
        return f"item.{self.field} {self.sign} {self.value}"


def restricts(text: str) -> bool:
    """True if a description contains a condition."""
    return _RESTRICTS.search(text) is not None


def is_understood(words: Iterable[str], names: Collection[str]) -> bool:
    """True if each word of a description is a common one or a name of its context."""
    return all(word in _COMMON or word in names for word in words)


def condition_in(text: str, fact: TypeFact) -> Condition | None:
    """The only condition of a description, about a field of a record; None if there is none, or more than one."""
    kinds = dict(fact.members)
    comparisons = []
    for match in _COMPARED.finditer(text):
        kind = kinds.get(match["field"]) or ""
        form = _FORMS.get(kind)
        if form is None or form.match(match["value"]) is None:
            continue
        sign = next((sign for number, sign in enumerate(_SIGNS) if match[f"s{number}"]), "==")
        if kind in ("String", "Bool") and sign not in ("==", "!="):
            continue
        value = f"{match['value']}.0" if kind == "Float" and "." not in match["value"] else match["value"]
        comparisons.append(Condition(match["field"], sign, value))
    rest = _COMPARED.sub(" ", text)
    return comparisons[0] if len(comparisons) == 1 and not restricts(rest.replace("where", "").replace("whose", "")) else None
