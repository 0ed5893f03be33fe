"""A queue of runs whose owners take turns: neither an owner's hundred items nor its endless ones keep others from running.

Any thread may put and get. What an owner may have waiting is bounded by the pool.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, deque
from collections.abc import Hashable
from typing import Generic, TypeVar

from boruna_ls import lock_order

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Items by owner, the least recently served owner first; an owner's own items in their order.

    At most `room` items run at once; beyond that only the first item of an owner that has none running.
    """

    def __init__(self, room: float = math.inf) -> None:
        self._items: dict[Hashable, deque[T]] = {}
        self._running: Counter[Hashable] = Counter()
        self._room = room
        self._lock = lock_order.leaf()
        self._warm = threading.Condition(self._lock)
        self._cold = threading.Condition(self._lock)
        self._warm_threads = 0
        """Threads that wait here and need not start a process."""

    def put(self, owner: Hashable, item: T) -> None:
        """Queues an item behind those of its owner."""
        with self._lock:
            self._items.setdefault(owner, deque()).append(item)
            self._wake()

    def get(self, timeout: float | None = None, is_warm: bool = True) -> tuple[Hashable, T]:
        """The next item with its owner, waited for; it runs until `done`. Raises TimeoutError after so many seconds.

        Threads that are not warm leave items to those that are.
        """
        ends = None if timeout is None else time.monotonic() + timeout
        with self._lock:
            self._warm_threads += is_warm
            try:
                while (owner := self._next()) is _NOBODY or (self._warm_threads and not is_warm):
                    left = None if ends is None else ends - time.monotonic()
                    if left is not None and left <= 0:
                        raise TimeoutError
                    (self._warm if is_warm else self._cold).wait(left)
            finally:
                self._warm_threads -= is_warm
            items = self._items.pop(owner)
            item = items.popleft()
            # The owner goes to the end of the round, if it has more.
            if items:
                self._items[owner] = items
            self._running[owner] += 1
            self._wake()
            return owner, item

    def _wake(self) -> None:
        """Wake one thread if an item may run; the one that takes it wakes the next."""
        if self._next() is not _NOBODY:
            (self._warm if self._warm_threads else self._cold).notify()

    def _next(self) -> Hashable:
        if self._running.total() < self._room:
            return next(iter(self._items), _NOBODY)
        return next((owner for owner in self._items if not self._running[owner]), _NOBODY)

    def done(self, owner: Hashable) -> None:
        """An item of an owner runs no more."""
        with self._lock:
            self._running[owner] -= 1
            if not self._running[owner]:
                del self._running[owner]
            self._wake()

    def make_room(self, by: int) -> None:
        """So many more items may run at once."""
        with self._lock:
            self._room += by
            self._wake()


_NOBODY = object()
