"""textDocument/documentLink: imports lead to the libraries' files."""

from __future__ import annotations

from lsprotocol import types

from analysis.ide.document_links import document_links as find
from boruna_ls.lsp.session import Session


def document_links(session: Session, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """One link for each import of a library that is there."""
    text = session.text(file := session.file(params.text_document.uri))
    return [
        types.DocumentLink(session.range(text, link.span), session.uri(link.file.path), f"Library {link.name}")
        for link in find(session.db, file)
    ]
