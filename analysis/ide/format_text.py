"""A text in canonical layout, or the first error of one that does not parse, in the words of everything else that reports it."""

from __future__ import annotations

from analysis.database import Database
from analysis.diagnostics.syntax_errors import first_error
from analysis.formatting.formatter import Formatted, Refused, format_source
from analysis.inputs import FileId, source
from analysis.text.source import Source


def format_text(db: Database | None, text: str) -> Formatted | Refused:
    """Formats a whole text; with a database, chunks that it has seen before cost nothing."""
    formatted = format_source(db, text)
    if formatted is not None:
        return formatted
    scratch, file = Database(), FileId("", "inline", "")
    source.set(scratch, file, Source.from_text(text))
    problem = first_error(scratch, file)
    assert problem is not None
    return Refused(problem.line, problem.column, problem.message)
