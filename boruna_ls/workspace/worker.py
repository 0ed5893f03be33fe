"""The one thread that computes.

Event loops hand it jobs and stay free to move messages. A job that is cancelled because an input changed goes back
into the queue and starts again from the beginning, so a job must do all its reading itself; what it had computed
is memoized.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import threading
from collections.abc import Callable
from concurrent.futures import Future
from enum import IntEnum
from typing import Any, TypeVar
from weakref import WeakSet

from analysis.database import Cancelled

T = TypeVar("T")


class Priority(IntEnum):
    """Which job is taken next; jobs of one priority in the order they came."""

    REQUEST = 0
    DIAGNOSTICS = 1
    BACKGROUND = 2


class Worker:
    """A queue of jobs and the daemon thread that works them off; started with the first job."""

    def __init__(
        self,
        cancel: Callable[[], None] = lambda: None,
        before: Callable[[], None] = lambda: None,
        after: Callable[[], None] = lambda: None,
    ) -> None:
        """`cancel` makes the computation that runs now stop, see `Database.cancel`.

        `before` and `after` are called around every job, on the worker's thread.
        """
        self._cancel = cancel
        self._before = before
        self._after = after
        self._running: Future[Any] | None = None
        self._interrupted: WeakSet[Future[Any]] = WeakSet()
        self._jobs: list[tuple[int, int, Callable[[], Any], Future[Any]]] = []
        self._numbers = itertools.count()
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopped = False

    def submit(self, job: Callable[[], T], priority: Priority = Priority.REQUEST) -> Future[T]:
        """Queues a job; the future's `cancel` takes it back as long as it has not started."""
        future: Future[T] = Future()
        with self._wake:
            if self._stopped:
                raise RuntimeError("the worker was stopped")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="analysis", daemon=True)
                self._thread.start()
            self._push(priority, job, future)
        return future

    async def run(self, job: Callable[[], T], priority: Priority = Priority.REQUEST) -> T:
        """Waits for a job on an event loop; cancelling the wait takes the job back if it has not started."""
        return await asyncio.wrap_future(self.submit(job, priority))

    def interrupt(self, future: Future[Any]) -> None:
        """Takes a job back for good; a running one ends with `Cancelled` at its next query call.

        A job that is between two queries does not notice: ask again until the future is done.
        """
        if future.cancel():
            return
        with self._wake:
            self._interrupted.add(future)
            if self._running is future:
                self._cancel()

    def is_current_thread(self) -> bool:
        """Whether the caller is a job of this worker."""
        return self._thread is threading.current_thread()

    def stop(self) -> None:
        """Ends the thread after the job it is at; jobs that wait are cancelled."""
        with self._wake:
            self._stopped = True
            for *_, future in self._jobs:
                future.cancel()
            self._jobs.clear()
            self._wake.notify_all()

    def waiting(self, below: Priority) -> bool:
        """Whether jobs more urgent than `below` wait: long background jobs ask and give way."""
        jobs = self._jobs
        return bool(jobs) and jobs[0][0] < below

    def _push(self, priority: int, job: Callable[[], Any], future: Future[Any]) -> None:
        heapq.heappush(self._jobs, (priority, next(self._numbers), job, future))
        self._wake.notify()

    def _work(self) -> None:
        while True:
            with self._wake:
                while not self._jobs and not self._stopped:
                    self._wake.wait()
                if self._stopped:
                    return
                priority, _, job, future = heapq.heappop(self._jobs)
            if not (future.running() or future.set_running_or_notify_cancel()):
                continue
            self._running = future
            try:
                if future in self._interrupted:
                    raise Cancelled
                answer = self._run(job)
            except Cancelled:
                with self._wake:
                    if future in self._interrupted:
                        future.set_exception(Cancelled())
                        continue
                    if self._stopped:
                        future.set_exception(Cancelled())
                        return
                    self._push(priority, job, future)
            except BaseException as error:  # the thread outlives whatever a job does
                future.set_exception(error)
            else:
                future.set_result(answer)

    def _run(self, job: Callable[[], T]) -> T:
        self._before()
        try:
            return job()
        finally:
            self._after()
