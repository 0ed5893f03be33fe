"""A queue whose owners take turns: an owner's hundred items do not delay another owner's one.

Any thread may put and get. What an owner may have waiting is bounded.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Hashable
from typing import Generic, TypeVar

from boruna_ls import lock_order

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Items by owner, the least recently served owner first; an owner's own items in their order."""

    def __init__(self) -> None:
        self._items: dict[Hashable, deque[T]] = {}
        self._filled = threading.Condition(lock_order.leaf())

    def put(self, owner: Hashable, item: T) -> None:
        """Queues an item behind those of its owner."""
        with self._filled:
            self._items.setdefault(owner, deque()).append(item)
            self._filled.notify()

    def get(self, timeout: float | None = None) -> T:
        """The next item, waited for. Raises TimeoutError after so many seconds."""
        ends = None if timeout is None else time.monotonic() + timeout
        with self._filled:
            while not self._items:
                left = None if ends is None else ends - time.monotonic()
                if left is not None and left <= 0:
                    raise TimeoutError
                self._filled.wait(left)
            owner, items = next(iter(self._items.items()))
            item = items.popleft()
            # The owner goes to the end of the round, if it has more.
            del self._items[owner]
            if items:
                self._items[owner] = items
            return item
