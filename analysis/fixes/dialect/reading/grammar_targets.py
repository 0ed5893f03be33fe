"""Targets of assignments that take the rest of a list, and lines that do nothing here: `...`, `global x`, `use Dir::*;`."""

from __future__ import annotations

from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_loops import LoopGrammar
from analysis.fixes.dialect.tree import nodes as n


class Targets(LoopGrammar):
    """Reads them for the statements of all languages."""

    def _skips_variants(self) -> bool:
        """`use Dir::*;` in a function of Rust: its variants are known by their names alone."""
        if not self.is_word("use") or self.ahead(2).text != "::" or self.ahead().kind != NAME:
            return False
        while not self.skip(";"):
            self.take()
        return True

    def _skips_ellipsis(self) -> bool:
        """`...` alone on its line: nothing is done."""
        return self.is_sign("...") and self.ahead().is_first and self.skip("...")

    def _names_outer(self) -> bool:
        """`global a, b` of Python and PHP: takes it; the variables are found by their uses."""
        if not self.is_word("global") or not self.token.is_first or self.ahead().kind != NAME or self.ahead().is_first:
            return False
        self.take()
        self.name()
        while self.skip(","):
            self.name()
        return True

    def _starred(self) -> n.Expr:
        start = self.take().start
        return n.Spread(self._postfix(), start=start, end=self.before.end)

    def _split_list(self, targets: list[n.Expr], value: n.Expr) -> n.Statement:
        """`first, *rest = xs` of Python and Ruby, where the names are new."""
        names: list[n.Pattern] = []
        rest, last = None, list[n.Pattern]()
        for each in targets:
            held = each.value if isinstance(each, n.Spread) else each
            if not isinstance(held, n.Name) or (rest is not None and isinstance(each, n.Spread)):
                raise self.unknown("names are expected")
            pattern = n.Wildcard() if held.name == "_" else n.Binding(held.name, start=held.start, end=held.end)
            if isinstance(each, n.Spread):
                rest = pattern
            else:
                (names if rest is None else last).append(pattern)
        return n.Let(n.ListPattern(names, rest, last), None, value, True, start=targets[0].start, end=self.before.end)
