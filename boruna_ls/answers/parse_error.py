"""Answers about a text that does not parse: its first error in two shapes (spec chapters 02 and 05)."""

from __future__ import annotations

from typing import Any

from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.diagnostics.syntax_errors import SyntaxError_, first_error
from analysis.inputs import FileId
from boruna_ls.answers.envelope import failure


@dataclass(frozen=True, slots=True)
class ParseErrorAnswer:
    """The error that a compiler stops at."""

    problem: SyntaxError_

    def as_list(self) -> dict[str, Any]:
        """As most tools give it: `errors` with one element."""
        problem = self.problem
        error: dict[str, Any] = {"severity": "error", "code": problem.code, "message": problem.message}
        error["line"] = problem.line
        if problem.column is not None:
            error["col"] = problem.column
        return failure(errors=[error])

    def as_flat(self) -> dict[str, Any]:
        """As `boruna_symbols` gives it."""
        problem = self.problem
        return failure(error_kind="parse_error", error=problem.message, line=problem.line, col=problem.column)


def parse_error(db: Database, file: FileId) -> ParseErrorAnswer | None:
    """The first error of a file, None if it parses."""
    problem = first_error(db, file)
    return ParseErrorAnswer(problem) if problem else None
