"""Inputs and the worker: what editors send is set between two jobs, so that no event loop ever waits for a computation.

The lowest part of a host. `JobRules` is what the other parts need of it; `Jobs` is the present, `snapshot.py` has the rules of
jobs that work on a snapshot.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

from analysis.database import Cancelled, Database
from boruna_ls import lock_order
from boruna_ls.mounts import give_way_by_default
from boruna_ls.workspace.names import Names
from boruna_ls.workspace.roots import DiskView, Unread
from boruna_ls.workspace.worker import Worker

if TYPE_CHECKING:
    from boruna_ls.lock_order import Lock


T = TypeVar("T")


class JobRules(Protocol):
    """A database, how its inputs are set, and when a job that asks it must stop."""

    @property
    def db(self) -> Database:
        """The database that jobs ask."""

    @property
    def worker(self) -> Worker:
        """The thread that computes."""

    @property
    def lock(self) -> Lock:
        """Guards the host's state."""

    def catch_up(self) -> None:
        """Bring the editors' edits into the database.

        A job that finds newer edits than those it began with is restarted (Cancelled): it must not see two states.
        """

    def checkpoint(self) -> None:
        """For jobs that do much between two queries: lets more urgent jobs go first, by Cancelled or by waiting."""

    def refuse_mixed(self) -> None:
        """To be called at the end of a job: raises Cancelled if inputs of editors were set while it ran."""

    def has_waiting(self) -> bool:
        """True if inputs wait for the worker."""

    def write(self, operation: Callable[[Database], None]) -> None:
        """Sets an input, now or as soon as no job runs."""

    def look(self) -> DiskView:
        """Snapshot of the disk."""

    def one_look(self) -> AbstractContextManager[None]:
        """While the block runs, this thread looks at each folder once, as a job does."""


def locked(jobs: JobRules, look: DiskView, change: Callable[[], T]) -> T:
    """What `change` gives, called with the lock held.

    What it asks of the disk and the look does not know is read without the lock; then it is called again, so it must be such
    that it may have begun before. A disk that hangs keeps nobody else waiting.
    """
    while True:
        try:
            with jobs.lock, look.sealed():
                return change()
        except Unread as unread:
            read = unread.read
        read()


class Jobs:
    """The rules of the present: inputs wait until the worker is between two jobs."""

    def __init__(self, database: Database | None, names: Names) -> None:
        self.db = database if database is not None else Database()
        self.worker = Worker(self.db.cancel, self.begin_job, self.end_job)
        self.lock = lock_order.lock("host")
        self._names = names
        self._is_computing = False
        self._is_mixed = False
        self._waiting: list[Callable[[Database], None]] = []
        self._job_look: DiskView | None = None
        self._held_looks: dict[int, DiskView] = {}

    def catch_up(self) -> None:
        """See `JobRules`."""
        with self.lock:
            if not self.worker.is_current_thread():
                self._flush()
            elif self._waiting:
                raise Cancelled

    def checkpoint(self) -> None:
        """Raises Cancelled if something more urgent waits."""
        if self.worker.is_current_thread() and (self._waiting or self.worker.should_yield()):
            raise Cancelled

    def refuse_mixed(self) -> None:
        """See `JobRules`."""
        if self._is_mixed and self.worker.is_current_thread():
            raise Cancelled

    def has_waiting(self) -> bool:
        """True if inputs wait for the worker."""
        return bool(self._waiting)

    def write(self, operation: Callable[[Database], None]) -> None:
        """Sets an input now, or as soon as the worker leaves the job that it is at, which is made to stop."""
        if self._is_computing and not self.worker.is_current_thread():
            self._waiting.append(operation)
            self.db.cancel()
        else:
            self._is_mixed = self._is_mixed or bool(self._waiting)
            self._flush()
            operation(self.db)

    def look(self) -> DiskView:
        """The snapshot of the disk of the caller's job or `one_look`; else a new one."""
        if self._job_look is not None and self.worker.is_current_thread():
            return self._job_look
        return self._held_looks.get(threading.get_ident()) or DiskView(self._names)

    @contextmanager
    def one_look(self) -> Iterator[None]:
        """While the block runs, this thread looks at each folder once, as a job does."""
        thread = threading.get_ident()
        self._held_looks[thread] = DiskView(self._names)
        try:
            yield
        finally:
            del self._held_looks[thread]

    def begin_job(self) -> None:
        """Called by the worker before a job."""
        give_way_by_default(self.checkpoint)
        with self.lock:
            self._flush()
            self._is_computing, self._is_mixed, self._job_look = True, False, DiskView(self._names)

    def end_job(self) -> None:
        """Called by the worker behind a job."""
        with self.lock:
            self._is_computing, self._job_look = False, None
            self._flush()

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        for operation in waiting:
            operation(self.db)
