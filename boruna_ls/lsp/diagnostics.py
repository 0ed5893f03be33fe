"""Diagnostics of documents: rendered for one editor, pushed after each change where the editor does not pull.

What computes runs on the worker. Diagnostics that a newer edit has outdated are not sent, unless nothing was sent for a while:
somebody who types faster than a check ends gets the diagnostics of the text a moment ago. Some wait for a pause (`pausing.py`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple

from analysis.diagnostics.check import FileDiagnostics
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.documents.file_diagnostics import file_diagnostics
from analysis.inputs import FileId
from boruna_ls.lsp.pausing import Published, keys, waiting, without
from boruna_ls.lsp.protocol import Protocol
from boruna_ls.lsp.publication import array, documentation, framed_publication, publication
from boruna_ls.lsp.rendering import Renderer
from boruna_ls.lsp.runs import failure_of
from boruna_ls.lsp.session import Session, Typed
from boruna_ls.workspace import Host, Priority, ask
from boruna_ls.workspace.precedence import Hold
from boruna_ls.workspace.worker import log_failure

_OUTDATED_AFTER: Final = 0.1
"""Seconds without a publication after which one about an older text is sent: during long typing the user sees progress."""


class _Computed(NamedTuple):
    """The diagnostics of a document as it was after the edit `edited`; `message` publishes them, with its header."""

    opened: int
    edited: int
    items: list[bytes]
    message: bytes
    published: Published


class Diagnostics:
    """The diagnostics of one editor's documents."""

    def __init__(self, session: Session, protocol: Protocol, shown: Mapping[str, bytes]) -> None:
        """`shown` are diagnostics sent before this server was loaded, by path: equal ones are not sent again."""
        self._session = session
        self._protocol = protocol
        self._renderers: dict[str, Renderer] = {}
        self._busy: dict[str, int] = {}
        """Number of the edit for which a document's current computation was started, by path."""
        self._published: dict[str, tuple[list[bytes], Published]] = {}
        self._sent: dict[str, float] = {}
        self._pause: asyncio.TimerHandle | None = None
        self._shown = dict(shown)

    @property
    def is_pushing(self) -> bool:
        """True unless the editor pulls the diagnostics of its documents."""
        document = self._session.capabilities.text_document
        return document is None or document.diagnostic is None

    # ---- on the event loop --------------------------------------------------------------------------------------

    def changed(self, path: str) -> None:
        """A document was opened or changed."""
        if self.is_pushing:
            self._queue(path)

    def closed(self, path: str) -> None:
        """A document was closed: what the editor shows of it goes away."""
        self._renderers.pop(path, None)
        self._session.runs.forget(path)
        self._published.pop(path, None)
        self._sent.pop(path, None)
        self._shown.pop(path, None)
        if self.is_pushing:
            self._protocol.send_bytes(publication(self._session.uri(path), None, b"[]"))

    def run_ended(self, path: str) -> None:
        """A program was run: shows its failure until the text changes, or removes an earlier one."""
        if self.is_pushing:
            self._queue(path)
        self._session.connection.refresh_views()

    def others_changed(self, does_depend: Callable[[str], bool] = lambda path: True) -> None:
        """Something has changed on which what is open depends, or part of it: a library, the settings, a file that is named."""
        if self.is_pushing:
            for path in filter(does_depend, self._session.host.open_paths(self._session.client)):
                self._compute(path, Priority.DIAGNOSTICS, self._others_did)

    def _queue(self, path: str) -> None:
        """Compute and send a document's diagnostics; while that is under way, further edits wait for its end."""
        if path in self._busy:
            return
        buffer = self._session.host.buffer(self._session.client, path)
        self._busy[path] = buffer.edited if buffer is not None else 0
        hold = self._session.host.shared.precedence.take()
        self._compute(path, Priority.TYPING, partial(self._typed_behind, hold))

    def _compute(self, path: str, priority: Priority, then: Callable[[str, _Computed | None], None]) -> None:
        session, loop = self._session, asyncio.get_running_loop()

        def ended(future: Future[_Computed | None]) -> None:
            log_failure(future)
            failed = future.cancelled() or future.exception() is not None
            if not loop.is_closed():
                with suppress(RuntimeError):  # it is closed just now
                    loop.call_soon_threadsafe(then, path, None if failed else future.result())

        ask(session.host, partial(self._computed, path), priority, session.client.id).add_done_callback(ended)

    def _typed_behind(self, hold: Hold, path: str, computed: _Computed | None) -> None:
        """Agents go on when what was typed is answered."""
        try:
            self._typed(path, computed)
        finally:
            hold.end()

    def _typed(self, path: str, computed: _Computed | None) -> None:
        """A document was edited: its diagnostics are sent unless they are about an older text and others were sent just now."""
        begun_for = self._busy.pop(path, 0)
        buffer = self._session.host.buffer(self._session.client, path)
        if buffer is None:
            return
        if computed is None:
            # It failed, or found the document closed that is open again now.
            if buffer.edited != begun_for:
                self._queue(path)
            return
        is_outdated = buffer.edited != computed.edited
        is_due = computed.opened == buffer.opened and time.monotonic() - self._sent.get(path, 0.0) >= _OUTDATED_AFTER
        if not is_outdated or is_due:
            self._deliver(path, computed)
        if is_outdated:
            self._queue(path)

    def _others_did(self, path: str, computed: _Computed | None) -> None:
        """The diagnostics of a document on which something else had influence: sent if they are true and news."""
        buffer = self._session.host.buffer(self._session.client, path)
        if buffer is not None and computed is not None and buffer.edited == computed.edited:
            published = self._published.get(path)
            if published is None or published[0] != computed.items:
                self._deliver(path, computed)

    def _deliver(self, path: str, computed: _Computed) -> None:
        self._published[path] = computed.items, computed.published
        self._sent[path] = time.monotonic()
        if not self._shown or self._shown.pop(path, None) != computed.message:
            self._protocol.send_framed(computed.message)
        typed = self._session.typed
        if computed.published.waiting and typed.path == path:
            if self._pause is not None:
                self._pause.cancel()
            left = typed.when + self._session.settings.pause / 1000 - time.monotonic()
            self._pause = asyncio.get_running_loop().call_later(max(left, 0.0), self._paused, typed)

    def _paused(self, typed: Typed) -> None:
        """Show the diagnostics that waited for a pause, unless there was another keystroke: that one has its own pause."""
        if self._session.finish_typing(typed):
            self._compute(typed.path, Priority.TYPING, self._others_did)

    # ---- on the worker ------------------------------------------------------------------------------------------

    def _computed(self, path: str, host: Host) -> _Computed | None:
        # Asked before the text is looked at: of the text that is found, this is what was typed last.
        session, typed = self._session.at(host), self._session.typed
        current = host.current(session.client, path)
        if current is None:
            return None
        file, left_out = current.file, list[Diagnostic]()
        diagnostics = file_diagnostics(session.db, file)
        if typed.text is current.source and typed.end >= 0 and session.settings.pause:
            published = self._published.get(path)
            left_out = waiting(
                session.db, current.source, typed.end, diagnostics, published[1] if published is not None else None
            )
        items = self._rendered(session, file, without(diagnostics, left_out))
        message = framed_publication(session.uri(path), current.version, items)
        return _Computed(current.opened, current.edited, items, message, Published(diagnostics, keys(left_out)))

    def items(self, session: Session, file: FileId) -> bytes:
        """The JSON array of the diagnostics of a file that is open, as the session or a snapshot of it sees the file."""
        return array(self._rendered(session, file, file_diagnostics(session.db, file)))

    def _rendered(self, session: Session, file: FileId, diagnostics: FileDiagnostics) -> list[bytes]:
        named, uri = session.host.spelled(session.client, file.path), session.uri(file.path)
        renderer = self._renderers.get(named)
        if renderer is None or renderer.uri != uri:
            renderer = self._renderers[named] = Renderer(uri, session.encoding, documentation)
        text = session.text(file)
        items = renderer.render(session.db, file, diagnostics, text)
        return items + failure_of(session.runs.of(named, text), uri, session.encoding)

    def rendered(self, session: Session, file: FileId) -> bytes:
        """The same for a file that is not open, or seen from a snapshot: nothing of it is kept."""
        renderer = Renderer(session.uri(file.path), session.encoding, documentation)
        return array(renderer.render(session.db, file, file_diagnostics(session.db, file), session.text(file)))
