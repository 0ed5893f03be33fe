"""Finds declarations by what they are: a query of conditions (`functions returns Int calls total`), or plain English.

A query is read into `Conditions`; words that are no condition are a name to look for. `description` says how the query was read,
so that the caller can correct it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from analysis.data_classes import dataclass, field
from analysis.database import Database
from analysis.ide.name_meanings import Kind
from analysis.ide.signature import signature
from analysis.ide.symbols import chunk_symbols
from analysis.ide.workspace_symbols import rank
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.occurrences import Space, Use
from analysis.semantics.scopes import resolved
from analysis.syntax import tree as t
from analysis.text.edits import Span

_KINDS: Final = {
    "function": Kind.FUNCTION, "functions": Kind.FUNCTION, "fn": Kind.FUNCTION, "fns": Kind.FUNCTION,
    "record": Kind.RECORD, "records": Kind.RECORD, "enum": Kind.ENUM, "enums": Kind.ENUM,
}  # fmt: skip
_KEYS: Final = {
    "returns": "returns", "return": "returns", "returning": "returns", "gives": "returns",
    "takes": "takes", "take": "takes", "taking": "takes", "accepts": "takes", "accepting": "takes", "with": "takes",
    "uses": "uses", "use": "uses", "using": "uses", "needs": "uses", "need": "uses", "requires": "uses",
    "calls": "calls", "call": "calls", "calling": "calls",
    "mentions": "mentions", "mention": "mentions", "mentioning": "mentions", "containing": "mentions", "contains": "mentions",
    "in": "in", "named": "name", "called": "name", "name": "name",
}  # fmt: skip
_EMPTY: Final = frozenset(
    "a an the that which who all any every of to and is are it its parameter parameters argument arguments capability type types "
    "value values find show list me where file files something code defined declared".split()
)
_WORD: Final = re.compile(r"\"[^\"]*+\"|'[^']*+'|`[^`]*+`|\S++")
_MOST_LINES: Final = 5


@dataclass(slots=True)
class Conditions:
    """Conditions on a declaration; an empty list means no condition. `names` are compared as workspace symbols are."""

    kinds: list[Kind] = field(default_factory=list)
    returns: list[str] = field(default_factory=list)
    takes: list[str] = field(default_factory=list)
    uses: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    mentions: list[str] = field(default_factory=list)
    globs: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    @property
    def description(self) -> str:
        """Description of the query as it was understood."""
        parts = [kind.value for kind in self.kinds] or ["any declaration"]
        rows = (
            ("returns", self.returns), ("takes", self.takes), ("uses", self.uses), ("calls", self.calls),
            ("mentions", self.mentions), ("in", self.globs), ("name like", self.names),
        )  # fmt: skip
        return "; ".join([" or ".join(parts), *(f"{key} {' and '.join(words)}" for key, words in rows if words)])


class Hit(NamedTuple):
    """A declaration that fits; `spans` are the matching places inside it. Lower scores fit better."""

    score: int
    name: str
    kind: Kind
    signature: str
    name_span: Span
    spans: tuple[Span, ...]
    why: str


def conditions_of(query: str) -> Conditions:
    """Reads a query."""
    conditions, key = Conditions(), ""
    for word in _WORD.findall(query):
        is_quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "\"'`"
        plain = word[1:-1] if is_quoted else word.strip(",;:?!").removesuffix("()")
        low = plain.lower()
        if not plain:
            continue
        if not is_quoted and not key and low in _KINDS:
            conditions.kinds.append(_KINDS[low])
        elif not is_quoted and low in _EMPTY:
            continue
        elif not is_quoted and low in _KEYS and key != "mentions":
            key = _KEYS[low]
        else:
            _take(conditions, key or ("mentions" if is_quoted and word[0] == '"' else "name"), plain)
            key = ""
    return conditions


def _take(conditions: Conditions, key: str, word: str) -> None:
    lists = {
        "returns": conditions.returns, "takes": conditions.takes, "uses": conditions.uses, "calls": conditions.calls,
        "mentions": conditions.mentions, "in": conditions.globs, "name": conditions.names,
    }  # fmt: skip
    lists[key].append(word)


def hits(db: Database, file: FileId, wanted: Conditions) -> Iterator[Hit]:
    """The declarations of a file that fulfil all conditions but the globs."""
    text = source(db, file)
    literal = [*wanted.calls, *wanted.mentions]
    folded = text.text.lower()
    if any(word.lower() not in folded for word in literal):
        return
    for chunk, start in zip(text.chunks, text.offsets, strict=True):
        db.checkpoint()
        written = chunk.text
        items = {item.at: item for item in chunk_tree(db, written).items}
        for symbol in chunk_symbols(db, written):
            item = items[symbol.name_span[0]]
            if (hit := _hit(db, written, item, symbol.kind, wanted)) is not None:
                spans = tuple((start + a, start + b) for a, b in hit.spans)
                yield hit._replace(name_span=(start + hit.name_span[0], start + hit.name_span[1]), spans=spans)


def _hit(db: Database, written: str, item: t.Item, kind: Kind, wanted: Conditions) -> Hit | None:
    why: list[str] = []
    score = 0
    if wanted.kinds and kind not in wanted.kinds:
        return None
    for name in wanted.names:
        names = [item.name, *(child.name for child in t.children(item) if isinstance(child, t.Field | t.Variant))]
        ranks = [(distance, candidate) for candidate in names if (distance := rank(name, candidate)) is not None]
        if not ranks:
            return None
        best, closest = min(ranks)
        score += best if closest == item.name else best + 1
        why.append(f"name {closest} is like {name}")
    if wanted.returns or wanted.takes or wanted.uses:
        fits = _signature_fits(item, wanted)
        if fits is None:
            return None
        why += fits
    spans = _inside(db, written, item, wanted, why)
    if spans is None:
        return None
    name_span = item.at, item.at + len(item.name)
    return Hit(score, item.name, kind, signature(item, written), name_span, tuple(spans[:_MOST_LINES]), ", ".join(why))


def _signature_fits(item: t.Item, wanted: Conditions) -> list[str] | None:
    """Reasons why a signature fits; None if it does not. A wanted type also fits as a part: `Int` fits `List<Int>`."""
    if not isinstance(item, t.Function):
        if wanted.returns or wanted.uses or not isinstance(item, t.Record | t.Enum):
            return None
        held = [t.type_text(part) for part in t.walk(item) if isinstance(part, t.TypeExpr)]
        return [f"has {kind}" for kind in wanted.takes] if all(_has(held, kind) for kind in wanted.takes) else None
    why = []
    for kind in wanted.returns:
        if item.result is None or not _has(
            [t.type_text(part) for part in t.walk(item.result) if isinstance(part, t.TypeExpr)], kind
        ):
            return None
        why.append(f"returns {t.type_text(item.result)}")
    taken = [
        t.type_text(part) for parameter in item.parameters for part in t.walk(parameter.type) if isinstance(part, t.TypeExpr)
    ]
    for kind in wanted.takes:
        if not _has(taken, kind):
            return None
        why.append(f"takes {kind}")
    declared = [capability.name for capability in item.capabilities]
    for capability in wanted.uses:
        if not any(capability in (name, name.split(".")[0]) for name in declared):
            return None
        why.append(f"uses {capability}")
    return why


def _has(held: list[str], wanted: str) -> bool:
    plain = wanted.replace(" ", "").lower()
    return any(kind.replace(" ", "").lower() == plain or kind.split("<")[0].lower() == plain for kind in held)


def _inside(db: Database, written: str, item: t.Item, wanted: Conditions, why: list[str]) -> list[Span] | None:
    """The places inside an item that match the conditions; None if a condition has no match."""
    spans: list[Span] = []
    for name in wanted.calls:
        call_spans = [
            (occurrence.start, occurrence.end)
            for occurrence in resolved(db, written).occurrences
            if occurrence.name == name
            and occurrence.space is Space.VALUE
            and occurrence.use is Use.CALL
            and item.start <= occurrence.start < item.end
        ]
        if not call_spans:
            return None
        spans += call_spans
        why.append(f"calls {name}")
    low = written[item.start : item.end].lower()
    for text in wanted.mentions:
        at = low.find(text.lower())
        if at < 0:
            return None
        while at >= 0 and len(spans) < _MOST_LINES:
            spans.append((item.start + at, item.start + at + len(text)))
            at = low.find(text.lower(), at + 1)
        why.append(f"mentions {text}")
    return spans
