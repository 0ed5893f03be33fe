"""Functions between their values: in backticks, and operators that a program of ML defines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.defined_operators import level_of, operators_of_ml
from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_calls import Postfix
from analysis.fixes.dialect.tree import nodes as n

_PREDICATES: Final = frozenset("elem notElem isPrefixOf isSuffixOf isInfixOf member on seq".split())
_COMPARING: Final = 5
_TIGHTLY: Final = 12
"""Levels of operators: those of `<` and of `*`."""


class InfixFunctions(Postfix):
    """Reads them as calls."""

    def is_infix(self, level: int) -> bool:
        """True if a function in backticks stands here: predicates bind as comparisons do, others as tightly as `*`."""
        token = self.token
        if token.kind != NAME or token.text[:1] != "`":
            return False
        sign = self.own_signs.get(token.text.strip("`"))
        if sign is not None:
            return level == level_of(sign)
        return level == (_COMPARING if token.text.strip("`").rpartition(".")[2] in _PREDICATES else _TIGHTLY)

    @lazily
    def own_operators(self) -> dict[str, str]:
        """The functions of the operators that the program defines, by their signs."""
        return operators_of_ml(self.text)

    @lazily
    def own_signs(self) -> dict[str, str]:
        return {name: sign for sign, name in self.own_operators.items()}

    def infix_call(self, left: n.Expr, operand: Callable[[int], n.Expr], level: int) -> n.Expr:
        """``x `elem` xs`` as a call."""
        token = self.take()
        module, _, name = token.text.strip("`").rpartition(".")
        is_right = self.own_signs.get(name, "")[:1] in ("@", "^") or self.own_signs.get(name, "").startswith("**")
        right = operand(level if is_right else level + 1)
        named: n.Expr = n.Name(name, start=token.start, end=token.end)
        if module:
            named = n.Member(n.Name(module, start=token.start, end=token.start), name, start=token.start, end=token.end)
        if name == "notElem" and name not in self.names_of_functions:
            named = n.Name("elem", start=token.start, end=token.end)
            call = n.Call(named, [n.Argument(left), n.Argument(right)], start=left.start, end=right.end)
            return n.Unary("!", call, start=left.start, end=right.end)
        if name == "on" and isinstance(left, n.Name):
            # `compare `on` snd`: an order by a key.
            turned = n.Name("comparing" if left.name == "compare" else "on", start=left.start, end=left.end)
            return n.Call(turned, [n.Argument(right)], start=left.start, end=right.end)
        call = n.Call(named, [n.Argument(left), n.Argument(right)], start=left.start, end=right.end)
        return call if name in self.names_of_functions else self._ordered(call, is_curried=True)
