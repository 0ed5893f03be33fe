"""textDocument/codeLens: "Run" and "Trace" at `main`, and what the last run of this text gave."""

from __future__ import annotations

from lsprotocol import types

from analysis.ide.names import Kind
from analysis.ide.symbols import document_symbols
from boruna_ls.lsp.features.commands import RUN, TRACE
from boruna_ls.lsp.session import Session
from boruna_ls.workspace.uris import path_of


def code_lens(session: Session, params: types.CodeLensParams) -> list[types.CodeLens]:
    """The lenses of the function that a run begins with."""
    uri = params.text_document.uri
    text = session.text(file := session.file(uri))
    mains = [made for made in document_symbols(session.db, file) if made.kind is Kind.FUNCTION and made.name == "main"]
    if not mains:
        return []
    # Of several definitions the last one counts.
    range_ = session.range(text, mains[-1].name_span)
    titles = [("Run", RUN), ("Trace", TRACE)]
    if (shown := session.runs.of(path_of(uri), text)) is not None:
        titles.append((shown.summary, RUN))
    return [types.CodeLens(range_, types.Command(title, command, arguments=[uri])) for title, command in titles]
