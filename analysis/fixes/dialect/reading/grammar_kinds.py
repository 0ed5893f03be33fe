"""Types that may stand at a place, those before the parts of a pattern, and values of one of several types."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_cursor import Cursor
from analysis.fixes.dialect.reading.scanner import INT, NAME, STRING
from analysis.fixes.dialect.rewriting.lists.list_parts import Defaulted
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.suggestions.foreign_words import PLAIN_TYPES

_BASE_TYPE: Final = re.compile(
    r"\b(?:interface|trait|enum|abstract\s{1,3}(?:class|record)|sealed\s{1,3}(?:class|interface|trait))\s{1,3}([A-Z]\w{0,60})"
)


class Kinds(Cursor):
    """Types that patterns repeat, and traits that several types implement.

    `_results` is more than 0 while the result type of a closure is read: its arrow comes next.
    """

    _results = 0

    @abstractmethod
    def type(self) -> Type: ...

    @abstractmethod
    def pattern(self) -> n.Pattern: ...

    @abstractmethod
    def _one_pattern(self) -> n.Pattern: ...

    def applied_patterns(self, items: list[n.Pattern]) -> list[n.Pattern]:
        """Parts behind a variant without a parenthesis around all: `Add (Num 0) e`; `items` are those read already."""
        while not self.token.is_first and not self.is_word("if", "when", "as", "or", "in", "of", "then"):
            is_group = self.is_sign("(") and self.token.spaced and bool(items)
            if self.token.kind not in (NAME, INT, STRING) and not is_group:
                break
            items.append(self._one_pattern())
        return items

    def expression(self) -> n.Expr:
        raise self.unknown("a pattern is expected")

    def item_pattern(self) -> n.Pattern:
        """A part of a list's pattern, which JavaScript may leave out, or give a value: `[key, value = ""]`."""
        if self.is_sign(","):
            return n.Wildcard()
        pattern = self.pattern()
        if isinstance(pattern, n.Binding) and pattern.inner is None and self.skip("="):
            return Defaulted(pattern.name, default=self.expression(), start=pattern.start, end=self.before.end)
        return pattern

    def type_if_any(self) -> Type | None:
        """A type; None, and nothing is taken, where none stands."""
        at, depth = self.at, self._depth
        try:
            return self.type()
        except Untranslatable:
            self.at, self._depth = at, depth
            return None

    @abstractmethod
    def _patterns(self, closing: str, has_names: bool = True) -> list[n.Pattern]: ...

    def _held_patterns(self) -> tuple[list[n.Pattern], dict[str, n.Pattern] | None]:
        """What stands behind the parenthesis of a pattern: by place, or by name as in Python: `x=0, y=y)`."""
        if self.token.kind != NAME or self.ahead().text != "=":
            return self._patterns(")"), None
        named: dict[str, n.Pattern] = {}
        while not self.skip(")"):
            name = self.name()
            self.expect("=")
            named[name] = self.pattern()
            if not self.skip(","):
                self.expect(")")
                break
        return [], named

    @property
    def class_tree(self) -> frozenset[str]:
        """The classes that are read as parts of trees."""
        return frozenset()

    def check_trait(self) -> None:
        """`dyn Shape`, behind its first word: a value of one of several types has no form here."""
        name = self.token.text
        if (
            self.before.text == "dyn"
            and name not in self.class_tree
            and len(re.findall(rf"\bimpl {re.escape(name)} for\b", self.text)) > 1
        ):
            raise self.unknown("one type that implements it is expected")

    def _skip_pattern_type(self) -> None:
        """`Expr` in `case Add(Expr l, Expr r)`, `int` in `Square(int side)`: what the part is anyway."""
        is_part = self.before.text in ("(", ",") and self.ahead().kind == NAME and self.ahead(2).text in (",", ")")
        if is_part and not self.token.is_first and (self.token.text in PLAIN_TYPES or self.token.text in self.base_types):
            self.take()

    @lazily
    def base_types(self) -> frozenset[str]:
        """Interfaces, classes with subclasses and enums that the program declares."""
        return frozenset(_BASE_TYPE.findall(self.text))


def with_rest(pattern: n.ListPattern) -> n.ListPattern:
    """`[a, b | _]`, `[a | [b]]`: what stands behind the last bar is the rest of the list, since no item needs such a choice."""
    last = pattern.items[-1] if pattern.items and pattern.rest is None else None
    if not isinstance(last, n.OrPattern) or not isinstance(last.options[-1], (n.Wildcard, n.ListPattern)):
        return pattern
    before, rest = last.options[:-1], last.options[-1]
    if isinstance(rest, n.ListPattern) and isinstance(before[0], n.ListPattern):
        return pattern
    item = before[0] if len(before) == 1 else n.OrPattern(before, start=last.start, end=last.end)
    pattern.items[-1] = item
    if isinstance(rest, n.ListPattern):
        pattern.items += rest.items
        pattern.rest, pattern.last = rest.rest, rest.last
    else:
        pattern.rest = rest
    return pattern
