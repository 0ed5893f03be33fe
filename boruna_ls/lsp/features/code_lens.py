"""textDocument/codeLens and codeLens/resolve: "Run" and "Trace" at `main`, "Run test" at tests, what the last run of each gave,
"Preview" at `view`.

An editor that sets `boruna.lens.references` also gets the number of references at each declaration, counted when it is shown.
"""

from __future__ import annotations

from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from analysis.ide.name_meanings import Kind
from analysis.ide.references import references
from analysis.ide.symbols import Symbol, document_symbols
from analysis.semantics.app_shapes import is_app
from boruna_ls.lsp.features.commands import PREVIEW, RUN, TEST, TRACE
from boruna_ls.lsp.session import Session
from boruna_ls.workspace.uris import path_of

_MOST_COUNTED: Final = 2_000
"""Declarations of a file that have a lens with their references."""


def code_lens(session: Session, params: types.CodeLensParams) -> list[types.CodeLens]:
    """The lenses of the function that a run begins with, and of the one that draws an application."""
    uri = params.text_document.uri
    text = session.text(file := session.file(uri))
    # Of several definitions the last one counts.
    symbols = document_symbols(session.db, file)
    spans = {symbol.name: symbol.name_span for symbol in symbols if symbol.kind is Kind.FUNCTION}
    titles = []
    if "main" in spans:
        titles = [("main", "Run", RUN), ("main", "Trace", TRACE)]
        if (shown := session.runs.of(path_of(uri), text)) is not None:
            titles.append(("main", shown.summary, RUN))
    if is_app(spans):
        titles.append(("view", "Preview", PREVIEW))
    lenses = [
        types.CodeLens(session.range(text, spans[name]), types.Command(title, command, arguments=[uri]))
        for name, title, command in titles
    ]
    outcomes = session.runs.tests_of(path_of(uri), text)
    for name, symbol in {test.name: test for test in symbols if _is_test(test)}.items():
        for title in ("Run test", *([outcomes[name]] if name in outcomes else ())):
            command = types.Command(title, TEST, arguments=[uri, [name]])
            lenses.append(types.CodeLens(session.range(text, symbol.name_span), command))
    if session.settings.counts_references:
        lenses += [
            types.CodeLens(session.range(text, symbol.name_span), data={"uri": uri, "offset": symbol.name_span[0]})
            for symbol in symbols[:_MOST_COUNTED]
            if symbol.name
        ]
    return lenses


def _is_test(symbol: Symbol) -> bool:
    return symbol.kind is Kind.FUNCTION and symbol.name.startswith("test_") and symbol.detail.startswith("()")


def resolve(session: Session, lens: types.CodeLens) -> types.CodeLens:
    """The number of references to a declaration."""
    data: Any = lens.data
    if not isinstance(data, dict) or not isinstance(data.get("uri"), str) or not isinstance(data.get("offset"), int):
        raise JsonRpcInvalidParams("this code lens has nothing to resolve")
    file = session.file(data["uri"])
    count = len(references(session.db, file, data["offset"], False, session.others(file)))
    # Without a command an editor shows the text alone; which one lists places differs from editor to editor.
    lens.command = types.Command(f"{count} reference{'' if count == 1 else 's'}", "")
    return lens
