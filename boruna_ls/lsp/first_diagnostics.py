"""The diagnostics of the document that an editor edited last, before the server is loaded.

Loading the library of the protocol takes twice as long as loading what checks a program. So an editor that was greeted, and
sends what it has open (as each one does again after the end of a daemon), is shown what is wrong with one document first. The
server takes over the client of the host with the document in it, reads the same bytes once more, and sends nothing twice.
Whatever is unusual is left to the server.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from typing import Any, Final

from analysis.documents.check import file_diagnostics
from analysis.text import Encoding
from boruna_ls.lsp.greeting import Begun
from boruna_ls.lsp.publication import documentation, framed_publication
from boruna_ls.lsp.rendering import Renderer
from boruna_ls.rendezvous.wire import TOUCHED
from boruna_ls.threads import for_editor
from boruna_ls.wire.frames import Frames
from boruna_ls.workspace import Client, Host, Priority, ask
from boruna_ls.workspace.uris import is_file, path_of

_FIRST_DOCUMENT: Final = 0.05
_NEXT_DOCUMENT: Final = 0.002
"""Seconds for which a document is waited for: all of them come at once, if any."""
_MOST_READ: Final = 4 << 20
_LONGEST: Final = 2_000_000
"""Bytes that are read, and characters of a document, beyond which the server does all of it."""
_PATIENCE: Final = 3.0
"""Seconds that the check may take before the server is loaded all the same."""
_log = logging.getLogger(__name__)


async def show_first(
    host: Host, begun: Begun, reader: asyncio.StreamReader, send: Callable[[bytes], None], libs_dir: str | None
) -> Begun:
    """Sends the diagnostics of one document, if there is one; what the server needs to go on."""
    if begun.result is None or not _is_pushed_to(begun.first):
        return begun
    read, documents = await _opened(begun.read, reader)
    begun = begun._replace(read=read)
    if not documents:
        return begun
    client = host.connect(libs_dir=libs_dir)
    begun = begun._replace(client=client)
    try:
        path, message = await _checked(host, client, begun, max(documents, key=_touched))
    except Exception:
        _log.exception("the first diagnostics of an editor are left to its server")
        return begun
    except asyncio.CancelledError:
        host.disconnect(client)
        raise
    if message:
        send(message)
    return begun._replace(shown={path: message} if message else {})


async def _opened(read: bytes, reader: asyncio.StreamReader) -> tuple[bytes, list[dict[str, Any]]]:
    """All bytes read, and the parameters of each `didOpen` in them whose document has not been changed since."""
    frames, data = Frames(), read
    documents: dict[str, dict[str, Any]] = {}
    while data:
        for piece in frames.feed(data):
            if piece.body is not None and not _noted(piece.body, documents):
                return read, []
        if len(read) > _MOST_READ:
            break
        try:
            async with asyncio.timeout(_NEXT_DOCUMENT if documents else _FIRST_DOCUMENT):
                data = await reader.read(1 << 18)
        except TimeoutError:
            break
        read += data
    return read, list(documents.values())


def _noted(body: bytes, documents: dict[str, dict[str, Any]]) -> bool:
    """Notes an opened document; whether the message leaves it certain what the diagnostics of the documents are."""
    if b"textDocument/did" not in body and b"workspace/" not in body:
        return True
    try:
        message = json.loads(body.decode())
        method, params = message["method"], message["params"]
        if method == "textDocument/didOpen":
            document = params["textDocument"]
            if isinstance(document["uri"], str) and isinstance(document["text"], str) and len(document["text"]) <= _LONGEST:
                documents[document["uri"]] = params
        elif method.startswith("textDocument/did"):
            documents.pop(params["textDocument"]["uri"], None)
        return bool(method != "workspace/didChangeWorkspaceFolders")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return False


def _touched(params: dict[str, Any]) -> int:
    """Time of a document's latest edit; 0 if unknown."""
    touched = params.get(TOUCHED)
    return touched if isinstance(touched, int) else 0


async def _checked(host: Host, client: Client, begun: Begun, params: dict[str, Any]) -> tuple[str, bytes]:
    """The path of a document and the message that shows its diagnostics; an empty one if that takes too long."""
    document, touched = params["textDocument"], params.get(TOUCHED)
    uri, text, given = document["uri"], document["text"], document.get("version")
    path, version = path_of(uri), given if isinstance(given, int) else None
    encoding = _encoding(begun.result or "")
    await for_editor(host.work_in, client, _folders(begun.first))
    await for_editor(host.open, client, path, text, version, touched if isinstance(touched, int) else None)

    def job(host: Host) -> bytes:
        current = host.current(client, path)
        if current is None:
            return b""
        diagnostics = file_diagnostics(host.db, current.file)
        items = Renderer(uri, encoding, documentation).render(host.db, current.file, diagnostics, current.source)
        return framed_publication(uri, version, items)

    since = time.monotonic()
    try:
        async with asyncio.timeout(_PATIENCE):
            return path, await asyncio.wrap_future(ask(host, job, Priority.TYPING, client.id))
    except TimeoutError:
        _log.info("the check of %s takes more than %.1f seconds", path, time.monotonic() - since)
        return path, b""


def _is_pushed_to(params: dict[str, Any]) -> bool:
    """True if the editor expects pushed diagnostics; others pull them."""
    document = (params.get("capabilities") or {}).get("textDocument") or {}
    return document.get("diagnostic") is None


def _folders(params: dict[str, Any]) -> list[str]:
    folders = [path_of(folder["uri"]) for folder in params.get("workspaceFolders") or []]
    if not folders and params.get("rootUri"):
        folders = [path_of(params["rootUri"])]
    if not folders and params.get("rootPath"):
        folders = [params["rootPath"]]
    return [folder for folder in folders if is_file(folder)]


def _encoding(result: str) -> Encoding:
    """Position encoding that the editor got in its answer to `initialize`."""
    return Encoding(json.loads(result)["capabilities"].get("positionEncoding", Encoding.UTF16))
