"""A short name for what is said about a file: equal as long as an answer would say the same."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import NamedTuple

from analysis.database import Database, query
from analysis.diagnostics.diagnostic import Severity
from analysis.diagnostics.file_rules.placing import span_of
from analysis.documents.file_diagnostics import file_diagnostics
from analysis.inputs import FILE, FileId, source

Severities = tuple[str, ...]
EVERY: Severities = tuple(severity.value for severity in Severity)
"""All severities, the most serious one first."""


class Digest(NamedTuple):
    """A name for diagnostics and their places, and how many there are of each severity."""

    name: str
    counts: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """Number of diagnostics."""
        return sum(count for _, count in self.counts)


@query(limit=20_000, subject=FILE)
def digest(db: Database, file: FileId, severities: Severities) -> Digest:
    """The digest of a file's diagnostics of some severities. It changes also when only places do."""
    text = source(db, file)
    hasher, counts = sha256(), Counter[str]()
    for start, diagnostic in file_diagnostics(db, file).shown(text):
        if diagnostic.severity.value in severities:
            places = [(text.position(start + offset), text.byte_position(start + offset)) for offset in diagnostic.span]
            notes = [(note.message, note.span, note.place and span_of(db, text, note.place)) for note in diagnostic.related]
            row = (
                diagnostic.code,
                diagnostic.severity.value,
                diagnostic.message,
                diagnostic.help,
                diagnostic.tags,
                diagnostic.span,
                places,
                notes,
            )
            hasher.update(repr(row).encode("utf-8", "surrogatepass"))
            counts[diagnostic.severity.value] += 1
    return Digest(hasher.hexdigest()[:32], tuple(counts.items()))
