"""Parsing of a text that ends at the cursor: tokens missing at its end are assumed, with no width.

So every construct that the cursor stands in is a node of the tree, and what stands before it has its types. The word at the
cursor is a token even if it is empty, and always a name: `le` may become `let` or `length`.
"""

from __future__ import annotations

from typing import Final

from analysis.syntax.grammar.items import ItemParser
from analysis.syntax.grammar.parse_error import Production
from analysis.syntax.lexer import EOF, IDENT, Tokens
from analysis.syntax.tree import ErrorExpr, Expr, Name, NamePattern, Pattern

_CLOSERS: Final = frozenset(")]}")


def tokens_up_to(tokens: Tokens, count: int, word: tuple[int, int]) -> Tokens:
    """The first `count` tokens of a text, and the word behind them as a name."""
    cut = Tokens(tokens.text)
    cut.kinds = [*tokens.kinds[:count], IDENT, EOF]
    cut.starts.extend(tokens.starts[:count])
    cut.starts.extend(word)
    cut.ends.extend(tokens.ends[:count])
    cut.ends.extend((word[1], word[1]))
    return cut.complete()


class UnfinishedParser(ItemParser):
    """Reads tokens whose last one is the word at the cursor."""

    __slots__ = ()

    def _is_over(self) -> bool:
        return self._kinds[self._position] == EOF

    def _record(
        self,
        message: str,
        production: Production,
        expected: frozenset[str],
        lagging: bool,
        span: tuple[int, int] | None = None,
    ) -> None:
        if not self._is_over():
            super()._record(message, production, expected, lagging, span)

    def _expect(self, kind: str, production: Production) -> int:
        return self._starts[self._position] if self._is_over() else super()._expect(kind, production)

    def _expect_ahead(self, kind: str, production: Production) -> None:
        if not self._is_over():
            super()._expect_ahead(kind, production)

    def _accept(self, kind: str) -> bool:
        return kind in _CLOSERS if self._is_over() else super()._accept(kind)

    def _identifier(self, production: Production) -> tuple[str, int]:
        return ("", self._starts[self._position]) if self._is_over() else super()._identifier(production)

    def _unclosed_arms(self) -> None:
        if not self._is_over():
            super()._unclosed_arms()

    def _primary(self, kind: str) -> Expr:
        position = self._position
        start, end = self._starts[position], self._ends[position]
        if kind == EOF:
            return ErrorExpr(start, end)
        if start == end:
            self._position = position + 1
            return Name(start, end, "")
        return super()._primary(kind)

    def _pattern(self) -> Pattern:
        position = self._position
        start, end = self._starts[position], self._ends[position]
        if start == end:
            if not self._is_over():
                self._position = position + 1
            return NamePattern(start, end, "")
        return super()._pattern()
