"""Changes of a store's content by any process: this process, the command line, another server. The store is polled.

A look is one indexed query a thing, on a thread, twice a second while there are listeners, and at once when this process
has changed something.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final

from boruna_ls.state.sql import StoreError

_INTERVAL: Final = 0.5
Tell = Callable[[], None]
Mark = Hashable
"""Value that differs after every change of a thing; None if the thing does not exist."""
Marks = Callable[[Sequence[str]], Mapping[str, Mark]]
"""The marks of things by name. Called on a thread; raises StoreError."""


class StoreChanges:
    """Tells listeners on the event loop."""

    def __init__(self, marks: Marks) -> None:
        self._read = marks
        self._listeners: dict[object, tuple[str, Tell]] = {}
        self._marks: dict[str, Mark] = {}
        self._now = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    def follow(self, name: str, mark: Mark, tell: Tell) -> Callable[[], None]:
        """Has `tell` called after every change of a thing since it was as `mark`; gives what ends that."""
        token = object()
        self._listeners[token] = (name, tell)
        self._marks.setdefault(name, mark)
        if self._work is None or self._work.done() or self._work.get_loop() is not asyncio.get_running_loop():
            self._now = asyncio.Event()
            self._work = asyncio.get_running_loop().create_task(self._look_again())
        elif self._marks[name] != mark:
            # Another listener knows a later state already.
            asyncio.get_running_loop().call_soon(tell)

        def end() -> None:
            self._listeners.pop(token, None)

        return end

    def look(self) -> None:
        """Looks at once; on the event loop."""
        self._now.set()

    async def _look_again(self) -> None:
        while self._listeners:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._now.wait(), _INTERVAL)
            self._now.clear()
            names = sorted({name for name, _ in self._listeners.values()})
            try:
                marks = await asyncio.to_thread(self._read, names)
            except StoreError:
                # The database is unreachable or full: its content waits, too.
                continue
            changed = {name for name in names if name in self._marks and self._marks[name] != marks.get(name)}
            self._marks = {name: marks.get(name) for name in names}
            for name, tell in list(self._listeners.values()):
                if name in changed:
                    tell()
        self._marks.clear()
