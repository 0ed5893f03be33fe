"""textDocument/diagnostic and workspace/diagnostic: the diagnostics when the editor asks for them.

The report about a library has those about the open documents that import it, for editors that know related documents: an
edit of it changes what is said about them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Final

from lsprotocol import types

from analysis.documents.file_names import is_document
from analysis.inputs import FileId
from analysis.semantics.imports import imported_files
from boruna_ls.answers.digest import EVERY, digest
from boruna_ls.lsp.publication import report, result_id
from boruna_ls.lsp.raw import RawJson
from boruna_ls.lsp.session import Session
from boruna_ls.workspace import FileUnavailable, Host, Priority
from boruna_ls.workspace.uris import path_of

_PRIORITY: Final = Priority.WORKSPACE
_TOGETHER: Final = 32
"""Files whose reports are sent in one partial result."""
_MOST_RELATED: Final = 20
"""Documents that a report about another one speaks of; the rest is asked for by the editor, as always."""
OPTIONS: Final = types.DiagnosticOptions(identifier="boruna", inter_file_dependencies=True, workspace_diagnostics=True)


def document(session: Session, params: types.DocumentDiagnosticParams) -> RawJson:
    """The report about one document; a file that cannot be read has no diagnostics."""
    try:
        file = session.file(params.text_document.uri)
    except FileUnavailable:
        return RawJson(report(b"[]", result_id(b"[]"), params.previous_result_id))
    items = session.connection.diagnostics.items(session, file)
    answer = report(items, result_id(items), params.previous_result_id)
    related = _related(session, file) if session.supports("text_document.diagnostic.related_document_support") else []
    if related:
        answer = answer[:-1] + b',"relatedDocuments":{' + b",".join(related) + b"}}"
    return RawJson(answer)


def _related(session: Session, file: FileId) -> list[bytes]:
    """The reports about the open documents that import a file, each behind its URI."""
    reports: list[bytes] = []
    for path in session.host.open_paths(session.client):
        session.host.checkpoint()
        if is_document(path) or len(reports) >= _MOST_RELATED:
            continue
        other = session.host.file_for_editor(session.client, path)
        if other.path != file.path and any(imported.path == file.path for imported in imported_files(session.db, other)):
            items = session.connection.diagnostics.items(session, other)
            reports.append(json.dumps(session.uri(path)).encode() + b":" + report(items, result_id(items), None))
    return reports


async def workspace(session: Session, params: types.WorkspaceDiagnosticParams) -> RawJson:
    """The reports about all files of the client's folders and all open documents: of one moment, in one answer.

    A client that wants partial results gets them as they are found.
    """
    previous = {path_of(previous_id.uri): previous_id.value for previous_id in params.previous_result_ids}
    token = params.partial_result_token
    if token is None:
        reports = await session.computed(lambda host: _reports(session.at(host), session.at(host).paths(), previous), _PRIORITY)
        return RawJson(_answer(reports))
    paths = await session.computed(lambda host: session.at(host).paths(), _PRIORITY)
    for first in range(0, len(paths), _TOGETHER):
        group = paths[first : first + _TOGETHER]
        reports = await session.computed(partial(_reports_at, session, group, previous), _PRIORITY)
        if reports:
            head = json.dumps({"jsonrpc": "2.0", "method": types.PROGRESS})[:-1].encode()
            session.connection.send(
                b'%b, "params": {"token": %b, "value": %b}}' % (head, json.dumps(token).encode(), _answer(reports))
            )
    return RawJson(_answer([]))


def _answer(reports: Iterable[bytes]) -> bytes:
    return b'{"items":[' + b",".join(reports) + b"]}"


def _reports_at(session: Session, paths: list[str], previous: Mapping[str, str], host: Host) -> list[bytes]:
    return _reports(session.at(host), paths, previous)


def _reports(session: Session, paths: list[str], previous: Mapping[str, str]) -> list[bytes]:
    """On the worker. Files are read before the first of them is looked at."""
    host, client = session.host, session.client
    files: list[tuple[str, FileId]] = []
    for path in paths:
        host.checkpoint()
        with suppress(FileUnavailable):
            files.append((path, host.file_for_editor(client, path)))
    reports = []
    for path, file in files:
        host.checkpoint()
        opened = host.buffer(client, path)
        place = {"uri": session.uri(path), "version": opened.version if opened is not None else None}
        head = json.dumps(place)[1:-1].encode()
        if opened is None:
            # A file that is not open is rendered only if the client does not have its diagnostics yet.
            id_ = _id_of(session, file)
            items = b"" if id_ == previous.get(path) else session.connection.diagnostics.rendered(session, file)
        else:
            items = session.connection.diagnostics.items(session, file)
            id_ = result_id(items)
        reports.append(report(items, id_, previous.get(path), head))
    return reports


def _id_of(session: Session, file: FileId) -> str:
    """Names what is said about a file without rendering it; positions in any encoding follow from the text."""
    file_digest = digest(session.db, file, EVERY)
    return result_id(file_digest.name.encode() + session.host.freshness(file).sha256.encode() if file_digest.counts else b"")
