"""textDocument/definition: where the name at the cursor is declared, in this file or a library."""

from __future__ import annotations

from lsprotocol import types

from analysis.ide.definition import definition as find
from boruna_ls.lsp.session import Session


def definition(session: Session, params: types.DefinitionParams) -> list[types.Location] | list[types.LocationLink]:
    """Links with the name's own span for editors that know links, plain locations for others."""
    file = session.file(params.text_document.uri)
    offset = session.offset(session.text(file), params.position)
    places = find(session.db, file, offset)
    if not session.supports("text_document.definition.link_support"):
        return [session.location(place.file, place.name_span) for place in places]
    links = []
    for place in places:
        text = session.text(place.file)
        whole, name = session.range(text, place.span), session.range(text, place.name_span)
        links.append(types.LocationLink(session.uri(place.file.path), whole, name))
    return links
