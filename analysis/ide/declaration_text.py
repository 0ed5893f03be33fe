"""Text of a declaration: its signature on one line and the comments above it, for answers that name it."""

from __future__ import annotations

from typing import NamedTuple

from analysis.database import Database
from analysis.ide.name_meanings import Place, item_around
from analysis.ide.signature import documentation, signature
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax import tree as t


class Described(NamedTuple):
    """`signature` is the item without its body; for a local, field or variant the declaration's text."""

    signature: str
    doc: str


def described(db: Database, place: Place) -> Described:
    """The declaration at a place."""
    text = source(db, place.file)
    if place.span == (0, 0):
        return Described("", "")
    chunk = text.chunk_at(place.name_span[0])
    start = text.offsets[chunk]
    written = text.chunks[chunk].text
    item = item_around(chunk_tree(db, written).items, place.name_span[0] - start)
    if item is not None and item.at == place.name_span[0] - start:
        return Described(signature(item, written), documentation(written, item.start))
    return Described(text.text[slice(*place.span)].split("\n", 1)[0].strip(), "")


def capabilities_of(db: Database, file: FileId) -> frozenset[str]:
    """The capabilities that the functions of a file declare."""
    return frozenset(
        capability.name
        for chunk in source(db, file).chunks
        for item in chunk_tree(db, chunk.text).items
        if isinstance(item, t.Function)
        for capability in item.capabilities
    )
