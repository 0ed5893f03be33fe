"""Resources that change: the text of a file and its diagnostics, as editors have them, and their subscribers.

The host notifies the watcher of every change; the watcher then tests whether a subscribed resource differs.
From time to time it looks without being told, for what no event tells.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from analysis.inputs import defect, source
from boruna_ls.answers.check import check_answer
from boruna_ls.answers.digest import EVERY, digest
from boruna_ls.answers.envelope import as_text, with_freshness
from boruna_ls.mcp.paths import FILE, program_at
from boruna_ls.workspace import Change, Client, FileUnavailable, Host, Priority, ask

DIAGNOSTICS: Final = "boruna://file-diagnostics/"
PROGRAM_TYPE: Final = "text/x-boruna"
MOST_SUBSCRIPTIONS: Final = 1000
_INTERVAL: Final = 2.0
"""Seconds between two looks without an event."""
_TOGETHER: Final = 0.05
"""Seconds in which changes are waited for that come together."""
_log = logging.getLogger(__name__)
Notify = Callable[[str], Awaitable[None]]


def path_of(uri: str) -> str | None:
    """The path in a URI of these resources; None for another URI."""
    for prefix in (FILE, DIAGNOSTICS):
        if uri.startswith(prefix) and len(uri) > len(prefix):
            return unquote(uri[len(prefix) :])
    return None


class Reading(NamedTuple):
    """Media type and text of a resource, and which state of the file it describes."""

    kind: str
    text: str
    freshness: dict[str, Any]


def read(host: Host, client: Client, uri: str) -> Reading:
    """A resource as it is now. Runs on the worker; raises FileUnavailable."""
    path = path_of(uri) or ""
    _, file = program_at(host, client, path)
    if uri.startswith(FILE):
        text, reason = source(host.db, file).text, defect(host.db, file)
        if reason and not text:
            # Too large to be looked at, or not to be read: no empty text may stand for it.
            raise FileUnavailable(path, reason)
        return Reading(PROGRAM_TYPE, text, host.freshness(file).as_dict())
    answer = with_freshness(check_answer(host.db, file, path, 0), host, file)
    return Reading("application/json", as_text(answer), answer["freshness"])


class Watcher:
    """The subscriptions of all clients of a server; works as long as there are any."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._wanted: dict[tuple[Any, str], tuple[Client, Notify]] = {}
        self._states: dict[tuple[Any, str], str] = {}
        self._task: asyncio.Task[None] | None = None

    @property
    def is_full(self) -> bool:
        """True if no more resources can be watched."""
        return len(self._wanted) >= MOST_SUBSCRIPTIONS

    async def watch(self, key: Any, client: Client, uri: str, notify: Notify) -> None:
        """Call `notify` on every change of a resource from now on. Raises FileUnavailable if the resource does not exist."""
        state = await asyncio.wrap_future(ask(self._host, lambda host: _state(host, client, uri)))
        self._wanted[key, uri], self._states[key, uri] = (client, notify), state
        if self._task is None:
            self._task = asyncio.create_task(self._work())

    def forget(self, key: Any, uri: str | None = None) -> None:
        """Ends one subscription of a client, or all of them."""
        for subscription in [
            subscription for subscription in self._wanted if subscription[0] == key and uri in (None, subscription[1])
        ]:
            del self._wanted[subscription]
            self._states.pop(subscription, None)

    async def _work(self) -> None:
        loop, signal = asyncio.get_running_loop(), asyncio.Event()

        def changed(_: Change) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(signal.set)

        self._host.listeners.append(changed)
        try:
            while self._wanted:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(signal.wait(), _INTERVAL)
                    await asyncio.sleep(_TOGETHER)
                signal.clear()
                await self._look()
        finally:
            self._host.listeners.remove(changed)
            self._task = None

    async def _look(self) -> None:
        wanted = [(subscription, client) for subscription, (client, _) in self._wanted.items()]

        def job(host: Host) -> list[str]:
            states = []
            for (_, uri), client in wanted:
                host.checkpoint()
                try:
                    states.append(_state(host, client, uri))
                except FileUnavailable as error:
                    states.append(str(error))
            return states

        try:
            states = await asyncio.wrap_future(ask(self._host, job, Priority.DIAGNOSTICS))
        except Exception:
            _log.exception("the subscribed resources could not be checked")
            return
        for (subscription, _), state in zip(wanted, states, strict=True):
            if subscription in self._wanted and self._states.get(subscription) != state:
                self._states[subscription] = state
                await self._tell(subscription)

    async def _tell(self, subscription: tuple[Any, str]) -> None:
        try:
            await self._wanted[subscription][1](subscription[1])
        except Exception:
            # The others are still notified.
            _log.exception("a subscriber could not be notified of a change")
            self.forget(*subscription)


def _state(host: Host, client: Client, uri: str) -> str:
    """Equal while nothing changes: the text, or the diagnostics with their places."""
    _, file = program_at(host, client, path_of(uri) or "")
    return host.freshness(file).sha256 if uri.startswith(FILE) else digest(host.db, file, EVERY).name
