"""One mistake is one diagnostic: drops diagnostics whose cause another diagnostic of the same chunk reports.

A word of another language that parses as a name (`var n = 1`, `n as Float`) turns the text beside it into statements.
An unused variable and a similar undefined name are one misspelling. A value with a wrong operation in it has no type to
compare. `xs[i] + 1` is two statements, neither of them intended. A value called by accident, because the next line begins with
a parenthesis, is not a function. If a loop never changes its condition, the condition may also be constant.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final

from analysis.data_classes import replace
from analysis.database import paced, paced_sorted
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.semantics.sound_parts import words_in
from analysis.suggestions.foreign_words import DECLARING
from analysis.syntax.lexer import IDENT, Tokens
from analysis.text.edits import FixKind, Span

_IDLE: Final = frozenset(("W503", "W601"))
_WRONG: Final = frozenset(("W104", "W608"))
_COMPARED: Final = frozenset(("W102", "W103"))
_OF_VALUES: Final = frozenset(("E009", "W101", "W102", "W103", "W104", "W105", "W106", "W107", "W108", "W201", "W204"))
"""Codes about values computed from an indexing."""
_OF_PARTS: Final = _OF_VALUES | {"W502", "W503", "W601"}
"""Codes about the statements as which an indexing parses."""
_EXPLAINED: Final[dict[str, frozenset[str]]] = {
    "E003": frozenset(("E003", "W103", "W501", "W503", "W601", "W610")),
    "W104": _COMPARED,
    "W505": frozenset(("W308", "W504")),
    "W601": frozenset(("W108",)),
    "W608": _OF_PARTS | _COMPARED,
    "W610": frozenset(("W501",)),
}
"""Codes of causes, each with the codes that it may explain: `_Causes.explain`."""
_BEFORE_TYPES: Final = frozenset(("as",))
"""Words between a value and a type in other languages."""
_HANDLING: Final = frozenset(("catch", "except", "finally", "rescue"))
"""Words after `try`; one diagnostic says what to write instead."""
_LONGEST: Final = 2_000
"""Characters of an expression in which names are looked for."""
_MOST_LOOPS: Final = 50
_MOST_TOKENS: Final = 5_000
"""Tokens of a loop's body that are looked at."""
_BLANKS: Final = re.compile(r"[^\S\n]*")
_HOLE: Final = re.compile(r"\{\s*([a-z_][A-Za-z0-9_]*)")


def without_consequences(tokens: Tokens, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics of a chunk without those that another one explains."""
    if len(diagnostics) < 2:
        return diagnostics
    codes = {each.code for each in paced(diagnostics)}
    if all(codes.isdisjoint(_EXPLAINED.get(code, ())) for code in codes):
        return diagnostics
    causes = _Causes(tokens, diagnostics)
    return [causes.weighed(each) for each in paced(diagnostics) if not causes.explain(each)]


class _Places:
    """Spans with a fast search: there may be thousands."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans = paced_sorted(spans)
        self._starts = [start for start, _ in paced(self.spans)]
        self._furthest = list(accumulate((end for _, end in paced(self.spans)), max))
        """For each span, the furthest end of it and the spans before it."""

    def touch(self, span: Span) -> bool:
        """True if one of them overlaps a span, or adjoins it."""
        count = bisect_right(self._starts, span[1])
        return count > 0 and self._furthest[count - 1] >= span[0]

    def around(self, span: Span) -> list[Span]:
        """The last that begins before a span, and the first that does not."""
        at = bisect_left(self._starts, span[0])
        return self.spans[max(at - 1, 0) : at + 1]


class _Causes:
    """Which other diagnostics the diagnostics of a chunk explain."""

    def __init__(self, tokens: Tokens, diagnostics: list[Diagnostic]) -> None:
        self._tokens = tokens
        by_code: defaultdict[str, list[Diagnostic]] = defaultdict(list)
        for each in paced(diagnostics):
            by_code[each.code].append(each)
        undefined, endless = by_code["E003"], by_code["W505"]
        idle = _Places(each.span for code in _IDLE for each in paced(by_code[code]))
        self._wrong = _Places(each.span for code in _WRONG for each in paced(by_code[code]))
        self._named_in_texts = frozenset(self._names_in(each.span for each in paced(by_code["W610"])))
        indexing = [each.span for each in paced(by_code["W608"])]
        # A field that is read from it stands behind a dot.
        self._indexing = _Places((start, end + 1) for start, end in indexing)
        self._indexed = frozenset(filter(None, map(self._assigned_by, indexing)))
        self._endless = frozenset(each.span for each in endless)
        self._hiding = frozenset(related.span for each in endless for related in each.related)
        called = {each.span[1] for each in paced(by_code["W108"])}
        lines = [each.span for each in paced(by_code["W601"])] if called else []
        self._called = {end: span for span in lines if (end := self._end_before(span)) in called}
        """Ends of values that the next line calls, each with the parenthesis there."""
        self._stray = _Places(each.span for each in paced(undefined) if idle.touch(each.span))
        self._stray_ends = {end for _, end in paced(self._stray.spans)}
        self._meant = {fix.name for each in paced(undefined) for fix in each.fixes}
        self._declared = frozenset(filter(None, (self._declared_by(each) for each in paced(undefined))))
        loops = [each for each in paced(undefined) if each.name == "loop"][:_MOST_LOOPS]
        self._loops = _Places(filter(None, (self._block_behind(each) for each in loops)))
        self._tries = any(each.name == "try" for each in paced(undefined))
        self._types = {at for each in paced(undefined) if each.name in _BEFORE_TYPES and (at := self._behind(each)) >= 0}

    def explain(self, one: Diagnostic) -> bool:
        """True if another diagnostic is the cause of this one."""
        if one.code in _OF_PARTS and self._indexing.touch(one.span):
            return True
        if one.code in _OF_VALUES and self._names_indexed(one.span):
            return True
        if one.code in _IDLE:
            return self._stray.touch(one.span) or any(self._joins(*sorted((one.span, it))) for it in self._stray.around(one.span))
        if one.code == "E003":
            is_declared = one.name in self._declared and one.name not in DECLARING
            return is_declared or one.span[0] in self._types or (self._tries and self._handles(one))
        if one.code == "W504":
            return one.span in self._endless
        if one.code == "W308":
            return one.span in self._hiding
        if one.code == "W108":
            return one.span[1] in self._called
        if one.code == "W501":
            return one.name in self._meant or one.name in self._named_in_texts
        if one.code == "W610":
            return one.span[0] in self._stray_ends
        if one.code == "W103" and self._loops.touch(one.span):
            return True
        is_mark = one.code in _COMPARED and one.severity is Severity.HINT
        return is_mark and self._wrong.touch(one.span)

    def weighed(self, one: Diagnostic) -> Diagnostic:
        """A diagnostic, as serious as what it explains."""
        is_called = one.code == "W601" and one.span in self._called.values()
        return replace(one, severity=Severity.WARNING) if is_called else one

    def _end_before(self, span: Span) -> int:
        """Where the token before a place ends."""
        at = bisect_left(self._tokens.starts, span[0])
        return self._tokens.ends[at - 1] if at else -1

    def _declared_by(self, undefined: Diagnostic) -> str:
        """The name after `var` or a similar word."""
        at = self._index(undefined) + 1
        is_word = undefined.name in DECLARING or any(fix.kind is FixKind.DECLARATION for fix in undefined.fixes)
        is_declaration = is_word and self._tokens.kinds[at] == IDENT and self._tokens.kinds[at + 1] in ("=", ":")
        return self._tokens.word(at) if is_declaration else ""

    def _assigned_by(self, indexing: Span) -> str:
        """The name before `= xs[i]`."""
        at = bisect_left(self._tokens.starts, indexing[0])
        is_assigned = at > 1 and self._tokens.kinds[at - 1] == "=" and self._tokens.kinds[at - 2] == IDENT
        return self._tokens.word(at - 2) if is_assigned else ""

    def _names_indexed(self, span: Span) -> bool:
        """True if a span names a variable that holds what an indexing gives."""
        if not self._indexed or span[1] - span[0] > _LONGEST:
            return False
        return any(self._tokens.word(at) in self._indexed for at in words_in(self._tokens, span))

    def _handles(self, undefined: Diagnostic) -> bool:
        """True for `catch` or a similar word, and for the name of the error after it."""
        at = self._index(undefined)
        return undefined.name in _HANDLING or (
            at > 1 and self._tokens.word(at - 2) in _HANDLING and self._tokens.kinds[at - 1] == "("
        )

    def _block_behind(self, undefined: Diagnostic) -> Span | None:
        """The braces after `loop`."""
        first = self._index(undefined) + 1
        depth = 0
        for at, kind in enumerate(self._tokens.kinds[first : first + _MOST_TOKENS], first):
            depth += (kind == "{") - (kind == "}")
            if depth == 0:
                return (self._tokens.starts[first], self._tokens.ends[at]) if kind == "}" else None
        return None

    def _behind(self, undefined: Diagnostic) -> int:
        at = self._index(undefined) + 1
        return self._tokens.starts[at] if self._tokens.kinds[at] == IDENT else -1

    def _index(self, one: Diagnostic) -> int:
        return bisect_left(self._tokens.starts, one.span[0])

    def _joins(self, one: Span, other: Span) -> bool:
        """True if only blanks are between an idle expression and a stray name behind it, or the other way round."""
        between = _BLANKS.match(self._tokens.text, one[1])
        return between is not None and between.end() == other[0]

    def _names_in(self, texts: Iterable[Span]) -> Iterator[str]:
        for start, end in texts:
            yield from _HOLE.findall(self._tokens.text[start:end])
