"""Resources that change: the text of a file and its diagnostics, as editors have them, and who wants to hear of changes.

Whoever changes a file, an editor, another agent or a shell, the watcher sees it: it looks at the subscribed files several
times a second, which costs a `stat` and a lookup each as long as nothing happened.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final
from urllib.parse import quote, unquote

from analysis.check import check_file
from analysis.inputs import source
from boruna_ls.answers.check import check_answer
from boruna_ls.answers.envelope import as_text, with_freshness
from boruna_ls.mcp.tool import resolved
from boruna_ls.workspace import Client, FileUnavailable, Host, Priority

FILE: Final = "boruna://file/"
DIAGNOSTICS: Final = "boruna://file-diagnostics/"
PROGRAM_TYPE: Final = "text/x-boruna"
MOST_SUBSCRIPTIONS: Final = 1000
_INTERVAL: Final = 0.2
_log = logging.getLogger(__name__)
Notify = Callable[[str], Awaitable[None]]


def path_of(uri: str) -> str | None:
    """The path in a URI of these resources; None for another URI."""
    for prefix in (FILE, DIAGNOSTICS):
        if uri.startswith(prefix) and len(uri) > len(prefix):
            return unquote(uri[len(prefix) :])
    return None


def uri_of_diagnostics(path: str) -> str:
    """The resource with the diagnostics of a file."""
    return DIAGNOSTICS + quote(path, safe="/")


def read(host: Host, client: Client, uri: str) -> tuple[str, str]:
    """Media type and text. Runs on the worker; raises FileUnavailable."""
    path = path_of(uri) or ""
    file = host.file_for_agent(resolved(host, client, path), client.folders, client.libs)
    if uri.startswith(FILE):
        return PROGRAM_TYPE, source(host.db, file).text
    return "application/json", as_text(with_freshness(check_answer(host.db, file, path, 0), host, file))


class Watcher:
    """The subscriptions of all clients of a server; works as long as there are any."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._wanted: dict[tuple[Any, str], tuple[Client, Notify]] = {}
        self._seen: dict[tuple[Any, str], object] = {}
        self._task: asyncio.Task[None] | None = None

    @property
    def is_full(self) -> bool:
        """Whether no more can be watched."""
        return len(self._wanted) >= MOST_SUBSCRIPTIONS

    async def watch(self, key: Any, client: Client, uri: str, notify: Notify) -> None:
        """`notify` hears of every change of a resource from now on; raises FileUnavailable if it cannot be had at all."""
        state = await self._host.worker.run(lambda: self._state(client, uri))
        self._wanted[key, uri], self._seen[key, uri] = (client, notify), state
        if self._task is None:
            self._task = asyncio.create_task(self._work())

    def forget(self, key: Any, uri: str | None = None) -> None:
        """Ends one subscription of a client, or all of them."""
        for known in [known for known in self._wanted if known[0] == key and uri in (None, known[1])]:
            del self._wanted[known]
            self._seen.pop(known, None)

    async def _work(self) -> None:
        try:
            while self._wanted:
                await asyncio.sleep(_INTERVAL)
                for known, (client, notify) in list(self._wanted.items()):
                    await self._look(known, client, notify)
        finally:
            self._task = None

    async def _look(self, known: tuple[Any, str], client: Client, notify: Notify) -> None:
        try:
            state = await self._host.worker.run(lambda: self._state(client, known[1]), Priority.BACKGROUND)
        except FileUnavailable as error:
            state = str(error)
        except Exception:
            _log.exception("a subscribed resource could not be looked at")
            return
        if known in self._wanted and self._seen.get(known) != state:
            self._seen[known] = state
            await notify(known[1])

    def _state(self, client: Client, uri: str) -> object:
        """Equal as long as nothing changed: the text, or the findings and where they stand."""
        path = path_of(uri) or ""
        file = self._host.file_for_agent(resolved(self._host, client, path), client.folders, client.libs)
        text = source(self._host.db, file)
        if uri.startswith(FILE):
            return text
        places = [
            (made.code, made.severity, made.message, text.position(start + made.span[0]), made.span[1] - made.span[0])
            for start, made in check_file(self._host.db, file).placed(text)
        ]
        return tuple(places)
