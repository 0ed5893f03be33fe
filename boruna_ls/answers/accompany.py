"""Diagnostics of a program, for answers about something else, such as its module or the outcome of a run.

They are the objects of `boruna_check`. A program that runs can still be wrong, so success hides none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from analysis.database import Database, paced
from analysis.diagnostics.check import check_file
from analysis.diagnostics.codes import ABOUT_FORM
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.inputs import FileId
from boruna_ls.answers.check import MOST_TRIED, Patches, diagnostic_answer

MOST: Final = 10
"""Diagnostics that such an answer holds."""
_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
"""By names of their own, which are found faster than members of an enumeration: a long file has thousands of hints."""
_ORDER: Final = (_ERROR, _WARNING, Severity.INFO, _HINT)
_OFTEN: Final = 2_000
"""Diagnostics between two looks at whether to stop."""


class _Row(NamedTuple):
    file: FileId
    chunk: int
    diagnostic: Diagnostic
    patches: Patches | None


def accompanying(db: Database, files: Mapping[FileId, str]) -> dict[str, Any]:
    """The fields that an answer about these files has more, each with its name: none if nothing is to be said.

    Errors come first, then warnings, infos, and the hints that concern what the program computes, each in order of position:
    only so many of them are shown. Hints about form, such as unused names, are counted as `hints`.
    """
    listed: dict[Severity, list[_Row]] = {severity: [] for severity in Severity}
    about_form = 0
    for file in files:
        patches, left = Patches(db, file), MOST_TRIED
        for first, entries, are_hints in check_file(db, file).blocks:
            about_form += len(entries) if are_hints else 0
            for index, diagnostic in () if are_hints else paced(entries, _OFTEN):
                severity = diagnostic.severity
                if severity is _HINT and diagnostic.code in ABOUT_FORM:
                    about_form += 1
                    continue
                is_tried = left > 0 and (severity is _ERROR or severity is _WARNING)
                listed[severity].append(_Row(file, first + index, diagnostic, patches if is_tried else None))
                left -= is_tried
    rows = [row for severity in _ORDER for row in listed[severity]]
    fields: dict[str, Any] = {}
    if rows:
        fields["diagnostics"] = [diagnostic_answer(db, row.file, files[row.file], *row[1:]) for row in rows[:MOST]]
    if len(rows) > MOST:
        fields["diagnostics_omitted"] = {"left_out": len(rows) - MOST, "rest": "boruna_check lists all of them"}
    if about_form:
        fields["hints"] = about_form
    return fields
