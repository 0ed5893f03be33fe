"""The places of a local name, so that an editor can change all of them while one is typed."""

from __future__ import annotations

from analysis.database import Database
from analysis.ide.name_meanings import Kind
from analysis.ide.references import highlights
from analysis.ide.target import target_at
from analysis.inputs import FileId
from analysis.text.edits import Span


def linked_names(db: Database, file: FileId, offset: int) -> tuple[Span, ...]:
    """All places of the parameter or variable at an offset. None for names that other items can use: those need a rename."""
    target = target_at(db, file, offset)
    if target is None or target.kind not in (Kind.PARAMETER, Kind.LOCAL):
        return ()
    return tuple(highlight.span for highlight in highlights(db, file, offset))
