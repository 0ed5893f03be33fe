"""The answer of `boruna_check` (spec chapter 05 section 6, chapter 26 section 3): all findings in order of position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Confidence, Finding, Patch, Related, Severity
from analysis.diagnostics.file_rules import span_of
from analysis.fixes.engine import patches_for
from analysis.inputs import FileId, source
from analysis.text import Source
from boruna_ls.answers.envelope import success
from boruna_ls.answers.explain import documentation_uri
from boruna_ls.answers.positions import place

MOST_HINTS: Final = 300
"""Hints and infos that an answer shows unless it is asked for more."""


def check_answer(db: Database, file: FileId, file_name: str, offset: int | None = None) -> dict[str, Any]:
    """Everything that is to be said about a file; a file without findings has an empty list.

    Of very many hints and infos only the first are shown, unless `offset` asks for the findings from a certain one on.
    """
    entries = check_file(db, file).entries
    shown = entries_shown(entries, offset)
    return answer_with([diagnostic(db, file, file_name, *entry) for entry in shown], file_name, len(entries), offset)


def answer_with(diagnostics: list[Any], file_name: str, count: int, offset: int | None) -> dict[str, Any]:
    """The answer with these diagnostics out of `count`."""
    answer = success(file=file_name, diagnostics_count=count, diagnostics=diagnostics)
    if offset is None and len(diagnostics) < count:
        answer["omitted"] = {
            "field": "diagnostics",
            "shown": len(diagnostics),
            "left_out": count - len(diagnostics),
            "severities": [Severity.HINT.value, Severity.INFO.value],
            "rest": "call again with `offset` 0 for all of them",
        }
    return answer


def entries_shown(entries: Sequence[tuple[int, Finding]], offset: int | None) -> Sequence[tuple[int, Finding]]:
    """All entries from `offset` on; without one all errors and warnings, and the first of the others."""
    if offset is not None:
        return entries[offset:]
    if len(entries) <= MOST_HINTS:
        return entries
    shown, hints = [], 0
    for entry in entries:
        if entry[1].severity in (Severity.HINT, Severity.INFO):
            hints += 1
            if hints > MOST_HINTS:
                continue
        shown.append(entry)
    return shown


def diagnostic(db: Database, file: FileId, file_name: str, chunk: int, finding: Finding) -> dict[str, Any]:
    """One finding. Keys that would hold nothing are left out."""
    text = source(db, file)
    start = text.offsets[chunk]
    shown: dict[str, Any] = {
        "id": finding.code,
        "severity": finding.severity.value,
        "message": finding.message + finding.addition,
        "location": {"file": file_name, **place(text, start + finding.span[0], start + finding.span[1])},
        "documentation": documentation_uri(finding.code),
    }
    if finding.help:
        shown["help"] = finding.help
    if finding.why:
        shown["why"] = finding.why
    if finding.tags:
        shown["tags"] = [tag.value for tag in finding.tags]
    if finding.related:
        shown["related"] = [_related(db, text, file_name, start, note) for note in finding.related]
    if patches := patches_for(db, file, chunk, finding):
        shown["patches"] = [_patch(text, patch) for patch in _without_guesses(finding, patches)]
    return shown


def _related(db: Database, text: Source, file_name: str, start: int, note: Related) -> dict[str, Any]:
    if note.place is not None:
        span = span_of(db, text, note.place)
    elif note.span is not None:
        span = start + note.span[0], start + note.span[1]
    else:
        return {"message": note.message, "location": None}
    return {"message": note.message, "location": {"file": file_name, **place(text, *span)}}


def _without_guesses(finding: Finding, patches: tuple[Patch, ...]) -> list[Patch]:
    """Of an undefined name the patches that are no mere guesses, if there are any: who reads an answer applies what it holds."""
    sure = [patch for patch in patches if finding.code != "E003" or patch.confidence is not Confidence.LOW]
    return sure or list(patches)


def _patch(text: Source, patch: Patch) -> dict[str, Any]:
    edits = [
        {**place(text, *edit.span), "old_text": text.text[slice(*edit.span)], "new_text": edit.new_text} for edit in patch.edits
    ]
    return {
        "id": patch.id,
        "description": patch.description,
        "confidence": patch.confidence.value,
        "rationale": patch.rationale,
        "edits": edits,
    }
