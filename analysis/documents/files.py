"""The files that a document names: the host looks for them and sets them, rules read them."""

from __future__ import annotations

from typing import NamedTuple

from analysis.database import Database, input, query
from analysis.inputs import FILE, FileId


class Named(NamedTuple):
    """A file as the document names it, and the file as whoever sees the document sees it; without one the reason."""

    path: str
    file: FileId | None
    reason: str = ""


@input()
def named_files(db: Database, file: FileId) -> tuple[Named, ...]:
    """What the document's files were found to be. Of one that is not among them nothing is known."""
    return ()


def file_named(db: Database, document: FileId, path: str) -> Named | None:
    """What is known of a file that a document names."""
    return _by_path(db, document).get(path)


@query(subject=FILE)
def _by_path(db: Database, document: FileId) -> dict[str, Named]:
    return {named.path: named for named in named_files(db, document)}
