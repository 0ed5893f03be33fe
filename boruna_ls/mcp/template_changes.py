"""Templates that change on disk: subscribers of one are notified, and clients that listed them of added and removed ones.

The folder is looked at from time to time, off the event loop, as long as there are subscribers.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Awaitable, Callable
from typing import Any, Final
from urllib.parse import unquote

from boruna_ls.framework.templates import MANIFEST, MOST_TEMPLATES, SOURCE

PREFIX: Final = "boruna://templates/"
MOST_WATCHED: Final = 1000
_INTERVAL: Final = 2.0
_log = logging.getLogger(__name__)
Notify = Callable[[], Awaitable[None]]


class TemplateChanges:
    """The subscriptions, by folder and client."""

    def __init__(self) -> None:
        self._wanted: dict[tuple[Any, str, str], Notify] = {}
        self._states: dict[tuple[str, str], Any] = {}
        self._task: asyncio.Task[None] | None = None

    async def watch(self, key: Any, folder: str, uri: str, notify: Notify) -> bool:
        """Call `notify` on changes of a template, or with an empty `uri` of the list; False if too much is watched."""
        name = unquote(uri.removeprefix(PREFIX))
        if any(part in name for part in ("/", "\\", "..", "\0")):
            # No name of a template: there is nothing that could change.
            return True
        if len(self._wanted) >= MOST_WATCHED:
            return False
        if (folder, name) not in self._states:
            self._states[folder, name] = await asyncio.to_thread(_state, folder, name)
        self._wanted[key, folder, name] = notify
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        return True

    def forget(self, key: Any, uri: str | None = None) -> None:
        """Ends one subscription of a client, or all of them."""
        name = None if uri is None else unquote(uri.removeprefix(PREFIX))
        for subscription in [
            subscription for subscription in self._wanted if subscription[0] == key and name in (None, subscription[2])
        ]:
            del self._wanted[subscription]
        still = {(folder, name) for _, folder, name in self._wanted}
        self._states = {template: state for template, state in self._states.items() if template in still}

    async def _work(self) -> None:
        try:
            while self._wanted:
                await asyncio.sleep(_INTERVAL)
                for folder, name in {subscription[1:] for subscription in self._wanted}:
                    state = await asyncio.to_thread(_state, folder, name)
                    if self._states.get((folder, name), state) != state:
                        await self._tell(folder, name)
                    self._states[folder, name] = state
        finally:
            self._task = None

    async def _tell(self, folder: str, name: str) -> None:
        for subscription, notify in list(self._wanted.items()):
            if subscription[1:] == (folder, name):
                try:
                    await notify()
                except Exception:
                    # The others are still notified.
                    _log.exception("a client could not be notified of a change of templates")
                    self._wanted.pop(subscription, None)


def _state(folder: str, name: str) -> Any:
    """Equal as long as nothing changed: the files of a template, or which folders there are."""
    if name:
        return [_file(os.path.join(folder, name, part)) for part in (MANIFEST, SOURCE)]
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries)[:MOST_TEMPLATES]
    except OSError:
        return None
    return [(name, _file(os.path.join(folder, name, MANIFEST))) for name in names]


def _file(path: str) -> tuple[int, int, int] | None:
    with contextlib.suppress(OSError, ValueError):
        status = os.lstat(path)
        return status.st_mtime_ns, status.st_size, status.st_ino
    return None
