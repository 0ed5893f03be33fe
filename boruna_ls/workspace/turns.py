"""Scheduling of the analysis thread: priorities, fair shares of clients, a quarter of the time for less urgent jobs.

Pure: the clock is an argument, nothing here waits or starts anything. `worker.py` calls it and follows its decisions.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final

from analysis.data_classes import dataclass

if TYPE_CHECKING:
    from concurrent.futures import Future

PATIENCE: Final = 0.25
"""Seconds after which a job that waits for more urgent ones gets a share of the time."""
MOST_URGENT: Final = 0.015
SHARE: Final = 0.005
"""Seconds of urgent jobs between two shares, and seconds of a share."""
MOST_TYPING: Final = 0.05
"""Seconds of urgent jobs without a share after which even typing yields for a share."""
SLICE: Final = 0.01
"""Seconds after which a job yields to another one of the same urgency."""
BURST: Final = 0.05
"""Seconds of recent use up to which the jobs of a client are urgent; beyond it the clients take turns."""
_MOST_CLIENTS: Final = 1000
_DECAY: Final = 0.25
"""Seconds in which recent use shrinks to a third: a client that uses less than a fifth of the time stays below BURST."""


class Priority(IntEnum):
    """Order in which jobs are taken."""

    TYPING = 0
    """Diagnostics of the file being edited, and the editor's requests about it."""
    REQUEST = 1
    """Requests that a client waits for."""
    DIAGNOSTICS = 2
    """Other open files."""
    WORKSPACE = 3
    """Questions about a whole workspace."""
    BACKGROUND = 4
    """Work that no client has requested yet."""


class Band(IntEnum):
    """Current urgency of a job: its priority, unless its client has used more than its share."""

    ABANDONED = 0
    """Its result is no longer needed: it only has to end."""
    TYPING = 1
    REQUEST = 2
    BUSY = 3
    """TYPING or REQUEST of a client that has used more than BURST."""
    DIAGNOSTICS = 4
    WORKSPACE = 5
    BACKGROUND = 6


@dataclass(slots=True, eq=False)
class Task:
    """A job that waits or runs; `since` is when it began to wait, `used` how long it has run.

    A job that `can_resume` takes turns with jobs of its urgency; other jobs are interrupted only by more urgent ones.
    """

    priority: Priority
    client: int
    """Number of the client that it is for, 0 for none."""
    number: int
    job: Callable[[], Any]
    future: Future[Any]
    since: float
    can_resume: bool = False
    used: float = 0.0
    lane: Any = None
    """The thread on which it was begun and is suspended; None if it is to begin (again)."""
    is_abandoned: bool = False


Rank = tuple[Band, float, float, int]


class Turns:
    """The waiting jobs, and how much time each client has used recently."""

    def __init__(self) -> None:
        self._queues: dict[tuple[int, Priority], deque[Task]] = {}
        self._suspended: list[Task] = []
        self._usage: dict[tuple[int, bool], tuple[float, float]] = {}
        """By client and whether for urgent jobs: seconds used recently, and the time of that value."""
        self._debt = 0.0
        self._was_fair = 0.0
        self.share_ends = 0.0
        """Until then the running job has its share and is interrupted only by typing, if at all."""
        self._typing_waits = False
        """True if even typing waits for the end of the share."""

    def __len__(self) -> int:
        return sum(map(len, self._queues.values())) + len(self._suspended)

    def __iter__(self) -> Iterator[Task]:
        for queue in self._queues.values():
            yield from queue
        yield from self._suspended

    def add(self, task: Task) -> None:
        """Adds a job that waits to start or (with a lane) to resume."""
        if task.lane is not None:
            self._suspended.append(task)
        else:
            self._queues.setdefault((task.client, task.priority), deque()).append(task)

    def clear(self) -> list[Task]:
        """Removes all jobs that have not started."""
        tasks = [task for queue in self._queues.values() for task in queue]
        self._queues.clear()
        return tasks

    @property
    def suspended(self) -> int:
        """Number of suspended jobs."""
        return len(self._suspended)

    def has_urgent(self, now: float) -> bool:
        """True if a job waits that is more urgent than questions about a workspace."""
        return any(self.band(task, now) < Band.WORKSPACE for task in self._heads())

    def take(self, now: float, may_begin: bool = True) -> Task | None:
        """Removes and returns the next job; without `may_begin` only a suspended one."""
        task = self._most_urgent(now, may_begin)
        if task is None:
            return None
        if may_begin and self._is_urgent(task, now) and (behind := self._whose_share(now, task)) is not None:
            self._typing_waits = self._debt >= MOST_TYPING
            self._debt, self._was_fair, self.share_ends = 0.0, now, now + SHARE
            task = behind
        self._remove(task)
        return task

    def outranks(self, running: Task, now: float, is_slice_over: bool = False) -> bool:
        """True if another job should run instead of the running one."""
        if running.is_abandoned:
            return True
        task = self._most_urgent(now)
        if task is None:
            return False
        band, mine = self.band(task, now), self.band(running, now)
        if now < self.share_ends and (band is not Band.TYPING or self._typing_waits):
            return False
        if band < mine or not is_slice_over or not running.can_resume:
            return band < mine
        if band == mine and self.rank(task, now)[1:3] < self.rank(running, now)[1:3]:
            return True
        return self._is_urgent(running, now) and self._whose_share(now, running) is not None

    def _most_urgent(self, now: float, may_begin: bool = True) -> Task | None:
        heads = self._heads() if may_begin else self._suspended
        return min(heads, key=lambda one: self.rank(one, now), default=None)

    def _is_urgent(self, task: Task, now: float) -> bool:
        return Band.ABANDONED < self.band(task, now) < Band.DIAGNOSTICS

    def _whose_share(self, now: float, urgent: Task) -> Task | None:
        """The less urgent job that gets a share of the time now: one that has started, or has waited for a long time."""
        if self._debt < (MOST_TYPING if self.band(urgent, now) is Band.TYPING else MOST_URGENT):
            return None
        is_due = now - self._was_fair > PATIENCE
        behind = [
            task
            for task in self._heads()
            if task.priority > Priority.REQUEST and (task.used or (is_due and now - task.since > PATIENCE))
        ]
        return min(behind, key=lambda one: (one.used, one.since), default=None)

    def rank(self, task: Task, now: float) -> Rank:
        """Sort key of a job: urgency, time its client has used recently, time the job has used, order of arrival."""
        return self.band(task, now), self._used(task, now), task.used, task.number

    def band(self, task: Task, now: float) -> Band:
        """Current urgency of a job."""
        if task.is_abandoned:
            return Band.ABANDONED
        if task.priority <= Priority.REQUEST:
            return Band.BUSY if self._used(task, now) >= BURST else Band(task.priority + 1)
        return Band(task.priority + 2)

    def _used(self, task: Task, now: float) -> float:
        """Seconds that a job's client has used recently for jobs of this kind."""
        used, at = self._usage.get((task.client, task.priority <= Priority.REQUEST), (0.0, now))
        return used * math.exp((at - now) / _DECAY)

    def charge(self, task: Task, seconds: float, now: float) -> None:
        """Records that a job has run for `seconds`."""
        task.used += seconds
        if task.client:
            if len(self._usage) > _MOST_CLIENTS:
                self._usage = {key: usage for key, usage in self._usage.items() if now - usage[1] < 10 * _DECAY}
            self._usage[task.client, task.priority <= Priority.REQUEST] = (self._used(task, now) + seconds, now)
        if task.priority > Priority.REQUEST:
            self._debt = 0.0
        elif any(head.priority > Priority.REQUEST for head in self._heads()):
            self._debt += seconds

    def _heads(self) -> Iterator[Task]:
        yield from self._suspended
        for queue in self._queues.values():
            yield queue[0]

    def _remove(self, task: Task) -> None:
        if task.lane is not None:
            self._suspended.remove(task)
            return
        queue = self._queues[task.client, task.priority]
        queue.remove(task)
        if not queue:
            del self._queues[task.client, task.priority]
