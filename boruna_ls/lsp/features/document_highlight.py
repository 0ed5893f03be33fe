"""textDocument/documentHighlight: the uses in the same file of what stands at the cursor."""

from __future__ import annotations

from typing import Final

from lsprotocol import types

from analysis.database import paced
from analysis.ide.references import highlights
from analysis.semantics.occurrences import Use
from boruna_ls.lsp.session import Session

_WRITES: Final = (Use.WRITE, Use.DECLARATION)


def document_highlight(session: Session, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    """Ranges, marked as reads or writes."""
    file = session.file(params.text_document.uri)
    text = session.text(file)
    return [
        types.DocumentHighlight(
            session.range(text, highlight.span),
            types.DocumentHighlightKind.Write if highlight.kind in _WRITES else types.DocumentHighlightKind.Read,
        )
        for highlight in paced(highlights(session.db, file, session.offset(text, params.position)))
    ]
