"""Implementations of an application-protocol function: `init`, `update`, `view` and `policies` of every application."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.database import Database
from analysis.ide.name_meanings import Kind, Place, item_place
from analysis.ide.name_types import item_named
from analysis.ide.target import target_at
from analysis.inputs import FileId, source
from analysis.semantics.app_shapes import FUNCTIONS, REQUIRED
from analysis.syntax import tree as t


def implementations(db: Database, file: FileId, offset: int, others: Iterable[FileId] = ()) -> tuple[Place, ...]:
    """The declarations that stand for the function at an offset: of a protocol function one in each application."""
    target = target_at(db, file, offset)
    if target is None or target.kind is not Kind.FUNCTION:
        return ()
    if target.name not in FUNCTIONS:
        return target.places
    places = []
    for each in dict.fromkeys((file, *others)):
        db.checkpoint()
        if f"fn {target.name}" in source(db, each).text and all(item_named(db, each, name, t.Function) for name in REQUIRED):
            item = item_named(db, each, target.name, t.Function)
            if item is not None and item.file == each:
                places.append(item_place(db, item.file, item.chunk, item.item))
    return tuple(places)
