"""Acceptance of a text by our parser: the question by which every other grammar of the language is compared."""

from __future__ import annotations

from analysis import inputs
from analysis.database import Database
from analysis.diagnostics.syntax_errors import first_error
from analysis.inputs import FileId
from analysis.text.source import Source

FILE = FileId("", "inline", "inline")


def accepted(text: str) -> bool:
    """True if the text has neither a lexical nor a syntax error."""
    db = Database()
    inputs.source.set(db, FILE, Source.from_text(text))
    return first_error(db, FILE) is None
