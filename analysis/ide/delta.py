"""What an edit does to the findings of a file: which appear, which go away, whatever lines they move to."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from analysis.check import check_file
from analysis.database import Database
from analysis.findings import Finding
from analysis.inputs import FileId, source
from analysis.text import Source

Placed = tuple[int, Finding]
"""A finding and the offset of its chunk."""


class Delta(NamedTuple):
    """Findings of the text after the edit that it did not have, and those of the text before that are gone."""

    introduced: tuple[Placed, ...]
    resolved: tuple[Placed, ...]
    remaining: int


def delta(before: Database, after: Database, file: FileId) -> Delta:
    """Compares a file in two databases. A finding is the same if code, message and the text it marks are."""
    old, new = _findings(before, file), _findings(after, file)
    introduced, resolved = _missing(new, old), _missing(old, new)
    return Delta(introduced, resolved, len(new) - len(introduced))


Key = tuple[str, str, str, str]


def _findings(db: Database, file: FileId) -> list[tuple[Key, Placed]]:
    text = source(db, file)
    return [(_key(text, start, made), (start, made)) for start, made in check_file(db, file).placed(text)]


def _key(text: Source, start: int, made: Finding) -> Key:
    return made.code, made.severity.value, made.message, text.text[start + made.span[0] : start + made.span[1]]


def _missing(those: list[tuple[Key, Placed]], others: list[tuple[Key, Placed]]) -> tuple[Placed, ...]:
    """Those that `others` do not have as often."""
    left = Counter(key for key, _ in others)
    found = []
    for key, placed in those:
        if left[key] > 0:
            left[key] -= 1
        else:
            found.append(placed)
    return tuple(found)
