"""textDocument/selectionRange: what a growing selection takes in, step by step."""

from __future__ import annotations

from lsprotocol import types

from analysis.ide.selection import selection_ranges
from boruna_ls.lsp.session import Session


def selection(session: Session, params: types.SelectionRangeParams) -> list[types.SelectionRange]:
    """For each position the innermost range, which names the one around it, and so on."""
    file = session.file(params.text_document.uri)
    text = session.text(file)
    chosen = []
    for position in params.positions:
        selection_range: types.SelectionRange | None = None
        for span in reversed(selection_ranges(session.db, file, session.offset(text, position))):
            selection_range = types.SelectionRange(session.range(text, span), selection_range)
        chosen.append(selection_range or types.SelectionRange(types.Range(position, position)))
    return chosen
