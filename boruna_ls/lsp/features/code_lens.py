"""textDocument/codeLens: "Run" and "Trace" at `main`, what the last run gave, "Preview" at `view` of an application."""

from __future__ import annotations

from lsprotocol import types

from analysis.ide.names import Kind
from analysis.ide.symbols import document_symbols
from analysis.semantics.app_shapes import is_app
from boruna_ls.lsp.features.commands import PREVIEW, RUN, TRACE
from boruna_ls.lsp.session import Session
from boruna_ls.workspace.uris import path_of


def code_lens(session: Session, params: types.CodeLensParams) -> list[types.CodeLens]:
    """The lenses of the function that a run begins with, and of the one that draws an application."""
    uri = params.text_document.uri
    text = session.text(file := session.file(uri))
    # Of several definitions the last one counts.
    spans = {made.name: made.name_span for made in document_symbols(session.db, file) if made.kind is Kind.FUNCTION}
    titles = []
    if "main" in spans:
        titles = [("main", "Run", RUN), ("main", "Trace", TRACE)]
        if (shown := session.runs.of(path_of(uri), text)) is not None:
            titles.append(("main", shown.summary, RUN))
    if is_app(spans):
        titles.append(("view", "Preview", PREVIEW))
    return [
        types.CodeLens(session.range(text, spans[name]), types.Command(title, command, arguments=[uri]))
        for name, title, command in titles
    ]
