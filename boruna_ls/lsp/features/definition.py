"""textDocument/definition, declaration, typeDefinition and implementation: where a name is declared, or what it holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from lsprotocol import types

from analysis.documents.features import definition as find_in_document
from analysis.ide.definition import definition as find
from analysis.ide.implementation import implementations
from analysis.ide.name_meanings import Place
from analysis.ide.type_definition import type_definition as find_types
from analysis.inputs import FileId
from boruna_ls.lsp.session import Session

Shown: TypeAlias = list[types.Location] | list[types.LocationLink]


def definition(session: Session, params: types.DefinitionParams) -> Shown:
    """Declaration of the name."""
    return _shown(session, find(session.db, *_position(session, params)), "definition")


def of_document(session: Session, params: types.DefinitionParams) -> Shown:
    """The same in a document other than a program."""
    return _shown(session, find_in_document(session.db, *_position(session, params)), "definition")


def declaration(session: Session, params: types.DeclarationParams) -> Shown:
    """The same: nothing is declared apart from its definition."""
    return _shown(session, find(session.db, *_position(session, params)), "declaration")


def type_definition(session: Session, params: types.TypeDefinitionParams) -> Shown:
    """Declarations of the types that the name holds or returns."""
    return _shown(session, find_types(session.db, *_position(session, params)), "type_definition")


def implementation(session: Session, params: types.ImplementationParams) -> Shown:
    """Declarations of an application-protocol function in all applications; the declaration of any other function."""
    file, offset = _position(session, params)
    return _shown(session, implementations(session.db, file, offset, session.others(file)), "implementation")


def _position(
    session: Session,
    params: types.DefinitionParams | types.DeclarationParams | types.TypeDefinitionParams | types.ImplementationParams,
) -> tuple[FileId, int]:
    file = session.file(params.text_document.uri)
    return file, session.offset(session.text(file), params.position)


def _shown(session: Session, places: Iterable[Place], feature: str) -> Shown:
    """Links with the name's own span for editors that know links, plain locations for others."""
    if not session.supports(f"text_document.{feature}.link_support"):
        return [session.location(place.file, place.name_span) for place in places]
    links = []
    for place in places:
        text = session.text(place.file)
        whole, name = session.range(text, place.span), session.range(text, place.name_span)
        links.append(types.LocationLink(session.uri(place.file.path), whole, name))
    return links
