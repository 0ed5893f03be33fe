"""textDocument/prepareTypeHierarchy, typeHierarchy/supertypes and subtypes: enums and their variants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from lsprotocol import types

from analysis.database import Database
from analysis.ide.name_meanings import Kind
from analysis.ide.type_hierarchy import TypeNode, type_nodes
from analysis.ide.type_hierarchy import subtypes as below
from analysis.ide.type_hierarchy import supertypes as above
from boruna_ls.lsp.session import Session

_KINDS: Final = {Kind.ENUM: types.SymbolKind.Enum, Kind.VARIANT: types.SymbolKind.EnumMember}


def prepare(session: Session, params: types.TypeHierarchyPrepareParams) -> list[types.TypeHierarchyItem] | None:
    """The enum or variant at the cursor."""
    nodes = _nodes(session, params.text_document.uri, params.position)
    return [_item(session, node) for node in nodes] or None


def supertypes(session: Session, params: types.TypeHierarchySupertypesParams) -> list[types.TypeHierarchyItem]:
    """The enum of a variant."""
    return _around(session, params.item, above)


def subtypes(session: Session, params: types.TypeHierarchySubtypesParams) -> list[types.TypeHierarchyItem]:
    """The variants of an enum."""
    return _around(session, params.item, below)


def _around(
    session: Session, item: types.TypeHierarchyItem, step: Callable[[Database, TypeNode], tuple[TypeNode, ...]]
) -> list[types.TypeHierarchyItem]:
    nodes = _nodes(session, item.uri, item.selection_range.start)
    return [_item(session, neighbour) for node in nodes for neighbour in step(session.db, node)]


def _nodes(session: Session, uri: str, position: types.Position) -> tuple[TypeNode, ...]:
    file = session.file(uri)
    return type_nodes(session.db, file, session.offset(session.text(file), position))


def _item(session: Session, node: TypeNode) -> types.TypeHierarchyItem:
    text = session.text(node.place.file)
    return types.TypeHierarchyItem(
        name=node.name,
        kind=_KINDS[node.kind],
        uri=session.uri(node.place.file.path),
        range=session.range(text, node.place.span),
        selection_range=session.range(text, node.place.name_span),
        detail=node.detail or None,
    )
