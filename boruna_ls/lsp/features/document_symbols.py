"""textDocument/documentSymbol: the outline of a file."""

from __future__ import annotations

from typing import Final

from lsprotocol import types

from analysis.database import paced
from analysis.ide.name_meanings import Kind
from analysis.ide.symbols import Symbol
from analysis.ide.symbols import document_symbols as find
from analysis.text.source import Source
from boruna_ls.lsp.session import Session

_KINDS: Final = {
    Kind.FUNCTION: types.SymbolKind.Function,
    Kind.RECORD: types.SymbolKind.Struct,
    Kind.ENUM: types.SymbolKind.Enum,
    Kind.VARIANT: types.SymbolKind.EnumMember,
    Kind.FIELD: types.SymbolKind.Field,
    Kind.MODULE: types.SymbolKind.Module,
    Kind.TOOL: types.SymbolKind.Function,
    Kind.SERVER: types.SymbolKind.Module,
    Kind.LIBRARY: types.SymbolKind.Package,
}


def document_symbols(
    session: Session, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """A tree for editors that know trees, a flat list for others."""
    file = session.file(params.text_document.uri)
    text = session.text(file)
    symbols = find(session.db, file)
    if session.supports("text_document.document_symbol.hierarchical_document_symbol_support"):
        return [_tree(session, text, symbol) for symbol in paced(symbols)]
    return [flat for symbol in paced(symbols) for flat in _flat(session, text, params.text_document.uri, symbol, None)]


def _tree(session: Session, text: Source, symbol: Symbol) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=symbol.name or "?",
        kind=kind_of(symbol),
        range=session.range(text, symbol.span),
        selection_range=session.range(text, symbol.name_span),
        detail=symbol.detail or None,
        children=[_tree(session, text, child) for child in paced(symbol.children)],
    )


def _flat(session: Session, text: Source, uri: str, symbol: Symbol, container: str | None) -> list[types.SymbolInformation]:
    place = types.Location(uri, session.range(text, symbol.span))
    own = types.SymbolInformation(place, symbol.name or "?", kind_of(symbol), container_name=container)
    return [own, *(flat for child in paced(symbol.children) for flat in _flat(session, text, uri, child, symbol.name))]


def kind_of(symbol: Symbol) -> types.SymbolKind:
    """The protocol's word for what a symbol is."""
    return _KINDS.get(symbol.kind, types.SymbolKind.Variable)
