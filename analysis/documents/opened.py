"""A snapshot of a document, for features."""

from __future__ import annotations

from typing import NamedTuple

from analysis.database import Database
from analysis.documents.json_reader import json_document
from analysis.documents.parsed import Parsed
from analysis.documents.toml_reader import toml_document
from analysis.inputs import FileId, source


class Opened(NamedTuple):
    """A document and its readable content."""

    db: Database
    file: FileId
    text: str
    parsed: Parsed


def opened(db: Database, file: FileId) -> Opened:
    """The document of a file."""
    text = source(db, file).text
    read = toml_document if file.path.endswith(".toml") else json_document
    return Opened(db, file, text, read(db, text))
