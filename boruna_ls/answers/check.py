"""The answer of `boruna_check` (spec chapter 05 section 6, chapter 26 section 3): all diagnostics in order of position."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from analysis.database import Database, paced
from analysis.diagnostics.diagnostic import Diagnostic, Related, Severity
from analysis.diagnostics.file_rules.placing import span_of
from analysis.documents.file_diagnostics import file_diagnostics
from analysis.documents.file_names import is_document
from analysis.fixes.applying import invented
from analysis.fixes.candidates import candidate_fixes
from analysis.inputs import FileId, source
from analysis.text.edits import Confidence, Edit, Fix
from analysis.text.source import Source
from boruna_ls.answers.envelope import success
from boruna_ls.answers.explain import documentation_uri
from boruna_ls.answers.positions import place

if TYPE_CHECKING:
    from analysis.fixes.repair import TriedFixes

MOST_HINTS: Final = 300
"""Hints and infos that an answer shows unless it is asked for more."""
MOST_TRIED: Final = 8
"""Errors and warnings of an answer whose patches are tried: each trial checks the file again."""
_TRIED: Final = (Severity.ERROR, Severity.WARNING)
_MANY_READINGS: Final = ("E001", "E002", "E003")
_OFTEN: Final = 2_000
"""Diagnostics between two looks at whether to stop."""


def check_answer(db: Database, file: FileId, file_name: str, offset: int | None = None) -> dict[str, Any]:
    """Everything that is to be said about a file; a file without diagnostics has an empty list.

    Of very many hints and infos only the first are shown, unless `offset` asks for the diagnostics from a certain one on.
    """
    entries = file_diagnostics(db, file).entries
    shown, patches = entries_shown(entries, offset), Patches(db, file)
    tried = entries_tried(shown)
    diagnostics = [
        diagnostic_answer(db, file, file_name, *entry, patches if number in tried else None) for number, entry in enumerate(shown)
    ]
    return answer_with(diagnostics, file_name, len(entries), offset)


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


def entries_shown(entries: Sequence[tuple[int, Diagnostic]], offset: int | None) -> Sequence[tuple[int, Diagnostic]]:
    """All entries from `offset` on; without one all errors and warnings, and the first of the others."""
    if offset is not None:
        return entries[offset:]
    if len(entries) <= MOST_HINTS:
        return entries
    shown, hints = [], 0
    for entry in paced(entries, _OFTEN):
        if entry[1].severity in (Severity.HINT, Severity.INFO):
            hints += 1
            if hints > MOST_HINTS:
                continue
        shown.append(entry)
    return shown


def entries_tried(entries: Sequence[tuple[int, Diagnostic]]) -> frozenset[int]:
    """The places of the diagnostics whose patches are tried: the first errors and warnings."""
    numbers = (number for number, (_, diagnostic) in enumerate(entries) if diagnostic.severity in _TRIED)
    return frozenset(islice(numbers, MOST_TRIED))


class Patches:
    """The patches of a file's diagnostics, tried in one branch of the database, which is made for the first of them."""

    def __init__(self, db: Database, file: FileId) -> None:
        self._db = db
        self._file = file
        self._tried: TriedFixes | None = None
        self._listed: set[tuple[Edit, ...]] = set()

    def of(self, chunk: int, diagnostic: Diagnostic) -> tuple[Fix, ...]:
        """Those after which less is wrong."""
        candidates = candidate_fixes(self._db, self._file, chunk, diagnostic)
        # An error without a patch of its own may be a form of another language.
        if is_document(self._file.path) or not (candidates or diagnostic.severity is Severity.ERROR):
            return candidates
        if self._tried is None:
            # Most answers try nothing: a process that checks one file does not wait for this.
            self._db.before_import("analysis.fixes.repair")
            from analysis.fixes.repair import TriedFixes

            self._tried = TriedFixes(self._db, self._file)
        return self._tried.of(chunk, diagnostic)

    def first_listed(self, fixes: Sequence[Fix]) -> list[Fix]:
        """Those that no earlier diagnostic of the answer lists: one patch can mend several."""
        first = [fix for fix in fixes if fix.edits not in self._listed]
        self._listed.update(fix.edits for fix in first)
        return first


def diagnostic_answer(
    db: Database,
    file: FileId,
    file_name: str,
    chunk: int,
    diagnostic: Diagnostic,
    patches: Patches | None = None,
    lists_patches: bool = True,
) -> dict[str, Any]:
    """One diagnostic. Keys that would hold nothing are left out.

    With `patches` those that are listed were tried; else all that are known. Without `lists_patches` there are none.

    `shown` is what editors and terminals say where message and location are the reference's; null where they show
    another diagnostic of the same mistake only. `patched_by` names patches that an earlier diagnostic of the answer lists.
    """
    text = source(db, file)
    start = text.offsets[chunk]
    shown: dict[str, Any] = {
        "id": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message + diagnostic.addition,
        "location": {"file": file_name, **place(text, start + diagnostic.span[0], start + diagnostic.span[1])},
        "documentation": documentation_uri(diagnostic.code),
    }
    if diagnostic.shown is not None:
        seen = diagnostic.for_people()
        shown["shown"] = seen and {
            "message": seen.message,
            "location": {"file": file_name, **place(text, start + seen.span[0], start + seen.span[1])},
        }
    if diagnostic.help:
        shown["help"] = diagnostic.help
    if diagnostic.why:
        shown["why"] = diagnostic.why
    if diagnostic.tags:
        shown["tags"] = [tag.value for tag in diagnostic.tags]
    if diagnostic.related:
        shown["related"] = [_related(db, text, file_name, start, note) for note in diagnostic.related]
    fixes: tuple[Fix, ...] = ()
    if lists_patches:
        fixes = patches.of(chunk, diagnostic) if patches is not None else candidate_fixes(db, file, chunk, diagnostic, False)
    if fixes:
        offered = _without_guesses(diagnostic, fixes)
        listed = patches.first_listed(offered) if patches is not None else offered
        if listed:
            shown["patches"] = [_fix(text, fix) for fix in listed]
        if len(listed) < len(offered):
            shown["patched_by"] = [fix.id for fix in offered if fix not in listed]
    return shown


def _related(db: Database, text: Source, file_name: str, start: int, note: Related) -> dict[str, Any]:
    if note.place is not None:
        span = span_of(db, text, note.place)
    elif note.span is not None:
        span = start + note.span[0], start + note.span[1]
    else:
        return {"message": note.message, "location": None}
    return {"message": note.message, "location": {"file": file_name, **place(text, *span)}}


def _without_guesses(diagnostic: Diagnostic, fixes: tuple[Fix, ...]) -> list[Fix]:
    """Likeliest patches of what can be read in many ways, if there are any: readers of an answer apply every patch in it."""
    if diagnostic.code not in _MANY_READINGS:
        return list(fixes)
    sure = [fix for fix in fixes if not fix.is_alternative and fix.confidence is not Confidence.LOW]
    return sure or list(fixes)


def placeholder_fields(text: Source, fix: Fix) -> dict[str, Any]:
    """The fields of a patch that invents something: where that is in the text after the patch, and what it is."""
    invention = invented(text, fix)
    return (
        {}
        if invention is None
        else {"placeholder": True, "placeholder_at": {**place(invention.after, *invention.span), "text": invention.text}}
    )


def _fix(text: Source, fix: Fix) -> dict[str, Any]:
    edits = [
        {**place(text, *edit.span), "old_text": text.text[slice(*edit.span)], "new_text": edit.new_text}
        for edit in paced(fix.edits)
    ]
    return {
        "id": fix.id,
        "description": fix.description,
        "confidence": fix.confidence.value,
        **placeholder_fields(text, fix),
        "rationale": fix.rationale,
        "edits": edits,
    }
