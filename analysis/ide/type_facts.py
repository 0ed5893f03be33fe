"""The types of a file's locals, and what stands and is wanted at a place: what hover and inlay hints show, as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from analysis.database import Database
from analysis.ide.name_meanings import item_around
from analysis.ide.name_types import shown_result, shown_type, types_in
from analysis.inputs import FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.occurrences import LocalKind
from analysis.semantics.scopes import resolved
from analysis.semantics.ty import partial_text
from analysis.syntax import tree as t
from analysis.text.edits import Span


class LocalType(NamedTuple):
    """A local and its type (`_` for unknown parts); `function` is the one it belongs to, `span` that of its name."""

    name: str
    type: str
    kind: LocalKind
    function: str
    span: Span


class TypeAt(NamedTuple):
    """The innermost expression at a place, its type and the expected type; "" where unknown."""

    span: Span
    type: str
    expected: str


def local_types(db: Database, file: FileId) -> Iterator[LocalType]:
    """All locals and parameters of a file in order of position."""
    for index in range(len(source(db, file).chunks)):
        db.checkpoint()
        yield from local_types_of(db, file, index)


def inferred_results(db: Database, file: FileId) -> Iterator[tuple[str, str]]:
    """The functions that declare no result, and what they give."""
    for chunk in source(db, file).chunks:
        db.checkpoint()
        for item in chunk_tree(db, chunk.text).items:
            if isinstance(item, t.Function) and (held := shown_result(db, file, chunk.text, item)) is not None:
                yield item.name, held


def locals_at(db: Database, file: FileId, offset: int) -> tuple[LocalType, ...]:
    """The locals that are visible at an offset; of several with one name the innermost."""
    text = source(db, file)
    index = text.chunk_at(offset)
    start = text.offsets[index]
    item = item_around(chunk_tree(db, text.chunks[index].text).items, offset - start)
    if item is None:
        return ()
    visible = {start + local.at for local in resolved(db, text.chunks[index].text).visible_at(offset - start).values()}
    return tuple([local for local in local_types_of(db, file, index) if local.span[0] in visible])


def local_types_of(db: Database, file: FileId, index: int) -> Iterator[LocalType]:
    """The locals of one chunk."""
    text = source(db, file)
    written, start = text.chunks[index].text, text.offsets[index]
    items = chunk_tree(db, written).items
    for local in sorted(resolved(db, written).locals.values(), key=lambda local: local.at):
        item = item_around(items, local.at)
        held = shown_type(db, file, written, local) or "_"
        place = start + local.at, start + local.at + len(local.name)
        yield LocalType(local.name, held, local.kind, item.name if item else "", place)


def type_at(db: Database, file: FileId, offset: int) -> TypeAt | None:
    """The type of the innermost expression at an offset; None if there is no expression."""
    text = source(db, file)
    index = text.chunk_at(offset)
    start, written = text.offsets[index], text.chunks[index].text
    item = item_around(chunk_tree(db, written).items, offset - start)
    if item is None:
        return None
    inferred = types_in(db, file, written)
    at = offset - start
    declared = next(
        (local for local in resolved(db, written).locals.values() if local.at <= at <= local.at + len(local.name)), None
    )
    if declared is not None:
        span = start + declared.at, start + declared.at + len(declared.name)
        return TypeAt(span, shown_type(db, file, written, declared) or "", "")
    around = [node for node in t.path_to(item, at) if isinstance(node, t.Expr)]
    if not around:
        return None
    node = around[-1]
    want = inferred.want(node)
    expected = partial_text(want.type) if want is not None else None
    return TypeAt((start + node.start, start + node.end), partial_text(inferred.of(node)) or "", expected or "")
