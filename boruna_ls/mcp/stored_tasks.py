"""Tasks that are kept in a store, where other processes change them, too: the command line, another server."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from boruna_ls.mcp.tasks import TaskSource

if TYPE_CHECKING:
    from boruna_ls.state.changes import Mark, StoreChanges

REMEMBERED: Final = 900.0
"""Seconds for which a task that was requested is observed for changes by other processes."""
MOST_REMEMBERED: Final = 1000


P = ParamSpec("P")
T = TypeVar("T")


async def with_store(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Work on a store, on another thread. Raises MCPError if the store cannot be used."""
    try:
        return await asyncio.to_thread(work, *args, **kwargs)
    except Exception as error:
        from boruna_ls.state.folder import StateError
        from boruna_ls.state.sql import StoreError

        if isinstance(error, StateError | StoreError):
            raise MCPError(INTERNAL_ERROR, str(error)) from None
        raise


class StoredTasks(TaskSource):
    """Base of the sources of stored tasks: a task's subscribers are notified of each of its changes."""

    def __init__(self) -> None:
        super().__init__()
        self._changes: StoreChanges | None = None
        self._reported: dict[str, tuple[float, Callable[[], None]]] = {}
        """By task: the time until which its changes are reported, and the function that ends that."""

    @abstractmethod
    def marks(self, tasks: Sequence[str]) -> Mapping[str, Mark]:
        """Mark of each existing task, which differs after every change of it. Called on a thread; raises StoreError."""

    def mark(self, task: str) -> Mark:
        """The mark of one task; None if there is no such task."""
        return self.marks([task]).get(task)

    def followed(self, task: str, mark: Mark, tell: Callable[[], None]) -> Callable[[], None]:
        """Call `tell` after every change of a task since its mark was `mark`; returns the function that ends that."""
        if self._changes is None:
            from boruna_ls.state.changes import StoreChanges

            self._changes = StoreChanges(self.marks)
        return self._changes.follow(task, mark, tell)

    def look(self) -> None:
        """To be called on the event loop when this process has changed something."""
        if self._changes is not None:
            self._changes.look()

    def looked_at(self, task: str, mark: Mark, has_ended: bool) -> None:
        """Record a request for a task: its subscribers are notified of its changes for some time, or of its end."""
        now = time.monotonic()
        for old in [old for old, (ends, _) in self._reported.items() if ends < now]:
            self._forget(old)
        if has_ended:
            if self._forget(task):
                # Listeners may not have been notified yet.
                self.notify(task)
            return
        _, end = self._reported.get(task) or (0.0, None)
        if end is None and len(self._reported) < MOST_REMEMBERED:
            end = self.followed(task, mark, lambda: self.notify(task))
        if end is not None:
            self._reported[task] = (now + REMEMBERED, end)

    def _forget(self, task: str) -> bool:
        _, end = self._reported.pop(task, (0.0, None))
        if end is not None:
            end()
        return end is not None
