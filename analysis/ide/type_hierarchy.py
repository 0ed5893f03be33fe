"""The hierarchy of types: an enum stands above its variants. Records have nothing above or below them.

A node names a declaration. What it says of it is looked up again, so nothing of it goes stale.
"""

from __future__ import annotations

from typing import NamedTuple

from analysis.database import Database
from analysis.ide.name_meanings import Kind, Place
from analysis.ide.symbols import Symbol, document_symbols
from analysis.ide.target import target_at
from analysis.inputs import FileId


class TypeNode(NamedTuple):
    """An enum or a variant; `detail` is the type of a variant's payload, or "" without one."""

    kind: Kind
    name: str
    detail: str
    place: Place


def type_nodes(db: Database, file: FileId, offset: int) -> tuple[TypeNode, ...]:
    """The enum or the variants that the name at an offset stands for."""
    target = target_at(db, file, offset)
    if target is None or target.kind not in (Kind.ENUM, Kind.VARIANT):
        return ()
    nodes = []
    for place in target.places:
        for enum in document_symbols(db, place.file):
            nodes += [_node(place.file, symbol) for symbol in (enum, *enum.children) if symbol.name_span == place.name_span]
    return tuple(nodes)


def supertypes(db: Database, node: TypeNode) -> tuple[TypeNode, ...]:
    """The enum of a variant."""
    file, span = node.place.file, node.place.name_span
    enums = (symbol for symbol in document_symbols(db, file) if symbol.kind is Kind.ENUM)
    return tuple(_node(file, enum) for enum in enums if any(child.name_span == span for child in enum.children))


def subtypes(db: Database, node: TypeNode) -> tuple[TypeNode, ...]:
    """The variants of an enum."""
    file, span = node.place.file, node.place.name_span
    enums = (symbol for symbol in document_symbols(db, file) if symbol.kind is Kind.ENUM and symbol.name_span == span)
    return tuple(_node(file, child) for enum in enums for child in enum.children)


def _node(file: FileId, symbol: Symbol) -> TypeNode:
    return TypeNode(symbol.kind, symbol.name, symbol.detail, Place(file, symbol.span, symbol.name_span))
