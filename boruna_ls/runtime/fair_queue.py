"""A queue of runs whose owners take turns: many or endless items of one owner do not keep others from running.

An owner is a client and belongs to a principal: all agents on streams are one principal, all clients with one token are one, each
editor is one. Principals take turns, then the owners of each. Any thread may put and get. The pool bounds the waiting items of an
owner.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, deque
from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

from boruna_ls import lock_order

T = TypeVar("T")


class Share(NamedTuple):
    """An owner: the principal that it belongs to, and which of the principal's clients it is."""

    principal: str
    client: Hashable


def principal_of(owner: Hashable) -> Hashable:
    """The principal of an owner; an owner without one is its own principal."""
    return getattr(owner, "principal", owner)


class FairQueue(Generic[T]):
    """Items by owner: least recently served principals and owners first, the items of an owner in their order.

    At most `room` items run at once. In addition, owners without a running item may run one: `guests` more, and
    `reserved` more for principals without a running item. An owner that leaves needs no room: see `leave`.
    """

    def __init__(self, room: float = math.inf, guests: float = math.inf, reserved: float = math.inf) -> None:
        self._items: dict[Hashable, deque[T]] = {}
        self._running: Counter[Hashable] = Counter()
        self._principals: Counter[Hashable] = Counter()
        """Running items by principal."""
        self._served: dict[Hashable, int] = {}
        """By principal with items or running ones: the number of its last turn."""
        self._turn = 0
        self._leaving: set[Hashable] = set()
        self._room, self._guests, self._reserved = room, guests, reserved
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
        """Waits for the next item and its owner; it runs until `done`. Raises TimeoutError after `timeout` seconds.

        Threads that are not warm leave items to warm ones.
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
            item = self._taken(owner)
            self._wake()
            return owner, item

    def _taken(self, owner: Hashable) -> T:
        items, principal = self._items.pop(owner), principal_of(owner)
        item = items.popleft()
        # The owner goes to the end of the round, if it has more.
        if items:
            self._items[owner] = items
        self._running[owner] += 1
        self._principals[principal] += 1
        self._turn += 1
        self._served[principal] = self._turn
        return item

    def _wake(self) -> None:
        """Wake one thread if an item may run; the one that takes it wakes the next."""
        if self._next() is not _NOBODY:
            (self._warm if self._warm_threads else self._cold).notify()

    def _next(self) -> Hashable:
        """The owner to serve next."""
        running = self._running.total()
        # What runs of an owner that leaves takes no room from those that stay.
        stays = running - sum(self._running[owner] for owner in self._leaving) < self._room
        more = running < self._room + self._guests

        def may_run(owner: Hashable) -> bool:
            is_idle = not self._running[owner]
            if owner in self._leaving:
                return running < self._room or (is_idle and more)
            return stays or (is_idle and (more or self._is_reserved(owner, running)))

        return min(filter(may_run, self._items), key=self._precedence, default=_NOBODY)

    def _is_reserved(self, owner: Hashable, running: int) -> bool:
        return not self._principals[principal_of(owner)] and running < self._room + self._guests + self._reserved

    def _precedence(self, owner: Hashable) -> tuple[bool, int]:
        return owner in self._leaving, self._served.get(principal_of(owner), 0)

    def done(self, owner: Hashable) -> None:
        """An item of an owner has ended."""
        with self._lock:
            for counter, key in ((self._running, owner), (self._principals, principal_of(owner))):
                counter[key] -= 1
                if not counter[key]:
                    del counter[key]
            if owner not in self._items and not self._running[owner]:
                self._leaving.discard(owner)
            if not self._principals and not self._items:
                self._served.clear()
            self._wake()

    def leave(self, owner: Hashable) -> None:
        """An owner puts no more items. Its items continue after those of others, which wait for at most one of them."""
        with self._lock:
            if owner in self._items or self._running[owner]:
                self._leaving.add(owner)
                self._wake()

    def to_interrupt(self) -> list[Hashable]:
        """The owners with more running items than their share, those with most first; empty if no other owner waits.

        An owner exceeds its share if it leaves and others wait, or if an owner without a running item waits.
        """
        with self._lock:
            greedy = [owner for owner in self._leaving if self._running[owner] > 1]
            if greedy and any(owner not in self._leaving for owner in self._items):
                return greedy
            if all(self._running[owner] for owner in self._items):
                return []
            held = {owner: self._principals[principal_of(owner)] for owner in self._running}
            owners = sorted(held, key=lambda owner: (-held[owner], -self._running[owner]))
            return [owner for owner in owners if held[owner] > 1] or owners

    @property
    def is_full(self) -> bool:
        """True if further items may have to wait."""
        with self._lock:
            return self._running.total() >= self._room

    def make_room(self, by: int) -> None:
        """Lets `by` more items run at once."""
        with self._lock:
            self._room += by
            self._wake()


_NOBODY = object()
