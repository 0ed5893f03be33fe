"""textDocument/hover: what is known of the name at the cursor, and the pages of the diagnostics there."""

from __future__ import annotations

from lsprotocol import types

from analysis.ide.hover import hover as describe
from boruna_ls.lsp.publication import documentation
from boruna_ls.lsp.session import Session


def hover(session: Session, params: types.HoverParams) -> types.Hover | None:
    """Markdown with the range that it is about."""
    file = session.file(params.text_document.uri)
    text = session.text(file)
    description = describe(session.db, file, session.offset(text, params.position), documentation)
    if description is None:
        return None
    content = types.MarkupContent(types.MarkupKind.Markdown, description.markdown)
    return types.Hover(content, session.range(text, description.span))
