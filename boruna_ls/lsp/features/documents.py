"""Features of documents that are not programs: the same requests, answered by `analysis/documents/`."""

from __future__ import annotations

import asyncio
import os
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from analysis.documents import features
from analysis.documents.completions import Around, Offer
from analysis.ide.rename import Refusal
from analysis.inputs import FileId
from analysis.text.source import Source
from boruna_ls.lsp.features.commands import WORKFLOW
from boruna_ls.lsp.session import Session
from boruna_ls.workspace import FileUnavailable, Host
from boruna_ls.workspace.roots import is_inside

MOST_PROGRAMS: Final = 500
"""Programs of a folder that completion offers."""
_SYMBOLS: Final = {
    "table": types.SymbolKind.Object,
    "list": types.SymbolKind.Array,
    "text": types.SymbolKind.String,
    "number": types.SymbolKind.Number,
    "flag": types.SymbolKind.Boolean,
    "step": types.SymbolKind.Function,
}
_SNIPPETS: Final = "text_document.completion.completion_item.snippet_support"


def _position(session: Session, params: Any) -> tuple[FileId, Source, int]:
    file = session.file(params.text_document.uri)
    text = session.text(file)
    return file, text, session.offset(text, params.position)


def hover(session: Session, params: types.HoverParams) -> types.Hover | None:
    file, text, offset = _position(session, params)
    description = features.hover(session.db, file, offset)
    if description is None:
        return None
    return types.Hover(
        types.MarkupContent(types.MarkupKind.Markdown, description.markdown), session.range(text, description.span)
    )


def references(session: Session, params: types.ReferenceParams) -> list[types.Location]:
    file, _, offset = _position(session, params)
    spans = features.references(session.db, file, offset, params.context.include_declaration)
    return [session.location(file, span) for span in spans]


def highlights(session: Session, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    file, text, offset = _position(session, params)
    return [types.DocumentHighlight(session.range(text, span)) for span in features.references(session.db, file, offset)]


def prepare_rename(session: Session, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder:
    file, text, offset = _position(session, params)
    prepared = features.prepare_rename(session.db, file, offset)
    if isinstance(prepared, Refusal):
        raise _refused(prepared)
    return types.PrepareRenamePlaceholder(session.range(text, prepared.span), prepared.placeholder)


def rename(session: Session, params: types.RenameParams) -> types.WorkspaceEdit:
    file, _, offset = _position(session, params)
    renamed = features.rename(session.db, file, offset, params.new_name)
    if isinstance(renamed, Refusal):
        raise _refused(renamed)
    return session.workspace_edit({file: renamed})


def links(session: Session, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    text = session.text(file := session.file(params.text_document.uri))
    return [
        types.DocumentLink(session.range(text, link.span), session.uri(link.file.path))
        for link in features.links(session.db, file)
    ]


def symbols(session: Session, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """A tree for editors that know trees, a flat list for others."""
    text = session.text(file := session.file(params.text_document.uri))
    outlines = features.outline(session.db, file)
    if session.supports("text_document.document_symbol.hierarchical_document_symbol_support"):
        return [_tree(session, text, each) for each in outlines]
    return [flat for each in outlines for flat in _flat(session, text, params.text_document.uri, each, None)]


def _tree(session: Session, text: Source, each: features.Outline) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=each.name or '""',
        kind=_SYMBOLS.get(each.kind, types.SymbolKind.Null),
        range=session.range(text, each.span),
        selection_range=session.range(text, each.name_span),
        detail=each.detail or None,
        children=[_tree(session, text, child) for child in each.children],
    )


def _flat(
    session: Session, text: Source, uri: str, each: features.Outline, container: str | None
) -> list[types.SymbolInformation]:
    kind = _SYMBOLS.get(each.kind, types.SymbolKind.Null)
    place = types.Location(uri, session.range(text, each.span))
    own = types.SymbolInformation(place, each.name or '""', kind, container_name=container)
    return [own, *(flat for child in each.children for flat in _flat(session, text, uri, child, each.name))]


async def code_lens(session: Session, params: types.CodeLensParams) -> list[types.CodeLens]:
    """Run at a workflow; at its runs that wait Resume, and Approve and Reject at the gates."""
    uri = params.text_document.uri

    def place(host: Host) -> types.Range | None:
        there = session.at(host)
        try:
            file = there.file(uri)
        except FileUnavailable:
            return None
        span = features.runnable(there.db, file)
        return there.range(there.text(file), span) if span is not None else None

    top = await session.computed(place)
    if top is None:
        return []
    lenses = [_lens(top, "Run", uri, {"do": "run"})]
    # Now: most editors never see a workflow.
    from boruna_ls.lsp import workflow_runs
    from boruna_ls.lsp.run_lenses import RunLenses

    paused = await asyncio.to_thread(workflow_runs.paused_runs)
    session.part(RunLenses, session).follow(paused)
    if not paused:
        return lenses

    def find(host: Host) -> tuple[list[str], dict[str, types.Range]]:
        there = session.at(host)
        try:
            file = there.file(uri)
        except FileUnavailable:
            return [], {}
        text = there.text(file)
        definition = features.identity(there.db, file)
        places = {name: there.range(text, span) for name, span in features.parts(there.db, file).items()}
        return [each.run_id for each in paused if each.is_of(file.path, definition)], places

    runs, places = await session.computed(find)
    for run, gates in await asyncio.to_thread(workflow_runs.gates, runs) if runs else ():
        short = run[:8]
        lenses.append(_lens(top, f"Resume {short}", uri, {"do": "resume", "run": run}))
        for gate in gates:
            at = places.get(gate, top)
            lenses.append(_lens(at, f"Approve ({short})", uri, {"do": "approve", "run": run, "step": gate}))
            lenses.append(_lens(at, f"Reject ({short})", uri, {"do": "reject", "run": run, "step": gate}))
    return lenses


def _lens(place: types.Range, title: str, uri: str, asked: dict[str, str]) -> types.CodeLens:
    return types.CodeLens(place, types.Command(title, WORKFLOW, arguments=[uri, asked]))


def completion(session: Session, params: types.CompletionParams) -> types.CompletionList:
    """Names of fields with an empty value behind them, and values; the quotes around a text are replaced with it."""
    file, text, offset = _position(session, params)
    folder = os.path.dirname(file.path)
    programs = []
    if file.workspace:
        below = (path for path in session.host.files(file.workspace) if is_inside(path, folder))
        programs = sorted(os.path.relpath(path, folder).replace(os.sep, "/") for path in below)[:MOST_PROGRAMS]
    offered = features.offers(session.db, file, offset, Around(tuple(programs)))
    place = session.range(text, offered.slot.span)
    can_stop = session.supports(_SNIPPETS)
    items = [_item(offer, number, place, can_stop) for number, offer in enumerate(offered.offers)]
    return types.CompletionList(is_incomplete=False, items=items)


def _item(offer: Offer, number: int, place: types.Range, can_stop: bool) -> types.CompletionItem:
    is_snippet = offer.is_snippet and can_stop
    insert = offer.insert if is_snippet or not offer.is_snippet else features.without_stops(offer.insert)
    return types.CompletionItem(
        label=offer.label,
        kind=types.CompletionItemKind.Property if offer.is_name else types.CompletionItemKind.Value,
        detail=offer.detail or None,
        documentation=types.MarkupContent(types.MarkupKind.Markdown, offer.documentation) if offer.documentation else None,
        sort_text=f"{number:04}",
        # Editors compare what they replace with this, quotes included.
        filter_text=f'"{offer.label}"' if offer.insert.startswith('"') else offer.label,
        text_edit=types.TextEdit(place, insert),
        insert_text_format=types.InsertTextFormat.Snippet if is_snippet else types.InsertTextFormat.PlainText,
    )


def _refused(refusal: Refusal) -> JsonRpcException:
    return JsonRpcException(refusal.reason, types.LSPErrorCodes.RequestFailed.value)
