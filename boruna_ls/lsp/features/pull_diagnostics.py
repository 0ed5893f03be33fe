"""textDocument/diagnostic and workspace/diagnostic: the diagnostics when the editor asks for them."""

from __future__ import annotations

import json
from functools import partial
from typing import Final

from lsprotocol import types

from boruna_ls.lsp.diagnostics import result_id
from boruna_ls.lsp.raw import RawJson
from boruna_ls.lsp.session import Session
from boruna_ls.workspace import FileUnavailable, Priority
from boruna_ls.workspace.uris import path_of

OPTIONS: Final = types.DiagnosticOptions(identifier="boruna", inter_file_dependencies=True, workspace_diagnostics=True)


def document(session: Session, params: types.DocumentDiagnosticParams) -> RawJson:
    """The report about one document; a file that cannot be read has no findings."""
    try:
        items = session.diagnostics.items(session.file(params.text_document.uri))
    except FileUnavailable:
        items = b"[]"
    return RawJson(_report(items, params.previous_result_id))


async def workspace(session: Session, params: types.WorkspaceDiagnosticParams) -> RawJson:
    """The reports about all files of the client's folders and all open documents.

    Each file is a job of its own in the background, so that whoever types is not kept waiting.
    """
    worker = session.host.worker
    previous = {path_of(known.uri): known.value for known in params.previous_result_ids}
    paths = await worker.run(partial(_paths, session), Priority.BACKGROUND)
    jobs = (partial(_workspace_report, session, path, previous.get(path)) for path in paths)
    reports = [await worker.run(job, Priority.BACKGROUND) for job in jobs]
    return RawJson(b'{"items":[' + b",".join(report for report in reports if report) + b"]}")


def _paths(session: Session) -> list[str]:
    paths = dict.fromkeys(session.host.open_paths(session.client))
    for folder in session.client.folders:
        paths |= dict.fromkeys(session.host.spelled(session.client, path) for path in session.host.files(folder))
    return list(paths)


def _workspace_report(session: Session, path: str, previous: str | None) -> bytes:
    host, client = session.host, session.client
    while True:
        seen = host.current(client, path)
        try:
            items = session.diagnostics.items(host.file_for_editor(client, path) if seen is None else seen.file)
        except FileUnavailable:
            return b""
        now = host.buffer(client, path)
        if (now and now.edited) == (seen and seen.edited):
            break
    place = {"uri": session.uri(path), "version": seen.version if seen is not None else None}
    return _report(items, previous, json.dumps(place)[1:-1].encode())


def _report(items: bytes, previous: str | None, place: bytes = b"") -> bytes:
    id_ = result_id(items)
    head = b"{" + (place + b"," if place else b"")
    if id_ == previous:
        return head + b'"kind":"unchanged","resultId":"%b"}' % id_.encode()
    return head + b'"kind":"full","resultId":"%b","items":%b}' % (id_.encode(), items)
