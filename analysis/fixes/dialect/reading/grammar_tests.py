"""Tests of what a value is: `e instanceof Circle c`, `e is Circle`, `x !is Circle`, `x !in xs`."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_dart import DartForms
from analysis.fixes.dialect.tree import nodes as n

_PLAIN: Final = frozenset(
    "String Int Integer Double Float Bool Boolean Char List Map Set Long Any Object Number None True False".split()
)
_COMPARING: Final = ("<", "<=", ">", ">=")
_BEHIND: Final = ("and", "or", "when", "if", "then", "else", "in", "is", "not", "do", "where")


class TypeTests(DartForms):
    """Reads them behind a value."""

    def begins_test(self) -> bool:
        if self.is_sign("!") and self.ahead().kind == NAME and self.ahead().text in ("in", "is"):
            return self.ahead().start == self.token.end
        return super().begins_test() or self._asks_member()

    def _is_operator(self, signs: dict[str, str], level: int) -> bool:
        return not self._asks_member() and super()._is_operator(signs, level)

    def _asks_member(self) -> bool:
        """`e instanceof Circle`, where the class is none of exceptions and the program has interfaces or abstract classes."""
        name = self.ahead().text
        if not self.is_word("instanceof") or name.endswith(("Error", "Exception")):
            return False
        if re.search(rf"\benum[ \t]{{1,9}}\w{{1,60}}[ \t]{{0,9}}\{{[^{{}}]{{0,400}}\b{re.escape(name)}\b", self.text):
            return True
        has_families = any(word in self.text for word in ("interface ", "sealed ", "abstract "))
        return has_families and not any(f"{name} {word} E" in self.text for word in ("extends", ":"))

    def _tested(self, left: n.Expr) -> n.Expr:
        at = self.at
        negated = bool(self.skip("!"))
        if negated and self.skip("in"):
            return n.Unary("!", n.Binary("in", left, self._binary(5)))
        if self.is_word("is", "instanceof"):
            self.take()
            negated |= bool(self.skip("not"))
            if self.token.kind == NAME and self.token.text[0].isupper() and self.token.text not in _PLAIN:
                test = n.LetCondition(self._tested_variant(), left, start=left.start, end=self.before.end)
                return n.Unary("!", test, start=left.start, end=self.before.end) if negated else test
            if self.is_sign(*_COMPARING):
                compared = self._compared(left, left.start)
                return n.Unary("!", compared, start=left.start, end=self.before.end) if negated else compared
        self.at = at
        return super()._tested(left)

    def _compared(self, left: n.Expr, start: int) -> n.Expr:
        """`is > 3 and < 10`, `is < 0 or > 9` of C#: comparisons with one value."""
        comparison: n.Expr | None = None
        joint = ""
        while True:
            sign = self.take().text
            tested = n.Name("tested_value", start=start, end=start)
            part: n.Expr = n.Binary(sign, tested, self._binary(6), start=start, end=self.before.end)
            comparison = part if comparison is None else n.Binary(joint, comparison, part, start=start, end=self.before.end)
            if not self.is_word("and", "or") or self.ahead().text not in _COMPARING:
                # A value that is absent is neither less nor greater.
                test = n.Argument(n.Lambda([n.Binding("tested_value")], comparison, start=start, end=self.before.end))
                return n.Call(n.Member(left, "is_matching", start=start, end=start), [test], start=start, end=self.before.end)
            joint = "&&" if self.take().text == "and" else "||"

    def _tested_variant(self) -> n.Pattern:
        """`Circle`, `Shape.Circle`, `Circle c`, `Circle(int r)`."""
        start, owner, word = self.token.start, "", self.name()
        while self.is_sign(".", "::") and self.ahead().kind == NAME and self.ahead().text[0].isupper():
            self.take()
            owner, word = word, self.name()
        items: list[n.Pattern] = []
        if self.is_sign("(") and not self.token.spaced:
            self.take()
            while not self.skip(")"):
                typed = self.typed_name(",", ")")
                items.append(n.Binding(typed[1] if typed is not None else self._untyped()))
                self.skip(",")
        elif self.token.kind == NAME and not self.token.is_first and self.token.text not in _BEHIND:
            items.append(n.Binding(self.name()))
        return n.VariantPattern(owner, word, items, start=start, end=self.before.end)

    def _untyped(self) -> str:
        self.skip("var", "val", "let")
        return self.name()


__all__ = ["TypeTests"]
