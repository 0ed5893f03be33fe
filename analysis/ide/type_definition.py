"""Declaration of the type of a name's value or result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.database import Database
from analysis.ide.name_meanings import Kind, Place, Spot, item_around, item_place, spot_at
from analysis.ide.name_types import item_named, type_of_local
from analysis.ide.target import Target, target_at
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax import tree as t

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def type_definition(db: Database, file: FileId, offset: int) -> tuple[Place, ...]:
    """The records and enums in the type of the name at an offset: for a list those of its items, for a function of its result."""
    target = target_at(db, file, offset)
    spot = spot_at(db, file, offset)
    if target is None or spot is None:
        return ()
    if target.kind in (Kind.RECORD, Kind.ENUM):
        return target.places
    if target.kind is Kind.VARIANT:
        return tuple(_owners(db, target))
    held = _type_text(db, file, target, spot)
    definitions = (item_named(db, file, name, t.Record, t.Enum) for name in dict.fromkeys(_NAME.findall(held or "")))
    return tuple(
        item_place(db, definition.file, definition.chunk, definition.item) for definition in definitions if definition is not None
    )


def _owners(db: Database, target: Target) -> Iterator[Place]:
    """The enums of a variant."""
    for place in target.places:
        if (item := _item(db, place)) is not None:
            yield item_place(db, place.file, source(db, place.file).chunk_at(place.name_span[0]), item)


def _item(db: Database, place: Place) -> t.Item | None:
    text = source(db, place.file)
    index = text.chunk_at(place.name_span[0])
    return item_around(chunk_tree(db, text.chunks[index].text).items, place.name_span[0] - text.offsets[index])


def _type_text(db: Database, file: FileId, target: Target, spot: Spot) -> str | None:
    if target.kind in (Kind.LOCAL, Kind.PARAMETER):
        local = spot.resolved.locals[spot.occurrence.local]
        return type_of_local(db, file, source(db, file).chunks[spot.chunk].text, local)
    for place in target.places:
        item = _item(db, place)
        if target.kind in (Kind.FUNCTION, Kind.RESULT) and isinstance(item, t.Function):
            return t.type_text(item.result) if item.result else None
        if target.kind is Kind.FIELD and isinstance(item, t.Record):
            return next((t.type_text(field.type) for field in item.fields if field.name == target.name), None)
    return None
