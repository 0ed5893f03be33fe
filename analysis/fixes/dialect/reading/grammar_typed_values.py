"""Collections that are constructed as in another language and whose types are written as in `.ax`.

`Map<String, Int>{"a": 1}`, `List<Int>{1, 2}`, `List<Int>[]`; also constants with such types outside of functions.
"""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_script_statements import ScriptStatements
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import head

COLLECTIONS: Final = ("Map", "List")
_LONGEST_TYPE: Final = 40
"""Tokens of a type before the value of a constant."""


class TypedValues(ScriptStatements):
    """Adds them to the words that begin an expression."""

    def _word(self) -> n.Expr:
        follows = self.ahead()
        if (
            self.token.text in COLLECTIONS
            and follows.text == "<"
            and not follows.spaced
            and self.token.text not in self.own_types
        ):
            collection = self._constructed_collection()
            if collection is not None:
                return collection
        return super()._word()

    def _constructed_collection(self) -> n.Expr | None:
        """None, and nothing is taken, if what follows the type constructs nothing."""
        at, start = self.at, self.token.start
        kind = self.type_if_any()
        if kind is None or self.token.is_first or not self.is_sign("{", "["):
            self.at = at
            return None
        is_list = head(kind) == "List"
        value: n.Expr
        if self.is_sign("["):
            value = self._list()
        elif self.ahead().text == "}":
            self.take()
            self.take()
            value = n.ListOf([]) if is_list else n.MapOf([])
        else:
            value = self.braced_list() if is_list else self._map()
        return n.Cast(value, kind, start=start, end=self.before.end)

    # ---- constants ----

    def typed_constant(self) -> n.Constant | None:
        """`final Map<String, Int> prices = …` of Dart and Java, behind the word; None for a name without a type."""
        if self.token.kind != NAME or not (self.ahead().kind == NAME or self.ahead().text == "<"):
            return None
        kind, name = self.type(), self.name()
        self.expect("=")
        return n.Constant(name, kind, self.body_value())

    def is_typed_constant(self) -> bool:
        """True for `history: List<Int> = []`."""
        if self.ahead().text != ":":
            return False
        for token in self.tokens[self.at + 2 : self.at + _LONGEST_TYPE]:
            if token.is_first or token.text == "=":
                return token.text == "=" and not token.is_first
        return False
