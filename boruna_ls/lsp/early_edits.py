"""Edits of the document that an editor was shown first (`first_diagnostics.py`), while the library of the protocol is loaded.

Loading takes half a second, in which somebody types on. The document's changes, and requests for its diagnostics, are answered
as they come. The server is given the document as it is then, as if it had been opened so, and all other messages as they came.
From the first message on of which it is not certain what it means for the document, all are left to the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from analysis.documents.check import file_diagnostics
from analysis.text import Encoding, Source
from boruna_ls.lsp.content_changes import changed
from boruna_ls.lsp.publication import array, documentation, framed_publication, report, result_id
from boruna_ls.lsp.rendering import Renderer
from boruna_ls.rendezvous.wire import TOUCHED
from boruna_ls.wire.frames import Frames, framed
from boruna_ls.workspace import Client, Host, Priority, ask

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
    """The document that was shown: `raw` is the message that opened it, `params` are its parameters."""

    raw: bytes
    params: dict[str, Any]
    path: str
    uri: str
    version: int | None
    encoding: Encoding
    is_pulled: bool

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
            found = array(items)
            result = report(found, result_id(found), asked.previous)
            return framed(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (asked.id, result))

        try:
            async with asyncio.timeout(_PATIENCE):
                return await asyncio.wrap_future(ask(host, job, Priority.TYPING, client.id))
        except TimeoutError:
            _log.info("the check of %s takes more than %.1f seconds", self.path, _PATIENCE)
            return b""


class EarlyEdits:
    """The messages of one editor until its server is loaded."""

    def __init__(self, host: Host, begun: Begun, document: Document, send: Callable[[bytes], None]) -> None:
        self._host, self._begun, self._document, self._send = host, begun, document, send
        self._frames = Frames()
        self._kept = [piece.raw for piece in self._frames.feed(begun.read)]
        self._size = len(begun.read)
        self._text: Source | None = None
        """The text after the changes that were made here; None if there were none."""
        self._touched = 0
        self._is_certain = self._document.raw in self._kept and not any(map(self._is_about_it, self._kept))

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
        return self._begun._replace(read=b"".join(map(self._as_it_is_now, self._kept)) + self._frames.rest())

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
        is_its = method in (_CHANGE, _REQUEST) and params["textDocument"]["uri"] == self._document.uri
        if is_its and method == _CHANGE:
            return await self._change(params)
        if is_its and self._document.is_pulled and (asked := Asked.of(raw, message)) is not None:
            return await self._tell(asked)
        # A later edit would change what this message is about.
        self._is_certain = not (self._is_about_it(raw) or method.startswith(("textDocument/did", "workspace/", "$/", "exit")))
        return False

    async def _change(self, params: dict[str, Any]) -> bool:
        host, client, document = self._host, self._begun.client, self._document
        buffer = None if client is None else host.buffer(client, document.path)
        if client is None or buffer is None:
            self._is_certain = False
            return False
        text, given = buffer.source, params["textDocument"].get("version")
        for change in params["contentChanges"]:
            text, _ = changed(text, change, document.encoding)
        if len(text.text) > LONGEST or (document.is_pulled and "import" in text.text):
            self._is_certain = False
            return False
        version = given if isinstance(given, int) else None
        host.change(client, document.path, text, version)
        self._document, self._text, self._touched = document._replace(version=version), text, time.monotonic_ns()
        if not document.is_pulled:
            await self._tell(None)
        return True

    async def _tell(self, asked: Asked | None) -> bool:
        assert self._begun.client is not None
        message = await self._document.message(self._host, self._begun.client, asked)
        if message:
            self._send(message)
        else:
            self._is_certain = False
        if asked is None:
            self._begun = self._begun._replace(shown={self._document.path: message} if message else {})
        return bool(message)

    def _is_about_it(self, raw: bytes) -> bool:
        return raw != self._document.raw and json.dumps(self._document.uri).encode() in raw

    def _as_it_is_now(self, raw: bytes) -> bytes:
        """A message that was kept; the one that opened the document has its text and version of now."""
        if self._text is None or raw != self._document.raw:
            return raw
        opened = {**self._document.params["textDocument"], "text": self._text.text, "version": self._document.version}
        params = {**self._document.params, "textDocument": opened, TOUCHED: self._touched}
        return framed(json.dumps({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params}).encode())
