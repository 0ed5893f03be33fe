"""Lifetime of the daemon, and its tasks until the end: the event loop's side of `main.py`.

It ends after an idle time without clients, on a signal, on request, and at a quiet moment if a newer installation is ready to
serve or another daemon has taken its place. All times are of the monotonic clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import logging
import os
import signal
import time
from typing import Any, Final

from boruna_ls.daemon.clients import Clients
from boruna_ls.daemon.place import Place
from boruna_ls.daemon.state import memory
from boruna_ls.daemon.views import Views
from boruna_ls.rendezvous.listening import Listener
from boruna_ls.rendezvous.locks import Lock

IDLE_VARIABLE: Final = "BORUNA_LS_IDLE"
IDLE: Final = 60.0
"""Seconds without a client after which the daemon ends."""
SILENCE: Final = 1.0
"""Seconds without a message of a client after which a moment is quiet, if no work is in progress either."""
HANGS: Final = 60.0
"""Seconds after which a daemon whose event loop hangs ends, so that its clients get another one."""
PROBATION: Final = 10.0
"""Seconds that a fully loaded daemon must serve before it counts as working, if another installation could serve instead."""
HANGS_ON_PROBATION: Final = 6.0
"""HANGS until then, after the slow imports."""
DEAF: Final = 30.0
"""The same for the analysis thread, if it ignores a request to stop or yield."""
_MEMORY: Final = 2 << 30
"""Bytes of memory beyond which the daemon evicts unused data, and is replaced by a new daemon at a quiet moment."""
_LEAST_LIFE: Final = 600.0
"""Minimum age in seconds before a daemon is replaced because of its memory."""
_FIRST_CLIENT: Final = 20.0
"""Minimum seconds that the daemon waits for the client that started it."""
_LOOK: Final = 0.5
"""Seconds between two checks of the files by which clients find us."""
_LIMIT: Final = 8 << 20
_SECONDS_BETWEEN_MEASURES: Final = 30.0
_log = logging.getLogger(__name__)


class Life:
    """The daemon while it serves."""

    def __init__(self, folder: str, lock: Lock, listener: Listener, about: dict[str, Any]) -> None:
        self.folder = folder
        self.about = about
        self.idle = seconds(os.environ.get(IDLE_VARIABLE), IDLE)
        self.place = Place(folder, lock, listener, about)
        self.views = Views(folder)
        self.clients = Clients(self, self.views)
        self.heard = time.monotonic()
        """Time of the latest message of any client."""
        self._ended = asyncio.Event()
        self._reason = ""
        self._alarm: asyncio.TimerHandle | None = None
        self._had_clients = False
        self._server: asyncio.Server | None = None
        self.successor = ""
        """The version that will take over at a quiet moment; "" if none will."""
        self._serves_since: float | None = None
        self._replaced_because = ""
        self.memory_limit = _MEMORY
        self._began = time.monotonic()
        self._measured = 0.0
        self._has_warned = False
        self._deaf_looks = 0

    async def run(self, first: str) -> None:
        """Serves until the end; `first` is the protocol of the first client."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, self.end, f"signal {number.name}")
        _log.info("version %s serves at %s", self.about["version"], self.folder)
        # What compiles messages ahead runs a loop of its own, which a thread with a loop cannot.
        await asyncio.to_thread(self.views.load_first, first)
        await self._serve()
        self.clients_changed()
        tasks = [asyncio.ensure_future(self._load_ahead()), asyncio.ensure_future(self._watch())]
        tasks.append(asyncio.ensure_future(self.views.take_up_lasting_work()))
        try:
            await self._ended.wait()
        finally:
            _log.info("ends: %s", self._reason or "it was interrupted")
            for task in tasks:
                task.cancel()
            # The next daemon may start before the last connection here is closed.
            self._close_server()
            if self._reason:
                # An end on request: the installation is recorded as working.
                self.place.record_us()
            self.place.leave()
            await self.clients.end()
            self.leave()

    def leave(self) -> None:
        """Frees the place for another daemon, and stops the processes that run programs. May be called twice."""
        self.place.leave()
        self.views.end()

    def end(self, reason: str) -> None:
        """Ends the daemon soon; the first reason is kept."""
        self._reason = self._reason or reason
        self._ended.set()

    def listen_to(self, reader: asyncio.StreamReader) -> None:
        """Count this client's messages as activity from now on."""
        self.heard = time.monotonic()
        if isinstance(reader, Reader):
            reader.counts = True

    @property
    def is_ending(self) -> bool:
        """True if a new client has to connect to the next daemon instead."""
        return self._ended.is_set()

    async def _load_ahead(self) -> None:
        try:
            await self._load_rest()
        except Exception:
            _log.exception("modules that clients will need could not be preloaded")

    async def _load_rest(self) -> None:
        # On probation the daemon must show that it works, even on a slow machine.
        await self.views.load_rest(is_patient=not self.place.is_on_probation)
        self._serves_since = time.monotonic()
        await self.views.load_what_is_needed_later()

    def clients_changed(self) -> None:
        """A client connected or disconnected."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if self.clients.count:
            self._had_clients = True
            return
        wait = self.idle if self._had_clients else max(self.idle, _FIRST_CLIENT)
        if self.place.is_lost:
            wait = 0.0
        self._alarm = asyncio.get_running_loop().call_later(wait, self._idle_is_over, f"no client for {wait:g} seconds")

    def _idle_is_over(self, reason: str) -> None:
        """Ends the daemon, unless work that outlives its client is in progress: then checks again later."""
        if self.views.has_lasting_work() and not self.place.is_lost:
            self._alarm = asyncio.get_running_loop().call_later(max(self.idle, _LOOK), self._idle_is_over, reason)
        else:
            self.end(reason)

    # ---- successors ---------------------------------------------------------------------------------------------

    def look_for_successor(self) -> bool:
        """Look for a newer installation whose daemon works: True if it will replace this daemon at a quiet moment."""
        successor = self.place.successor()
        if successor is not None and successor.version != self.successor:
            self.successor = successor.version
            self._replaced_because = f"version {successor.version} takes over"
            _log.info("will be replaced by version %s", successor.version)
        return bool(self.successor)

    async def _watch(self) -> None:
        while True:
            # If this is not repeated in time, the interpreter writes the stack of each thread and ends.
            is_suspected = self.place.is_on_probation and self._serves_since is not None
            faulthandler.dump_traceback_later(HANGS_ON_PROBATION if is_suspected else HANGS, exit=True, file=2)
            await asyncio.sleep(_LOOK / 2 if self._replaced_because else _LOOK)
            self._watch_analysis()
            try:
                await self._look()
            except Exception:
                _log.exception("checking the daemon's socket and lock files failed")

    def _watch_analysis(self) -> None:
        """Ends the process if one job blocks all others: its clients get another daemon, and give up the request in time."""
        deaf = self.views.deaf_for()
        self._deaf_looks = self._deaf_looks + 1 if deaf else 0
        if deaf > DEAF / 3 and not self._has_warned:
            _log.warning("one job has held up the analysis thread for %.0f seconds", deaf)
            faulthandler.dump_traceback(file=2)
        self._has_warned = deaf > DEAF / 3
        # Checks are counted as well: a process that was stopped for a while (SIGSTOP) has not ignored a request.
        if deaf > DEAF and self._deaf_looks * _LOOK > DEAF / 2:
            _log.error("ends: one job has blocked the analysis thread for %.0f seconds; the error file lists the threads", deaf)
            faulthandler.dump_traceback(file=2)
            os._exit(1)

    def _watch_memory(self) -> None:
        """Keeps the process below its budget of memory."""
        now = time.monotonic()
        if now - self._measured < _SECONDS_BETWEEN_MEASURES or memory() <= self.memory_limit:
            return
        self._measured = now
        self.views.make_room()
        if now - self._began > _LEAST_LIFE and not self._replaced_because:
            self._replaced_because = f"it uses more than {self.memory_limit >> 20} MB"

    async def _look(self) -> None:
        self._watch_memory()
        if not self.place.is_lost and self.place.mend():
            if self.place.is_lost:
                self._replaced_because = "another daemon has taken over its socket"
                self._close_server()
                self.clients_changed()
            else:
                await self._serve()
        since = self._serves_since
        if since is not None and (not self.place.is_on_probation or time.monotonic() - since > PROBATION):
            self.place.record_us()
        self.look_for_successor()
        if not self._replaced_because and self.place.is_uninstalled():
            self._replaced_because = "its installation was replaced or removed"
            _log.warning("%s", self._replaced_because)
        if not self._replaced_because and (failure := self.views.cannot_start()):
            self._replaced_because = f"it cannot start processes any more ({failure})"
            _log.warning("%s", self._replaced_because)
        if self._replaced_because and self._is_quiet():
            self.end(self._replaced_because)

    def _is_quiet(self) -> bool:
        return time.monotonic() - self.heard >= SILENCE and not self.views.is_busy()

    # ---- the socket ---------------------------------------------------------------------------------------------

    async def _serve(self) -> None:
        """Accepts clients at the current listener; clients of earlier listeners stay connected."""
        self._close_server()
        loop, listening = asyncio.get_running_loop(), self.place.listener.socket
        listening.setblocking(False)

        def protocol() -> asyncio.StreamReaderProtocol:
            return asyncio.StreamReaderProtocol(Reader(self), self.clients.accept)

        if self.place.listener.secret:
            self._server = await loop.create_server(protocol, sock=listening)
        else:
            self._server = await loop.create_unix_server(protocol, sock=listening)

    def _close_server(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None


class Reader(asyncio.StreamReader):
    """Records when the client sent something, if it `counts`: requests for the state do not disturb a quiet moment."""

    def __init__(self, life: Life) -> None:
        super().__init__(limit=_LIMIT)
        self._life = life
        self.counts = False

    def feed_data(self, data: Any) -> None:
        if self.counts:
            self._life.heard = time.monotonic()
        super().feed_data(data)


def seconds(text: Any, default: float) -> float:
    """A given number of seconds, or the default if it is invalid."""
    try:
        number = float(text)
    except (TypeError, ValueError):
        return default
    return number if 0 <= number < float("inf") else default
