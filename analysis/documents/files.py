"""The files that a document names: the host looks for them and sets them, rules read them."""

from __future__ import annotations

from typing import NamedTuple

from analysis.database import Database, input, query
from analysis.inputs import FILE, FileId


class Named(NamedTuple):
    """A file as the document names it, and the file in the document's layer; if there is none, the reason."""

    path: str
    file: FileId | None
    reason: str = ""


@input()
def named_files(db: Database, file: FileId) -> tuple[Named, ...]:
    """The files that a document names, as far as the host has looked for them."""
    return ()


def file_named(db: Database, document: FileId, path: str) -> Named | None:
    """The file for a name in a document, if the host has looked for it."""
    return _by_path(db, document).get(path)


@query(subject=FILE)
def _by_path(db: Database, document: FileId) -> dict[str, Named]:
    return {named.path: named for named in named_files(db, document)}
