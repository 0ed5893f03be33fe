"""Edits of documents that an editor has opened, once it was shown the first (`first_diagnostics.py`), until the server is loaded.

Loading takes half a second, in which somebody types on. Changes of the documents, and requests for their diagnostics, are
answered as they come. The server is given the documents as they are then, as if they had been opened so, and all other messages
as they came. From the first message on of which it is not certain what it means for a document, all about it are left to the
server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from analysis.documents.file_diagnostics import file_diagnostics
from analysis.text.source import Encoding
from boruna_ls.lsp.content_changes import changed
from boruna_ls.lsp.publication import array, documentation, framed_publication, report, result_id
from boruna_ls.lsp.rendering import Renderer
from boruna_ls.rendezvous.wire import TOUCHED
from boruna_ls.threads import for_editor
from boruna_ls.wire.frames import Frames, framed
from boruna_ls.workspace import Client, Host, Priority, ask
from boruna_ls.workspace.uris import path_of

if TYPE_CHECKING:
    from boruna_ls.lsp.greeting import Begun

MOST_READ: Final = 4 << 20
LONGEST: Final = 2_000_000
"""Bytes that are read, and characters of a document, beyond which the server does all of it."""
_PATIENCE: Final = 3.0
"""Seconds that a check may take; then it is left to the server."""
_BLOCK: Final = 1 << 18
_CHANGE: Final = "textDocument/didChange"
_REQUEST: Final = "textDocument/diagnostic"
_log = logging.getLogger(__name__)


class Asked(NamedTuple):
    """A request for the report about a document: its bytes with their header, its id as JSON, the report that is known."""

    raw: bytes
    id: bytes
    previous: str | None

    @staticmethod
    def of(raw: bytes, message: dict[str, Any]) -> Asked | None:
        """A request, None for one that is not plain. Raises LookupError, TypeError or AttributeError for no request."""
        id_, previous = message["id"], message["params"].get("previousResultId")
        if not isinstance(id_, int | str) or isinstance(id_, bool) or not isinstance(previous, str | None):
            return None
        return Asked(raw, json.dumps(id_).encode(), previous)


class Document(NamedTuple):
    """A document: `raw` is the message that opened it, `params` are its parameters."""

    raw: bytes
    params: dict[str, Any]
    path: str
    uri: str
    version: int | None
    encoding: Encoding
    is_pulled: bool

    @staticmethod
    def of(raw: bytes, params: dict[str, Any], encoding: Encoding, is_pulled: bool) -> Document:
        """The document of a `didOpen`."""
        uri, version = params["textDocument"]["uri"], params["textDocument"].get("version")
        return Document(raw, params, path_of(uri), uri, version if isinstance(version, int) else None, encoding, is_pulled)

    async def open(self, host: Host, client: Client) -> None:
        """The host knows it from now on."""
        touched = self.params.get(TOUCHED)
        text = self.params["textDocument"]["text"]
        await for_editor(host.open, client, self.path, text, self.version, touched if isinstance(touched, int) else None)

    def opened_as(self, text: str) -> bytes:
        """A message that opens it with another text, which was typed just now."""
        document = {**self.params["textDocument"], "text": text, "version": self.version}
        params = {**self.params, "textDocument": document, TOUCHED: time.monotonic_ns()}
        return framed(json.dumps({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params}).encode())

    async def message(self, host: Host, client: Client, asked: Asked | None) -> bytes:
        """The message that shows its diagnostics, or answers a request for them; empty if that takes too long."""

        def job(host: Host) -> bytes:
            current = host.current(client, self.path)
            if current is None:
                return b""
            diagnostics = file_diagnostics(host.db, current.file)
            items = Renderer(self.uri, self.encoding, documentation).render(host.db, current.file, diagnostics, current.source)
            if asked is None:
                return framed_publication(self.uri, self.version, items)
            listed = array(items)
            result = report(listed, result_id(listed), asked.previous)
            return framed(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (asked.id, result))

        try:
            async with asyncio.timeout(_PATIENCE):
                return await asyncio.wrap_future(ask(host, job, Priority.TYPING, client.id))
        except TimeoutError:
            _log.info("the check of %s takes more than %.1f seconds", self.path, _PATIENCE)
            return b""


class EarlyEdits:
    """The messages of one editor until its server is loaded. `documents` are those that it has opened, the one shown first."""

    def __init__(self, host: Host, begun: Begun, documents: Sequence[Document], send: Callable[[bytes], None]) -> None:
        assert begun.client is not None
        self._host, self._begun, self._client, self._send = host, begun, begun.client, send
        self._frames = Frames()
        self._kept = [piece.raw for piece in self._frames.feed(begun.read)]
        self._size = len(begun.read)
        self._is_certain = True
        self._documents = {one.uri: one for one in documents if one.raw in self._kept}
        """Those of which it is certain what they are."""
        self._opened = {documents[0].uri}
        """Those that the host knows."""
        self._now: dict[bytes, bytes] = {}
        """By the message that opened a changed document: the one that opens it as it is now."""
        for raw in self._kept:
            self._leave_what_is_named(raw)

    async def follow(self, reader: asyncio.StreamReader, loading: asyncio.Future[Any]) -> Begun:
        """Answers until the server is loaded; what it needs to go on."""
        reading: asyncio.Task[bytes] | None = None
        while not loading.done() and self._size < MOST_READ:
            reading = reading or asyncio.ensure_future(reader.read(_BLOCK))
            await asyncio.wait((reading, loading), return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                data, reading = reading.result(), None
                if not data:
                    break
                await self._take(data)
        if reading is not None:
            reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._take(await reading)
        await loading
        read = b"".join(self._now.get(raw, raw) for raw in self._kept)
        return self._begun._replace(read=read + self._frames.rest())

    async def _take(self, data: bytes) -> None:
        self._size += len(data)
        for piece in self._frames.feed(data):
            try:
                is_answered = self._is_certain and await self._is_answered(piece.raw, piece.body)
            except Exception:
                _log.exception("the edits of an editor are left to its server")
                self._is_certain = is_answered = False
            if not is_answered:
                self._kept.append(piece.raw)

    async def _is_answered(self, raw: bytes, body: bytes | None) -> bool:
        """True if nothing of a message is left for the server."""
        message = json.loads((body or b"{}").decode())
        method, params = message.get("method", ""), message.get("params")
        document = self._documents.get(params["textDocument"]["uri"]) if method in (_CHANGE, _REQUEST) else None
        if document is not None and method == _CHANGE and await self._change(document, params):
            return True
        if document is not None and method == _REQUEST and document.is_pulled and (asked := Asked.of(raw, message)) is not None:
            await self._open(document)
            if await self._tell(document, asked):
                return True
        # A later edit would change what this message is about.
        if document is not None:
            self._documents.pop(document.uri, None)
        self._leave_what_is_named(raw)
        self._is_certain = method == _CHANGE or not method.startswith(("textDocument/did", "workspace/", "$/", "exit"))
        return False

    def _leave_what_is_named(self, raw: bytes) -> None:
        """Leaves the documents that a message is about to the server."""
        for uri, document in [*self._documents.items()]:
            if raw != document.raw and json.dumps(uri).encode() in raw:
                del self._documents[uri]

    async def _open(self, document: Document) -> None:
        if document.uri not in self._opened:
            self._opened.add(document.uri)
            await document.open(self._host, self._client)

    async def _change(self, document: Document, params: dict[str, Any]) -> bool:
        await self._open(document)
        buffer = self._host.buffer(self._client, document.path)
        if buffer is None:
            return False
        text, given = buffer.source, params["textDocument"].get("version")
        for change in params["contentChanges"]:
            text, _ = changed(text, change, document.encoding)
        if len(text.text) > LONGEST or (document.is_pulled and "import" in text.text):
            return False
        document = document._replace(version=given if isinstance(given, int) else None)
        self._host.change(self._client, document.path, text, document.version)
        self._documents[document.uri] = document
        self._now[document.raw] = document.opened_as(text.text)
        if not document.is_pulled:
            await self._tell(document, None)
        return True

    async def _tell(self, document: Document, asked: Asked | None) -> bool:
        message = await document.message(self._host, self._client, asked)
        if message:
            self._send(message)
        else:
            self._documents.pop(document.uri, None)
        if asked is None:
            self._begun = self._begun._replace(shown={**self._begun.shown, document.path: message})
        return bool(message)
