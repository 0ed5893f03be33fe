"""Changes of workflow runs, whoever made them: this process, the command line, another server. The store is polled.

A look is one indexed query a run, on a thread; it happens twice a second while anybody listens, and at once when a drive of this
process ends.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

from boruna_ls.state.sql import StoreError
from boruna_ls.workflow.store import Mark, Store

_INTERVAL: Final = 0.5
Tell = Callable[[], None]


class RunChanges:
    """Tells listeners on the event loop. `store` is asked for on a thread, when the first of them comes."""

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store
        self._listeners: dict[object, tuple[str, Tell]] = {}
        self._marks: dict[str, Mark | None] = {}
        self._now = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    def follow(self, run: str, seen: Mark | None, tell: Tell) -> Callable[[], None]:
        """Has `tell` called after every change of a run since it was as `seen`; gives what ends that."""
        token = object()
        self._listeners[token] = (run, tell)
        self._marks.setdefault(run, seen)
        if self._work is None or self._work.done() or self._work.get_loop() is not asyncio.get_running_loop():
            self._now = asyncio.Event()
            self._work = asyncio.get_running_loop().create_task(self._look_again())
        elif self._marks[run] != seen:
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
            runs = sorted({run for run, _ in self._listeners.values()})
            try:
                found = await asyncio.to_thread(lambda runs=runs: self._store().marks(runs))  # type: ignore[misc]
            except StoreError:
                # The database is gone or full: its runs wait, too.
                continue
            changed = {run for run in runs if run in self._marks and self._marks[run] != found.get(run)}
            self._marks = {run: found.get(run) for run in runs}
            for run, tell in list(self._listeners.values()):
                if run in changed:
                    tell()
        self._marks.clear()
