"""When the daemon ends, and what holds it together until then: the event loop's side of `main.py`.

It ends after an idle time without clients, on a signal, when it is told to, or when its folder is gone or somebody else's. All
times are of the monotonic clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from typing import Any, Final

from boruna_ls.daemon.clients import Clients
from boruna_ls.daemon.views import Views
from boruna_ls.rendezvous.endpoint import Listener
from boruna_ls.rendezvous.locks import Lock

IDLE_VARIABLE: Final = "BORUNA_LS_IDLE"
IDLE: Final = 60.0
"""Seconds without a client after which the daemon ends."""
_FIRST_CLIENT: Final = 20.0
"""Seconds that the client that started it has to come at least."""
_LIMIT: Final = 8 << 20
_log = logging.getLogger(__name__)


class Life:
    """The daemon while it serves."""

    def __init__(self, folder: str, lock: Lock, listener: Listener, about: dict[str, Any]) -> None:
        self.folder = folder
        self.listener = listener
        self.about = about
        self.idle = seconds(os.environ.get(IDLE_VARIABLE), IDLE)
        self._lock = lock
        self._ended = asyncio.Event()
        self._reason = ""
        self._alarm: asyncio.TimerHandle | None = None
        self._had_clients = False

    async def run(self, first: str) -> None:
        """Serves until the end; `first` is the protocol of the first client."""
        loop = asyncio.get_running_loop()
        views = Views()
        if first:
            views.load(first)
        self.clients = Clients(self, views)
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, self.end, f"signal {number.name}")
        server = await self._server()
        self.clients_changed()
        rest = asyncio.ensure_future(views.load_rest())
        try:
            await self._ended.wait()
        finally:
            rest.cancel()
            self.listener.remove()
            server.close()
            _log.info("ends: %s", self._reason)
            await self.clients.end()
            views.end()

    def end(self, reason: str) -> None:
        """Ends the daemon soon; the first reason counts."""
        self._reason = self._reason or reason
        self._ended.set()

    def clients_changed(self) -> None:
        """A client came or left."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self.clients.count:
            self._had_clients = True
            return
        wait = self.idle if self._had_clients else max(self.idle, _FIRST_CLIENT)
        self._alarm = asyncio.get_running_loop().call_later(wait, self.end, f"no client for {wait:g} seconds")

    async def _server(self) -> asyncio.Server:
        accept, listening = self.clients.accept, self.listener.socket
        listening.setblocking(False)
        if self.listener.secret:
            return await asyncio.start_server(accept, sock=listening, limit=_LIMIT)
        return await asyncio.start_unix_server(accept, sock=listening, limit=_LIMIT)


def seconds(text: Any, default: float) -> float:
    """A number of seconds that somebody has given, or the default if it is none."""
    try:
        found = float(text)
    except (TypeError, ValueError):
        return default
    return found if 0 <= found < float("inf") else default
