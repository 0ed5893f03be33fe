"""Timeouts of connections: the request does not arrive, or the client does not read the answer. Silent streams stay open."""

from __future__ import annotations

import asyncio
import time

from uvicorn.protocols.http.h11_impl import H11Protocol


def patient(seconds: float) -> type[H11Protocol]:
    """The server's protocol, which closes a connection that makes no progress for so long though it should."""

    class Patient(H11Protocol):
        _watch: asyncio.TimerHandle | None = None
        _since = 0.0
        _unread = 0

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._since = time.monotonic()
            self._look_later()

        def connection_lost(self, exc: Exception | None) -> None:
            if self._watch is not None:
                self._watch.cancel()
            super().connection_lost(exc)

        def _look_later(self) -> None:
            self._watch = self.loop.call_later(seconds / 4, self._look)

        def _look(self) -> None:
            now, unread = time.monotonic(), self.transport.get_write_buffer_size()
            # Between a request's first header and its end it is the application that waits, and answers.
            asks = self.cycle is None or self.cycle.response_complete
            if not (asks or (unread and unread == self._unread)):
                self._since = now
            self._unread = unread
            if now - self._since > seconds:
                self.transport.abort()
            else:
                self._look_later()

    return Patient
