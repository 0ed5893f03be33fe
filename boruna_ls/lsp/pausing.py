"""Diagnostics that wait for a pause of typing: those that the last keystroke made in the statement that is being written.

A name that was declared a moment ago is not used yet. Errors never wait, what was shown before stays, and an editor that asks
for diagnostics gets all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from analysis.database import Database, paced
from analysis.diagnostics.check import FileDiagnostics
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.ide.written_part import WrittenPart
from analysis.semantics.declarations import chunk_tree
from analysis.text.source import Source

_ERROR: Final = Severity.ERROR
"""By a name of its own, which is found faster than a member of an enumeration."""
Key = tuple[str, str]
"""Code and message: what stays of a diagnostic when its place moves."""


class Published(NamedTuple):
    """Diagnostics last sent to an editor about a document: all diagnostics of that check, without those in `waiting`."""

    diagnostics: FileDiagnostics
    waiting: frozenset[Key] = frozenset()


def waiting(db: Database, text: Source, cursor: int, diagnostics: FileDiagnostics, before: Published | None) -> list[Diagnostic]:
    """The diagnostics that wait after a keystroke that ended at `cursor`."""
    chunk = text.chunk_at(max(cursor - 1, 0))
    block = next((block for block in reversed(diagnostics.blocks) if block.first_chunk <= chunk), None)
    there = [diagnostic for index, diagnostic in block.entries if block.first_chunk + index == chunk] if block is not None else []
    if all(each.severity is _ERROR for each in there):
        return []
    part = WrittenPart(chunk_tree(db, text.chunks[chunk].text), cursor - text.offsets[chunk])
    written = [each for each in paced(there) if each.severity is not _ERROR and part.holds(each.span)]
    if not written or before is None:
        return written
    others = {id(other.entries) for other in diagnostics.blocks if other is not block}
    shown_keys = keys(
        diagnostic for old in before.diagnostics.blocks if id(old.entries) not in others for _, diagnostic in old.entries
    )
    return [diagnostic for diagnostic in written if _key(diagnostic) not in shown_keys or _key(diagnostic) in before.waiting]


def without(diagnostics: FileDiagnostics, left_out: Iterable[Diagnostic]) -> FileDiagnostics:
    """The same diagnostics without some of them."""
    gone = {id(diagnostic) for diagnostic in left_out}
    if not gone:
        return diagnostics
    blocks = []
    for block in diagnostics.blocks:
        if gone.isdisjoint([id(diagnostic) for _, diagnostic in block.entries]):
            blocks.append(block)
        else:
            blocks.append(block._replace(entries=tuple([entry for entry in block.entries if id(entry[1]) not in gone])))
    return FileDiagnostics(tuple(blocks))


def keys(diagnostics: Iterable[Diagnostic]) -> frozenset[Key]:
    """The keys of diagnostics."""
    return frozenset(map(_key, diagnostics))


def _key(diagnostic: Diagnostic) -> Key:
    return diagnostic.code, diagnostic.message
