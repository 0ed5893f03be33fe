"""Errors and warnings of a program, for answers about something else, such as its module or the outcome of a run.

They are the objects of `boruna_check`. A program that runs can still be wrong, so success hides none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.edits import Confidence
from analysis.inputs import FileId
from boruna_ls.answers.check import diagnostic_answer

MOST: Final = 10
"""Diagnostics that such an answer holds."""
_ERROR, _WARNING, _HINT = Severity.ERROR, Severity.WARNING, Severity.HINT
"""By names of their own, which are found faster than members of an enumeration: a long file has thousands of hints."""


def accompanying(db: Database, files: Mapping[FileId, str]) -> dict[str, Any]:
    """The fields that an answer about these files has more, each with its name: none if nothing is an error or a warning.

    The errors come first, then the warnings, then results that are lost (W503 with the assignment that keeps them), each in order
    of position: only so many of them are shown.
    """
    errors: list[tuple[FileId, int, Diagnostic]] = []
    warnings: list[tuple[FileId, int, Diagnostic]] = []
    lost: list[tuple[FileId, int, Diagnostic]] = []
    for file in files:
        for first, entries in check_file(db, file).blocks:
            for index, diagnostic in entries:
                severity = diagnostic.severity
                if severity is _HINT:
                    if diagnostic.code == "W503" and _loses_result(diagnostic):
                        lost.append((file, first + index, diagnostic))
                elif severity is _ERROR:
                    errors.append((file, first + index, diagnostic))
                elif severity is _WARNING:
                    warnings.append((file, first + index, diagnostic))
    listed = errors + warnings + lost
    if not listed:
        return {}
    shown = [diagnostic_answer(db, file, files[file], chunk, diagnostic) for file, chunk, diagnostic in listed[:MOST]]
    fields: dict[str, Any] = {"diagnostics": shown}
    if len(listed) > MOST:
        fields["diagnostics_omitted"] = {"left_out": len(listed) - MOST, "rest": "boruna_check lists all of them"}
    return fields


def _loses_result(diagnostic: Diagnostic) -> bool:
    """`list_push(xs, 1)` as a statement, a W503: nothing is wrong with it but that it does nothing, which a run never says."""
    return any(fix.confidence is Confidence.HIGH for fix in diagnostic.fixes)
