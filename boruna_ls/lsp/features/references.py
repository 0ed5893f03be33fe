"""textDocument/references: every use of what stands at the cursor, also in the workspace's other files."""

from __future__ import annotations

from lsprotocol import types

from analysis.ide.references import references as find
from boruna_ls.lsp.session import Session


def references(session: Session, params: types.ReferenceParams) -> list[types.Location]:
    """The places of all references."""
    file = session.file(params.text_document.uri)
    offset = session.offset(session.text(file), params.position)
    places = find(session.db, file, offset, params.context.include_declaration, session.others(file))
    return [session.location(reference.file, reference.span) for reference in places]
