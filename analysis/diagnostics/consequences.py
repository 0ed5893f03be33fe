"""One mistake is one diagnostic: what is left out because another diagnostic of the same chunk reports its cause.

A word of another language that parses as a name (`var n = 1`, `n as Float`) makes statements of what stands beside it.
An unused variable and an undefined name that is like it are one misspelling. A value that already has a wrong operation in it has
no type to be compared.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final

from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.edits import Span
from analysis.suggestions.foreign_words import DECLARING
from analysis.syntax.lexer import IDENT, Tokens

_CAUSES: Final = frozenset(("E003", "W104", "W608", "W610"))
_IDLE: Final = frozenset(("W503", "W601"))
_COMPARED: Final = frozenset(("W102", "W103"))
_BEFORE_TYPES: Final = frozenset(("as",))
"""Words that stand between a value and a type elsewhere."""
_HOLE: Final = re.compile(r"\{\s*([a-z_][A-Za-z0-9_]*)")


def without_consequences(tokens: Tokens, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics of a chunk that are mistakes of their own."""
    if len(diagnostics) < 2 or _CAUSES.isdisjoint([each.code for each in diagnostics]):
        return diagnostics
    known = _Causes(tokens, diagnostics)
    return [each for each in diagnostics if not known.explain(each)]


class _Causes:
    """What the diagnostics of a chunk explain beside themselves."""

    def __init__(self, tokens: Tokens, diagnostics: Iterable[Diagnostic]) -> None:
        self._tokens = tokens
        undefined = [each for each in diagnostics if each.code == "E003"]
        idle = [each.span for each in diagnostics if each.code in _IDLE]
        self._wrong = [each.span for each in diagnostics if each.code in ("W104", "W608")]
        self._texts = [each.span for each in diagnostics if each.code == "W610"]
        self._stray = [each.span for each in undefined if any(_touch(each.span, other) for other in idle)]
        self._meant = {edit.new_text for each in undefined for fix in each.fixes for edit in fix.edits}
        self._declared = frozenset(filter(None, (self._declared_by(each) for each in undefined)))
        self._types = {at for each in undefined if each.name in _BEFORE_TYPES and (at := self._behind(each)) >= 0}

    def explain(self, one: Diagnostic) -> bool:
        """True if another diagnostic is the cause of this one."""
        if one.code in _IDLE:
            return any(self._is_beside(one.span, stray) for stray in self._stray)
        if one.code == "E003":
            return (one.name in self._declared and one.name not in DECLARING) or one.span[0] in self._types
        if one.code == "W501":
            return one.name in self._meant or one.name in set(self._named_in_texts())
        if one.code == "W610":
            return any(stray[1] == one.span[0] for stray in self._stray)
        is_mark = one.code in _COMPARED and one.severity is Severity.HINT
        return is_mark and any(_touch(one.span, wrong) for wrong in self._wrong)

    def _declared_by(self, undefined: Diagnostic) -> str:
        """The name behind `var` and its like."""
        at = self._index(undefined) + 1
        is_declaration = (
            undefined.name in DECLARING and self._tokens.kinds[at] == IDENT and self._tokens.kinds[at + 1] in ("=", ":")
        )
        return self._tokens.word(at) if is_declaration else ""

    def _behind(self, undefined: Diagnostic) -> int:
        at = self._index(undefined) + 1
        return self._tokens.starts[at] if self._tokens.kinds[at] == IDENT else -1

    def _index(self, one: Diagnostic) -> int:
        return bisect_left(self._tokens.starts, one.span[0])

    def _is_beside(self, span: Span, stray: Span) -> bool:
        """True if an idle expression and a stray name are on one line, with nothing between them."""
        first, second = sorted((span, stray))
        return _touch(span, stray) or ("\n" not in self._tokens.text[first[1] : second[0]] and self._joins(first[1], second[0]))

    def _joins(self, end: int, start: int) -> bool:
        return not self._tokens.text[end:start].strip()

    def _named_in_texts(self) -> Iterator[str]:
        for start, end in self._texts:
            yield from _HOLE.findall(self._tokens.text[start:end])


def _touch(one: Span, other: Span) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
