"""Effect of an edit on the diagnostics of a file: those introduced and those resolved. A moved one is the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from analysis.database import Database, paced
from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.inputs import FileId, libraries, source
from analysis.text.source import Source

Placed = tuple[int, Diagnostic]
"""A diagnostic and the offset of its chunk."""


class Delta(NamedTuple):
    """`introduced`: diagnostics that only the new text has; `resolved`: those that only the old text had."""

    introduced: tuple[Placed, ...]
    resolved: tuple[Placed, ...]
    remaining: int


def delta(before: Database, after: Database, file: FileId) -> Delta:
    """Compares a file in two databases. Diagnostics are equal if code, message and marked text are."""
    old, new = check_file(before, file).entries, check_file(after, file).entries
    # Unchanged blocks have identical diagnostic objects: compare only the others.
    kept = Counter(id(diagnostic) for _, diagnostic in old) & Counter(id(diagnostic) for _, diagnostic in new)
    gone, come = _others(before, file, old, kept), _others(after, file, new, kept)
    introduced, resolved = _missing(come, gone), _missing(gone, come)
    return Delta(introduced, resolved, len(new) - len(introduced))


def edited(db: Database, texts: Mapping[FileId, Source], others: Iterable[FileId] = ()) -> Database:
    """A branch in which files have other texts, under each of their identities: as a document, and as a library.

    `others` are files that the caller will read; one with the path of an edited file gets its text, too.
    """
    branch = db.branch()
    names = {*others}
    for file in texts:
        names.update(library for _, library in libraries(db, file.workspace, file.libs).files)
    for file, text in texts.items():
        source.set(branch, file, text)
        for same in names:
            if same.path == file.path and same not in texts:
                source.set(branch, same, text)
    return branch


Key = tuple[str, str, str, str]
_OFTEN: Final = 200
"""Diagnostics after which others may go first."""


def _others(
    db: Database, file: FileId, entries: Sequence[tuple[int, Diagnostic]], kept: Mapping[int, int]
) -> list[tuple[Key, Placed]]:
    text, left = source(db, file), dict(kept)
    others = []
    for chunk, diagnostic in paced(entries, _OFTEN):
        if left.get(id(diagnostic), 0):
            left[id(diagnostic)] -= 1
            continue
        start = text.offsets[chunk]
        others.append((_key(text, start, diagnostic), (start, diagnostic)))
    return others


def _key(text: Source, start: int, diagnostic: Diagnostic) -> Key:
    return (
        diagnostic.code,
        diagnostic.severity.value,
        diagnostic.message,
        text.text[start + diagnostic.span[0] : start + diagnostic.span[1]],
    )


def _missing(those: list[tuple[Key, Placed]], others: list[tuple[Key, Placed]]) -> tuple[Placed, ...]:
    """The entries that occur more often here than in `others`."""
    left = Counter(key for key, _ in others)
    missing = []
    for key, placed in those:
        if left[key] > 0:
            left[key] -= 1
        else:
            missing.append(placed)
    return tuple(missing)
