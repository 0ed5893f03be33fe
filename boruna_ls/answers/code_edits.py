"""Edits as the analysis tools give them: ranges in both units, the text that they replace, and what they do to diagnostics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from analysis.database import Database, paced
from analysis.ide.delta import delta, edited
from analysis.ide.refactor.change import changed, changed_text
from analysis.inputs import FileId, source
from analysis.text.diff import unified_diff
from analysis.text.edits import Edit
from analysis.text.source import Source
from boruna_ls.answers.analysis import diagnostic_entries
from boruna_ls.answers.positions import place

_SHOWN: Final = 20
"""Diagnostics of each sort that a delta shows; all are counted."""


def edit_entry(text: Source, edit: Edit) -> dict[str, Any]:
    """One edit of a text."""
    return {"range": place(text, *edit.span), "new_text": edit.new_text, "old_text": text.text[slice(*edit.span)][:200]}


def changes(db: Database, edits: Mapping[FileId, Sequence[Edit]]) -> dict[str, Any]:
    """Edits by path."""
    return {file.path: {"edits": [edit_entry(source(db, file), edit) for edit in paced(each)]} for file, each in edits.items()}


def edit_diff(db: Database, edits: Mapping[FileId, Sequence[Edit]]) -> str:
    """All edits as one unified diff."""
    parts = []
    for file, each in edits.items():
        text = source(db, file)
        parts.append(unified_diff(file.path, text.text, changed_text(text, each)))
    return "".join(parts)


def delta_of(db: Database, edits: Mapping[FileId, Sequence[Edit]], others: Iterable[FileId] = ()) -> dict[str, Any]:
    """Diagnostics that edits introduce or resolve in the edited files and in `others`, whose own text stays."""
    # A library that an importer's edit changes may be one of the others, too.
    paths = {file.path for file in edits}
    looked_at = [*edits, *dict.fromkeys(file for file in others if file.path not in paths)]
    texts = {file: changed(source(db, file), each) for file, each in edits.items()}
    branch = edited(db, texts, looked_at)
    introduced: list[dict[str, Any]] = []
    resolved: list[dict[str, Any]] = []
    elsewhere, unchanged = 0, 0
    for file in looked_at:
        change = delta(db, branch, file)
        introduced += [{"file": file.path, **entry} for entry in diagnostic_entries(branch, file, change.introduced)]
        resolved += [{"file": file.path, **entry} for entry in diagnostic_entries(db, file, change.resolved)]
        unchanged += not (change.introduced or change.resolved)
        elsewhere += bool(file not in edits and (change.introduced or change.resolved))
    return {
        "introduced": introduced[:_SHOWN],
        "introduced_count": len(introduced),
        "resolved": resolved[:_SHOWN],
        "resolved_count": len(resolved),
        "elsewhere": elsewhere,
        "checked": f"checked {len(looked_at)} files, {unchanged} unchanged",
    }
