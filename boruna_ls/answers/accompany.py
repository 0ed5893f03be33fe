"""Errors and warnings of a program, for answers about something else, such as its module or the outcome of a run.

They are the objects of `boruna_check`. A program that runs can still be wrong, so success hides none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.edits import Confidence
from analysis.inputs import FileId
from boruna_ls.answers.check import MOST_TRIED, Patches, diagnostic_answer

MOST: Final = 10
"""Diagnostics that such an answer holds."""
_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
"""By names of their own, which are found faster than members of an enumeration: a long file has thousands of hints."""


class _Row(NamedTuple):
    file: FileId
    chunk: int
    diagnostic: Diagnostic
    patches: Patches | None


def accompanying(db: Database, files: Mapping[FileId, str]) -> dict[str, Any]:
    """The fields that an answer about these files has more, each with its name: none if nothing is an error or a warning.

    The errors come first, then the warnings, then results that are lost (W503 with the assignment that keeps them), each in order
    of position: only so many of them are shown.
    """
    errors: list[_Row] = []
    warnings: list[_Row] = []
    lost: list[_Row] = []
    for file in files:
        patches, left = Patches(db, file), MOST_TRIED
        for first, entries, are_hints in check_file(db, file).blocks:
            for index, diagnostic in () if are_hints else entries:
                severity = diagnostic.severity
                if severity is _HINT:
                    if diagnostic.code == "W503" and _loses_result(diagnostic):
                        lost.append(_Row(file, first + index, diagnostic, None))
                elif severity is _ERROR or severity is _WARNING:
                    rows = errors if severity is _ERROR else warnings
                    rows.append(_Row(file, first + index, diagnostic, patches if left > 0 else None))
                    left -= 1
    listed = errors + warnings + lost
    if not listed:
        return {}
    shown = [diagnostic_answer(db, row.file, files[row.file], *row[1:]) for row in listed[:MOST]]
    fields: dict[str, Any] = {"diagnostics": shown}
    if len(listed) > MOST:
        fields["diagnostics_omitted"] = {"left_out": len(listed) - MOST, "rest": "boruna_check lists all of them"}
    return fields


def _loses_result(diagnostic: Diagnostic) -> bool:
    """`list_push(xs, 1)` as a statement, a W503: nothing is wrong with it but that it does nothing, which a run never says."""
    return any(fix.confidence is Confidence.HIGH for fix in diagnostic.fixes)
