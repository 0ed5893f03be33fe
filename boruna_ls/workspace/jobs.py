"""Inputs and the worker: what editors send is set between two jobs, so that no event loop ever waits for a computation.

The lowest part of the host; what the inputs are is told in `keeper.py`, who may ask in `host.py`.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from analysis.database import Cancelled, Database
from boruna_ls import lock_order
from boruna_ls.workspace.names import Names
from boruna_ls.workspace.retention import Retention
from boruna_ls.workspace.roots import Look
from boruna_ls.workspace.state import State
from boruna_ls.workspace.texts import Texts
from boruna_ls.workspace.worker import Worker


class Jobs:
    """The database, the worker, and the inputs that wait until the worker is between two jobs."""

    is_present = True
    """Whether this is the present state; a snapshot is one of the past."""

    def __init__(self, database: Database | None = None) -> None:
        self.db = database if database is not None else Database()
        self.worker = Worker(self.db.cancel, self._begin_job, self._end_job)
        self._lock = lock_order.lock("host")
        # One count for all workspaces and snapshots, so that no two states have one name.
        self._numbers = itertools.count(1)
        self._is_computing = False
        self._is_mixed = False
        self._waiting: list[Callable[[Database], None]] = []
        self._job_look: Look | None = None
        self._held_looks: dict[int, Look] = {}
        self._names = Names()
        self.state = State(Texts(self._write))
        self.retention = Retention(self.db, self.worker)
        self.state.texts.gone = self.retention.text_gone

    def catch_up(self) -> None:
        """What editors have sent is in the database from here on.

        A job that finds that something has come since it began starts again: it must not look at two states.
        """
        with self._lock:
            if not self.worker.is_current_thread():
                self._flush()
            elif self._waiting:
                raise Cancelled

    def checkpoint(self) -> None:
        """For jobs that do much between two queries: raises Cancelled if something more urgent waits."""
        if self.worker.is_current_thread() and (self._waiting or self.worker.should_yield()):
            raise Cancelled

    def refuse_mixed(self) -> None:
        """To be called at the end of a job: raises Cancelled if inputs of editors were set while it ran."""
        if self._is_mixed and self.worker.is_current_thread():
            raise Cancelled

    def has_waiting(self) -> bool:
        """Whether inputs wait for the worker."""
        return bool(self._waiting)

    def _begin_job(self) -> None:
        with self._lock:
            self._flush()
            self._is_computing, self._is_mixed, self._job_look = True, False, Look(self._names)

    def _end_job(self) -> None:
        with self._lock:
            self._is_computing, self._job_look = False, None
            self._flush()

    def _write(self, operation: Callable[[Database], None]) -> None:
        """Sets an input now, or as soon as the worker leaves the job that it is at, which is made to stop."""
        if self._is_computing and not self.worker.is_current_thread():
            self._waiting.append(operation)
            self.db.cancel()
        else:
            self._is_mixed = self._is_mixed or bool(self._waiting)
            self._flush()
            operation(self.db)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        for operation in waiting:
            operation(self.db)

    def _look(self) -> Look:
        """A job looks at each folder once, whoever else asks looks now."""
        if self._job_look is not None and self.worker.is_current_thread():
            return self._job_look
        return self._held_looks.get(threading.get_ident()) or Look(self._names)

    @contextmanager
    def one_look(self) -> Iterator[None]:
        """While the block runs, this thread looks at each folder once, as a job does."""
        thread = threading.get_ident()
        self._held_looks[thread] = Look(self._names)
        try:
            yield
        finally:
            del self._held_looks[thread]
