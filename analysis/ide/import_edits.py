"""Edits of imports in editors: the removal of unused ones."""

from __future__ import annotations

from typing import Final

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.text.edits import Edit

_UNUSED: Final = "W404"


def unused_imports(db: Database, file: FileId) -> tuple[Edit, ...]:
    """The edits, absolute, that remove duplicate and unused imports."""
    text = source(db, file)
    return tuple(
        Edit((start + edit.span[0], start + edit.span[1]), edit.new_text)
        for start, diagnostic in check_file(db, file).placed(text)
        if diagnostic.code == _UNUSED
        for fix in diagnostic.fixes
        for edit in fix.edits
    )
