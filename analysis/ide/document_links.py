"""The imports of a file as links to the libraries' files."""

from __future__ import annotations

from typing import NamedTuple

from analysis.database import Database
from analysis.inputs import FileId, libraries, source
from analysis.semantics.declarations import block_imports
from analysis.semantics.occurrences import Space
from analysis.semantics.scopes import resolved
from analysis.text.edits import Span


class Link(NamedTuple):
    """A name in the text and the file that it stands for."""

    span: Span
    file: FileId
    name: str


def document_links(db: Database, file: FileId) -> tuple[Link, ...]:
    """The imports of a file whose library exists."""
    text, available = source(db, file), libraries(db, file.workspace, file.libs)
    links = []
    index = 0
    for block in text.blocks:
        has_imports = bool(block_imports(db, block))
        for written in block if has_imports else ():
            for name in resolved(db, written).occurrences:
                library = available.get(name.name) if name.space is Space.LIBRARY else None
                if library is not None:
                    start = text.offsets[index]
                    links.append(Link((start + name.start, start + name.end), library, name.name))
            index += 1
        index += 0 if has_imports else len(block)
    return tuple(links)
