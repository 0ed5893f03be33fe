"""Callers and callees of a function. A function that is passed as a value counts as called there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from analysis.database import Database
from analysis.ide.name_meanings import Kind, Meaning, Place, Spot, item_around, item_place, meaning
from analysis.ide.references import files_of, uses
from analysis.ide.signature import function_type
from analysis.ide.target import target_at
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.occurrences import GLOBAL, Space, Use
from analysis.semantics.scopes import resolved
from analysis.syntax import tree as t
from analysis.text.edits import Span


class Callable(NamedTuple):
    """A function; `detail` is its type."""

    name: str
    detail: str
    place: Place


class Calls(NamedTuple):
    """The caller or callee of a function, and the spans of the calls in the caller's file, in order."""

    function: Callable
    spans: tuple[Span, ...]


def function_at(db: Database, file: FileId, offset: int) -> Callable | None:
    """The function whose name stands at an offset, declared in any file."""
    target = target_at(db, file, offset)
    if target is None or target.kind is not Kind.FUNCTION or not target.places:
        return None
    return _callable(db, target.places[-1])


def callers(db: Database, wanted: Callable, others: Iterable[FileId] = ()) -> tuple[Calls, ...]:
    """The callers of `wanted` in its own file and in `others`, each with its calls."""
    meant = Meaning(Kind.FUNCTION, wanted.name, (wanted.place,))
    calls: dict[tuple[str, Span], tuple[Callable, list[Span]]] = {}
    for file in files_of(db, wanted.place.file, meant, others):
        for spot in uses(db, file, meant):
            around = _around(db, file, spot)
            if spot.occurrence.use is not Use.DECLARATION and around is not None:
                entry = calls.setdefault((file.path, around.place.name_span), (around, []))
                entry[1].append(spot.span)
    return tuple(Calls(function, tuple(spans)) for function, spans in calls.values())


def callees(db: Database, caller: Callable) -> tuple[Calls, ...]:
    """The functions that one calls; builtins are left out, as no text declares them."""
    file = caller.place.file
    text = source(db, file)
    index = text.chunk_at(caller.place.name_span[0])
    start, written = text.offsets[index], text.chunks[index].text
    names = resolved(db, written)
    first, last = caller.place.span[0] - start, caller.place.span[1] - start
    calls: dict[tuple[str, Span], tuple[Callable, list[Span]]] = {}
    for occurrence in names.occurrences:
        is_inside = first <= occurrence.start and occurrence.end <= last
        if not is_inside or occurrence.space is not Space.VALUE or occurrence.local != GLOBAL:
            continue
        spot = Spot(index, start, names, occurrence)
        meant = meaning(db, file, spot) if occurrence.use is not Use.DECLARATION else None
        if meant is None or meant.kind is not Kind.FUNCTION or not meant.places:
            continue
        place = meant.places[-1]
        if (called := _callable(db, place)) is not None:
            calls.setdefault((place.file.path, place.name_span), (called, []))[1].append(spot.span)
    return tuple(Calls(function, tuple(spans)) for function, spans in calls.values())


def capabilities(db: Database, function: Callable) -> frozenset[str]:
    """The capabilities that a function declares."""
    text = source(db, function.place.file)
    index = text.chunk_at(function.place.name_span[0])
    items = chunk_tree(db, text.chunks[index].text).items
    item = item_around(items, function.place.name_span[0] - text.offsets[index])
    return frozenset(capability.name for capability in item.capabilities) if isinstance(item, t.Function) else frozenset()


def _around(db: Database, file: FileId, spot: Spot) -> Callable | None:
    items = chunk_tree(db, source(db, file).chunks[spot.chunk].text).items
    item = item_around(items, spot.occurrence.start)
    if not isinstance(item, t.Function):
        return None
    return Callable(item.name, function_type(item), item_place(db, file, spot.chunk, item))


def _callable(db: Database, place: Place) -> Callable | None:
    text = source(db, place.file)
    index = text.chunk_at(place.name_span[0])
    item = item_around(chunk_tree(db, text.chunks[index].text).items, place.name_span[0] - text.offsets[index])
    return Callable(item.name, function_type(item), place) if isinstance(item, t.Function) else None
