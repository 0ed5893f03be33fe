"""The diagnostics of the document that an editor edited last, before the server is loaded.

Loading the library of the protocol takes twice as long as loading what checks a program. So an editor that was greeted, and
sends what it has open (as each one does again after the end of a daemon), is shown what is wrong with one document first: it
is sent the diagnostics, or the report that it asks for. The server takes over the client of the host with the document in it,
reads the same bytes once more but for an answered request, and sends nothing twice. Whatever is unusual is left to the server.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any, Final

from analysis.text.source import Encoding
from boruna_ls.lsp.early_edits import LONGEST, MOST_READ, Asked, Document, EarlyEdits
from boruna_ls.lsp.greeting import Begun
from boruna_ls.rendezvous.wire import TOUCHED
from boruna_ls.threads import for_editor, let_editor_go
from boruna_ls.wire.frames import Frames
from boruna_ls.workspace import Client, Host
from boruna_ls.workspace.uris import is_file, path_of

_FIRST_DOCUMENT: Final = 0.05
_NEXT_DOCUMENT: Final = 0.002
"""Seconds for which a document is waited for: all of them come at once, if any."""
_WORDS: Final = (b"textDocument/did", b"textDocument/diagnostic", b"workspace/", b"$/cancelRequest")
_log = logging.getLogger(__name__)


async def show_first(
    host: Host, begun: Begun, reader: asyncio.StreamReader, send: Callable[[bytes], None], libs_dir: str | None
) -> Begun:
    """Sends the diagnostics of one document, if there is one; what the server needs to go on."""
    if begun.result is None:
        return begun
    seen = _Seen()
    begun = begun._replace(read=await _opened(begun.read, reader, seen))
    pulls = _pull_ability(begun.first)
    opened = {uri: (seen.opened[uri], params) for uri, params in seen.documents.items()}
    if pulls is not None:
        seen.keep_asked(bool(pulls.get("relatedDocumentSupport")))
    if not seen.documents:
        return begun
    client = host.connect(libs_dir=libs_dir)
    begun = begun._replace(client=client)
    last = max(seen.documents.values(), key=_touched)
    uri, encoding = last["textDocument"]["uri"], _encoding(begun.result or "")
    documents = {one: Document.of(raw, params, encoding, pulls is not None) for one, (raw, params) in opened.items()}
    document, asked = documents.pop(uri), None if pulls is None else seen.asked[uri]
    try:
        message = await _shown(host, client, begun, document, asked)
    except Exception:
        _log.exception("the first diagnostics of an editor are left to its server")
        return begun
    except asyncio.CancelledError:
        let_editor_go(host.disconnect, client)
        raise
    if not message:
        return begun
    send(message)
    if asked is not None:
        # Its bytes occur once: within other messages they would be escaped.
        begun = begun._replace(read=begun.read.replace(asked.raw, b"", 1))
    else:
        begun = begun._replace(shown={document.path: message})
    return begun._replace(edits=EarlyEdits(host, begun, (document, *documents.values()), send))


class _Seen:
    """What an editor has said up to now about documents, by URI."""

    def __init__(self) -> None:
        self.documents: dict[str, dict[str, Any]] = {}
        """The parameters of each `didOpen` whose document has not been changed since."""
        self.opened: dict[str, bytes] = {}
        """The messages that opened documents."""
        self.asked: dict[str, Asked] = {}
        """The requests about these documents that have not been taken back."""

    def note(self, raw: bytes, body: bytes) -> bool:
        """Notes a message; whether it leaves it certain what the diagnostics of the documents are."""
        if not any(word in body for word in _WORDS):
            return True
        try:
            message = json.loads(body.decode())
            method, params = message["method"], message["params"]
            if method == "textDocument/didOpen":
                document = params["textDocument"]
                if isinstance(document["uri"], str) and isinstance(document["text"], str) and len(document["text"]) <= LONGEST:
                    self.documents[document["uri"]], self.opened[document["uri"]] = params, raw
            elif method == "textDocument/diagnostic":
                asked, uri = Asked.of(raw, message), params["textDocument"]["uri"]
                if asked is not None and uri in self.documents:
                    self.asked[uri] = asked
            elif method.startswith("textDocument/did"):
                for kept in (self.documents, self.asked):
                    kept.pop(params["textDocument"]["uri"], None)
            return method not in ("workspace/didChangeWorkspaceFolders", "$/cancelRequest")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return False

    def keep_asked(self, with_related: bool) -> None:
        """Forgets the documents about which nothing is asked, or whose report would have more than they are about.

        `with_related`: a report can have those about documents that import its own.
        """
        imports = with_related and any("import" in document["textDocument"]["text"] for document in self.documents.values())
        self.documents = {} if imports else {uri: self.documents[uri] for uri in self.asked if uri in self.documents}


async def _opened(read: bytes, reader: asyncio.StreamReader, seen: _Seen) -> bytes:
    """All bytes read."""
    frames, data = Frames(), read
    while data:
        for piece in frames.feed(data):
            if piece.body is not None and not seen.note(piece.raw, piece.body):
                seen.documents.clear()
                return read
        if len(read) > MOST_READ:
            break
        try:
            async with asyncio.timeout(_NEXT_DOCUMENT if seen.documents else _FIRST_DOCUMENT):
                data = await reader.read(1 << 18)
        except TimeoutError:
            break
        read += data
    return read


def _touched(params: dict[str, Any]) -> int:
    """Time of a document's latest edit; 0 if unknown."""
    touched = params.get(TOUCHED)
    return touched if isinstance(touched, int) else 0


async def _shown(host: Host, client: Client, begun: Begun, document: Document, asked: Asked | None) -> bytes:
    await for_editor(host.work_in, client, _folders(begun.first))
    await document.open(host, client)
    return await document.message(host, client, asked)


def _pull_ability(params: dict[str, Any]) -> dict[str, Any] | None:
    """What an editor that pulls diagnostics says of that; None if it expects them to be pushed."""
    document = (params.get("capabilities") or {}).get("textDocument") or {}
    ability = document.get("diagnostic")
    return ability if ability is None or isinstance(ability, dict) else {}


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
