"""Diagnostics of documents: rendered for one editor, pushed after each change where the editor does not pull.

What computes runs on the worker. A push that a newer edit has made
obsolete is not sent, the newer edit's own follows.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b

from lsprotocol.types import TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS

from analysis.diagnostics.check import check_file
from analysis.inputs import FileId
from boruna_ls.data import diagnostics_folder
from boruna_ls.lsp.rendering import Renderer
from boruna_ls.lsp.runs import with_failure
from boruna_ls.lsp.session import Session
from boruna_ls.workspace import Priority
from boruna_ls.workspace.uris import uri_of


@lru_cache(maxsize=256)
def documentation(code: str) -> str | None:
    """The URI of the page about a code, if there is one."""
    page = diagnostics_folder() / f"{code}.md"
    return uri_of(str(page)) if page.is_file() else None


class Diagnostics:
    """The diagnostics of one editor's documents."""

    def __init__(self, session: Session, send: Callable[[bytes], None]) -> None:
        self._session = session
        self._send = send
        self._renderers: dict[str, Renderer] = {}
        self._queued: set[str] = set()
        self._published: dict[str, bytes] = {}
        self.is_pushing = True
        self.refresh: Callable[[], None] = lambda: None
        """Asks the editor to look at diagnostics and lenses again."""
        self.loop: asyncio.AbstractEventLoop | None = None

    # ---- on the event loop --------------------------------------------------------------------------------------

    def changed(self, path: str) -> None:
        """A document was opened or changed."""
        if self.is_pushing:
            self._queue(path, Priority.TYPING, always=True)

    def closed(self, path: str) -> None:
        """A document was closed: what the editor shows of it goes away."""
        self._renderers.pop(path, None)
        self._session.runs.forget(path)
        self._published.pop(path, None)
        if self.is_pushing:
            self._send(publication(self._session.uri(path), None, b"[]"))

    def run_ended(self, path: str) -> None:
        """A program was run: its failure is shown as long as the text stays, or is gone."""
        if self.is_pushing:
            self._queue(path, Priority.TYPING, always=True)
        self.refresh()

    def others_changed(self) -> None:
        """Something that all documents depend on has changed: a library, the settings."""
        if self.is_pushing:
            for path in self._session.host.open_paths(self._session.client):
                self._queue(path, Priority.DIAGNOSTICS, always=False)

    def _queue(self, path: str, priority: Priority, always: bool) -> None:
        if always and path in self._queued:
            return
        if always:
            self._queued.add(path)

        def job() -> None:
            if always:
                self._queued.discard(path)
            self._push(path, always)

        self._session.host.worker.launch(job, priority)

    def _deliver(self, path: str, edited: int, items: bytes, message: bytes, always: bool) -> None:
        """Sends what is still true and, unless it is about a change of the document itself, news."""
        buffer = self._session.host.buffer(self._session.client, path)
        if buffer is not None and buffer.edited == edited and (always or self._published.get(path) != items):
            self._published[path] = items
            self._send(message)

    # ---- on the worker ------------------------------------------------------------------------------------------

    def _push(self, path: str, always: bool) -> None:
        session = self._session
        seen = session.host.current(session.client, path)
        if seen is None:
            return
        items = self.items(seen.file)
        if self.loop is not None and not self.loop.is_closed():
            message = publication(session.uri(path), seen.version, items)
            self.loop.call_soon_threadsafe(self._deliver, path, seen.edited, items, message, always)

    def items(self, file: FileId) -> bytes:
        """The JSON array of a file's diagnostics."""
        session = self._session
        named, uri = session.host.spelled(session.client, file.path), session.uri(file.path)
        renderer = self._renderers.get(named)
        if renderer is None or renderer.uri != uri:
            renderer = self._renderers[named] = Renderer(session.db, uri, session.encoding, documentation)
        text = session.text(file)
        items = renderer.render(file, check_file(session.db, file), text)
        return with_failure(items, session.runs.of(named, text), uri, session.encoding)

    def rendered(self, session: Session, file: FileId) -> bytes:
        """The same for a file that is not open, or seen from a snapshot: nothing of it is kept."""
        renderer = Renderer(session.db, session.uri(file.path), session.encoding, documentation)
        return renderer.render(file, check_file(session.db, file), session.text(file))


def result_id(items: bytes) -> str:
    """Names a list of diagnostics: equal lists have equal names, also after a reconnect."""
    return blake2b(items, digest_size=12).hexdigest()


def publication(uri: str, version: int | None, items: bytes) -> bytes:
    """The message that shows these diagnostics of a document."""
    known = b"" if version is None else b'"version":%d,' % version
    return b'{"jsonrpc":"2.0","method":"%b","params":{"uri":%b,%b"diagnostics":%b}}' % (
        TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS.encode(),
        json.dumps(uri).encode(),
        known,
        items,
    )
