"""What a repair leaves: diagnostics, placeholders, guesses, and what it only hides. A verified one leaves nothing of it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from analysis.database import paced
from analysis.diagnostics.check import FileDiagnostics
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.fixes.dialect.contradictions import contradictions
from analysis.fixes.idle import idle_statements
from analysis.fixes.outcome import Applied, Remaining
from analysis.syntax.parser import parse
from analysis.text.source import Source

_MOST_REMAINING: Final = 20
"""So many of what is left are named in an answer."""
_BY_VALUES: Final = "W109"
"""Code of what certainly fails, as far as variables have the values that they are declared with."""
_MOST_SOUGHT: Final = 100
"""So many expressions that are no longer reported are looked for."""
_OFTEN: Final = 1_000
"""Words between two checkpoints."""
_WORDS: Final = re.compile(r"\w++|[^\w\s]")
_Words: TypeAlias = tuple[str, ...]


def remaining(
    text: Source, after: FileDiagnostics, applied: Sequence[Applied], guesses: Sequence[Remaining]
) -> tuple[Remaining, ...]:
    """The first errors, warnings, placeholders and guesses that are left, in order of position."""
    entries = [(offset, entry) for offset, entry in after.placed(text) if entry.severity in (Severity.ERROR, Severity.WARNING)]
    rows = [
        Remaining(entry.code, entry.severity, entry.message, text.position(offset + entry.span[0])[0] + 1)
        for offset, entry in entries[:_MOST_REMAINING]
    ]
    rows += [
        Remaining(done.code, Severity.WARNING, f"placeholder ({done.fix.description}): replace it", done.placed_at)
        for done in applied
        if done.placed_at is not None
    ]
    return tuple(sorted([*rows, *guesses], key=lambda row: row.line)[:_MOST_REMAINING])


def idle_values(original: Source, text: Source) -> list[Remaining]:
    """The values that nothing uses in chunks that were changed: there a repair may have made two statements of one."""
    before = {chunk.text for chunk in original.chunks}
    return [
        Remaining(
            "W503",
            Severity.HINT,
            "a value that nothing uses: see whether it belongs to the statement before it",
            text.position(text.offsets[number] + node.start)[0] + 1,
        )
        for number, chunk in enumerate(text.chunks)
        if chunk.text not in before
        for node in idle_statements(parse(chunk.text))
    ]


def contradictions_of(original: Source, text: Source) -> list[Remaining]:
    """Run-time failures in changed chunks that no check reports."""
    before = {chunk.text for chunk in original.chunks}
    return [
        Remaining("E009", Severity.WARNING, message, text.position(offset)[0] + 1)
        for offset, message in contradictions(text.text)
        if text.chunks[text.chunk_at(offset)].text not in before
    ]


_LOST: Final = "W503"
"""Code of an unused value: where a repair wrote it, an assignment may have been meant."""


def is_left(original: Source, text: Source, after: FileDiagnostics) -> bool:
    """True if an error is left, or in a changed chunk a warning or a lost result."""
    before = {chunk.text for chunk in original.chunks}
    if not text.text.strip():
        return True
    return any(
        entry.severity is Severity.ERROR
        or ((entry.severity is Severity.WARNING or entry.code == _LOST) and text.chunks[index].text not in before)
        for index, entry in after.entries
    )


def hidden_failures(original: Source, before: FileDiagnostics, text: Source, after: FileDiagnostics) -> list[Remaining]:
    """The certain failures that are no longer reported although their expressions are as they were.

    A fix that assigns to a variable makes its value unknown to the check, which does not make the expression right.
    """
    reported = Counter(words for words, _ in _certain(text, after))
    gone = []
    for words, entry in _certain(original, before):
        if reported[words]:
            reported[words] -= 1
        else:
            gone.append((words, entry))
    return list(_still_there(gone[:_MOST_SOUGHT], text)) if gone else []


def _still_there(gone: Iterable[tuple[_Words, Diagnostic]], text: Source) -> Iterator[Remaining]:
    """Those of the expressions that a text has, with whatever white space between their words."""
    matches = list(paced(_WORDS.finditer(text.text), _OFTEN))
    words_of_text = tuple(match[0] for match in matches)
    places = defaultdict[str, list[int]](list)
    for place, word in paced(enumerate(words_of_text), _OFTEN):
        places[word].append(place)
    for words, entry in gone:
        starts = paced(places.get(words[0], ()), _OFTEN)
        start = next((start for start in starts if words_of_text[start : start + len(words)] == words), None)
        if start is not None:
            yield Remaining(entry.code, entry.severity, entry.message, text.position(matches[start].start())[0] + 1)


def _certain(text: Source, diagnostics: FileDiagnostics) -> Iterator[tuple[_Words, Diagnostic]]:
    """The words of each expression that certainly fails."""
    for offset, entry in diagnostics.placed(text):
        if entry.code == _BY_VALUES and entry.severity is Severity.WARNING:
            yield tuple(_WORDS.findall(text.text[offset + entry.span[0] : offset + entry.span[1]])), entry
