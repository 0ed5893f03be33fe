"""Operators on the bits of numbers, which are functions here: `a & b`, `a | b`, `a ^ b`, `a << n`, `a >> n`."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_base import NAME, STRING, TypesAndPatterns
from analysis.fixes.dialect.tree import nodes as n

BITS: Final = {"&": "bit_and", "|": "bit_or", "^": "bit_xor", "<<": "shift_left", ">>": "shift_right"}
_SUMS: Final = ("+", "-", "++")
_LONGEST: Final = 100
"""Tokens of a line."""
_C_LIKE: Final = re.compile(
    r"\+\+[;)]|\+\+ *\{|[-+*]=|:=|\^=|>>|<<|0[xb][0-9a-f]|\bfor *\(|;$|\b[iu](?:8|16|32|64|size)\b|\bfunc\b", re.MULTILINE
)
"""Marks of languages where `^` is a bit operator, unless `_NOT_C_LIKE` matches too."""
_NOT_C_LIKE: Final = re.compile(r"^[ \t]*end$|\bfun\b|\\\w+ *->|\|>|\*\*|~=|\blet rec\b|\blocal\b|\bthen\b", re.MULTILINE)


class BitOperators(TypesAndPatterns):
    """Signs of bit operators, and how tightly they bind."""

    _no_bars = 0
    """Number of enclosing brackets that give `|` another meaning."""

    @lazily
    def means_bits(self) -> bool:
        """True if `^` joins bits: it is a power in some languages and joins texts in others."""
        return _C_LIKE.search(self.text) is not None and _NOT_C_LIKE.search(self.text) is None

    @property
    def joins_sets(self) -> bool:
        """True if bars in parentheses join sets, as in Python, which has no closures in bars."""
        return False

    @lazily
    def binds_tightly(self) -> bool:
        """True if `&` and the shifts bind as tightly as `*`, as in Go and Swift; elsewhere more loosely than `+`."""
        return re.search(r":=|\bfunc\b|\bguard\b|\brange\b|\b(?:if|while) let\b", self.text) is not None

    def is_of_bits(self) -> bool:
        """True if `&` or `|` at this place stands between two numbers: a reference, a pattern or a closure may begin with one."""
        token, following = self.token, self.ahead()
        if token.is_first or (token.spaced and not following.spaced):
            return False
        if token.text == "&":
            return True
        if self._no_bars and not self.joins_sets:
            return False
        if following.kind == NAME and self.ahead(2).text == "|":
            return False
        for each in self.tokens[self.at + 1 : self.at + _LONGEST]:
            if each.is_first:
                break
            if each.kind != STRING and each.text in ("=>", "->", "<-", "="):
                return False
        return True

    def complement(self) -> n.Expr:
        """`~x`, all bits the other way round: -1 minus the number."""
        start = self.take().start
        minus = n.Unary("-", n.Literal("int", "1", start=start, end=start), start=start, end=start)
        return n.Binary("-", minus, self._unary(), start=start, end=self.before.end)

    @abstractmethod
    def _unary(self) -> n.Expr: ...

    def on_bits(self, sign: str, left: n.Expr, right: n.Expr) -> n.Expr:
        """An operation on bits; refuses what languages group in different ways."""
        start = left.start
        for side in (left, right):
            is_open = isinstance(side, n.Binary) and self.text[side.start - 1 : side.start] != "("
            is_sum = isinstance(side, n.Binary) and side.operator in _SUMS
            if is_open and is_sum and self.binds_tightly:
                raise self.unknown("parentheses around a sum beside an operator on bits")
        mixed = (left,) if isinstance(left, n.Call) else ()
        for part in mixed:
            name = part.function.name if isinstance(part.function, n.Member) else ""
            if {name, BITS[sign]} == {"bit_or", "bit_xor"} and self.text[part.start - 1 : part.start] != "(":
                raise self.unknown("parentheses around operators on bits")
        return n.Call(
            n.Member(left, BITS[sign], start=start, end=left.end), [n.Argument(right)], start=start, end=self.before.end
        )


__all__ = ["BITS", "BitOperators"]
