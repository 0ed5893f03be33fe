"""The outline of a file: functions, records and enums with their fields and variants."""

from __future__ import annotations

from typing import NamedTuple

from analysis.database import Database, paced, query
from analysis.ide.name_meanings import Kind
from analysis.ide.signature import function_type
from analysis.inputs import CHUNK, FileId, source
from analysis.semantics.declarations import chunk_tree
from analysis.syntax import tree as t
from analysis.text.edits import Span


class Symbol(NamedTuple):
    """An entry of the outline; `detail` is its type."""

    name: str
    kind: Kind
    detail: str
    span: Span
    name_span: Span
    children: tuple[Symbol, ...] = ()


def document_symbols(db: Database, file: FileId) -> tuple[Symbol, ...]:
    """All items of a file in order, spans absolute."""
    text = source(db, file)
    return tuple(
        moved(symbol, start)
        for chunk, start in paced(zip(text.chunks, text.offsets, strict=True))
        for symbol in chunk_symbols(db, chunk.text)
    )


@query(subject=CHUNK)
def chunk_symbols(db: Database, text: str) -> tuple[Symbol, ...]:
    """The symbols of a chunk, spans relative to it."""
    return tuple(symbol for item in chunk_tree(db, text).items if (symbol := _symbol(item)))


def _symbol(item: t.Item) -> Symbol | None:
    span, name_span = (item.start, item.end), (item.at, item.at + len(item.name))
    match item:
        case t.Function():
            return Symbol(item.name, Kind.FUNCTION, function_type(item), span, name_span)
        case t.Record(fields=fields):
            children = tuple(_member(field, Kind.FIELD, t.type_text(field.type)) for field in paced(fields))
            return Symbol(item.name, Kind.RECORD, "", span, name_span, children)
        case t.Enum(variants=variants):
            children = tuple(
                _member(variant, Kind.VARIANT, t.type_text(variant.payload) if variant.payload else "")
                for variant in paced(variants)
            )
            return Symbol(item.name, Kind.ENUM, "", span, name_span, children)
    return None


def _member(member: t.Field | t.Variant, kind: Kind, detail: str) -> Symbol:
    name_span = member.start, member.start + len(member.name)
    return Symbol(member.name, kind, detail, (member.start, member.end), name_span)


def moved(symbol: Symbol, by: int) -> Symbol:
    """The symbol with its spans shifted."""
    (start, end), (name_start, name_end) = symbol.span, symbol.name_span
    children = tuple(moved(child, by) for child in paced(symbol.children))
    span, name_span = (start + by, end + by), (name_start + by, name_end + by)
    return Symbol(symbol.name, symbol.kind, symbol.detail, span, name_span, children)
