"""Deadline of a call or a run. The time stops while a person is asked.

One object is shared by all that observe it: the call, the pool of worker processes, the effect broker.
"""

from __future__ import annotations

import heapq
import itertools
import math
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Final

from boruna_ls import lock_order

if TYPE_CHECKING:
    import asyncio

LONGEST_PAUSE: Final = 1800.0
"""Seconds for which questions stop one deadline, all of them together."""
_LOOK: Final = 0.05
"""Seconds between two looks at a deadline that stands still, at least."""
_MOST_OFF: Final = 100
"""Cancelled alarms that are kept until it is time for them."""
_LONGEST_WAIT: Final = 3600.0
"""Seconds: waits may be bounded by the system, deadlines are not."""


class Deadline:
    """A moment of the monotonic clock that moves on while questions are open. Any thread may ask and pause."""

    def __init__(self, ends: float) -> None:
        self.listeners: list[Callable[[bool], object]] = []
        """Called with whether the time stands still now, whenever that changes; on the thread that changed it."""
        self._ends = ends
        self._seconds: float | None = None
        self._latest = math.inf
        self._open = 0
        self._since = 0.0
        self._stood = 0.0
        self._lock = lock_order.leaf()

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """One so many seconds from now."""
        return cls(time.monotonic() + seconds)

    @classmethod
    def once_begun(cls, seconds: float, latest: float = math.inf) -> Deadline:
        """One so many seconds after `begin`, however late that is, but not after the moment `latest`.

        For work that nobody's call waits for, and that must not fail because others were before it: a step of a workflow, the
        drive of an execution. Whoever waits for an answer counts from the call: `after`.
        """
        deadline = cls(latest)
        deadline._seconds, deadline._latest = seconds, latest
        return deadline

    def begin(self) -> None:
        """The time counts from now on; nothing changes if it counts already."""
        with self._lock:
            if self._seconds is not None:
                self._ends = min(time.monotonic() + self._seconds, self._latest)
                self._seconds = None

    @property
    def ends(self) -> float:
        """The moment as it is now known; later while the time stands still."""
        with self._lock:
            stood = self._stood + (time.monotonic() - self._since if self._open else 0.0)
        return self._ends + min(stood, LONGEST_PAUSE)

    def left(self) -> float:
        """Seconds that are left; 0 or less if it is over."""
        return self.ends - time.monotonic()

    def look_after(self) -> float:
        """Seconds after which it is worth to look again whether it is over."""
        return max(self.left(), _LOOK)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The time stands still while the block runs; blocks may overlap."""
        self._change(1)
        try:
            yield
        finally:
            self._change(-1)

    def _change(self, by: int) -> None:
        now = time.monotonic()
        with self._lock:
            before, self._open = self._open, self._open + by
            is_turned = (before == 0) != (self._open == 0)
            if is_turned and self._open:
                self._since = now
            elif is_turned:
                self._stood += now - self._since
            is_paused = self._open > 0
        for listener in list(self.listeners) if is_turned else ():
            listener(is_paused)

    @asynccontextmanager
    async def bound(self) -> AsyncIterator[None]:
        """Raises TimeoutError in the block when it is over."""
        import asyncio

        alarms: list[asyncio.TimerHandle] = []
        async with asyncio.timeout(None) as limit:
            self._look(limit, alarms)
            try:
                yield
            finally:
                for alarm in alarms:
                    alarm.cancel()
                alarms.clear()

    def _look(self, limit: asyncio.Timeout, alarms: list[asyncio.TimerHandle]) -> None:
        import asyncio

        loop = asyncio.get_running_loop()
        if self.left() <= 0:
            limit.reschedule(loop.time())
        else:
            alarms[:] = [loop.call_later(self.look_after(), self._look, limit, alarms)]


class Alarm:
    """Calls something, on a thread of its own, when a deadline is over; not after `cancel`."""

    def __init__(self, deadline: Deadline, action: Callable[[], object]) -> None:
        self._deadline = deadline
        self._action = action
        self.is_off = False
        _clock.add(self, max(deadline.left(), 0.0))

    def cancel(self) -> None:
        """Nothing is called any more, unless it is being called now."""
        self.is_off = True
        # The clock knows this object, and the action whatever is bound by the deadline: nothing of it is to stay.
        self._action = _nothing
        _clock.cancelled()

    def look(self) -> None:
        """It may be time; called by the clock."""
        if self._deadline.left() <= 0:
            threading.Thread(target=self._action, name="alarm", daemon=True).start()
        else:
            _clock.add(self, self._deadline.look_after())


class _Clock:
    """One thread that waits for all alarms: each run sets one and hardly any rings, so none gets a thread before it does."""

    def __init__(self) -> None:
        self._alarms: list[tuple[float, int, Alarm]] = []
        """A heap: when to look, the number of the entry."""
        self._numbers = itertools.count()
        self._off = 0
        """At least so many of the alarms were cancelled, and wait for being taken out."""
        self._changed = threading.Condition(lock_order.leaf())
        self._thread: threading.Thread | None = None

    def add(self, alarm: Alarm, seconds: float) -> None:
        """Has an alarm look after so many seconds."""
        entry = (time.monotonic() + seconds, next(self._numbers), alarm)
        with self._changed:
            heapq.heappush(self._alarms, entry)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="alarms", daemon=True)
                self._thread.start()
            elif self._alarms[0] is entry:
                self._changed.notify()

    def cancelled(self) -> None:
        """One alarm more will not ring. Most end so, long before their time: now and then all such are taken out."""
        with self._changed:
            self._off += 1
            if self._off > _MOST_OFF and 2 * self._off > len(self._alarms):
                self._alarms = [entry for entry in self._alarms if not entry[2].is_off]
                heapq.heapify(self._alarms)
                self._off = 0

    def _watch(self) -> None:
        while True:
            with self._changed:
                while not self._alarms or self._alarms[0][0] > time.monotonic():
                    left = self._alarms[0][0] - time.monotonic() if self._alarms else _LONGEST_WAIT
                    self._changed.wait(min(left, _LONGEST_WAIT))
                alarm = heapq.heappop(self._alarms)[2]
            if not alarm.is_off:
                alarm.look()


def _nothing() -> None:
    pass


_clock: Final = _Clock()
