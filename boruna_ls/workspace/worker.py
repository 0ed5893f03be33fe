"""The one thread that computes.

Event loops hand it jobs and stay free to move messages. A job that is cancelled because an input changed, or because a
more urgent one came, goes back into the queue and starts again from the beginning, so a job must do all its reading
itself; what it had computed is memoized. A job that works on a snapshot (`snapshot.py`) gives way in the middle instead,
and goes on.
"""

from __future__ import annotations

import heapq
import itertools
import sys
import threading
import time
from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar
from weakref import WeakSet

from analysis.database import Cancelled
from boruna_ls import lock_order

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

T = TypeVar("T")
_DEEPEST: Final = 1_000
"""Python frames above which a job does not give way: those that go first need some of the stack, too."""
_RETRY: Final = 0.02
_QUIET: Final = 0.0015
"""Seconds for which background work rests after something urgent, so that the event loop can send what came of it."""
_REST_EVERY: Final = 0.01
_PATIENCE: Final = 0.25
"""Seconds after which a job that waits is tried although more urgent ones wait, too."""
_MOST_URGENT: Final = 0.015
_SHARE: Final = 0.005
"""Seconds for which a job on a snapshot gives way at most, and seconds that it then has for itself."""


class Priority(IntEnum):
    """Which job is taken next; jobs of one priority in the order they came."""

    TYPING = 0
    """The diagnostics of what is being typed, and what the editor asks about that file."""
    REQUEST = 1
    """What somebody waits for."""
    DIAGNOSTICS = 2
    """Other open files."""
    WORKSPACE = 3
    """Questions about a whole workspace."""
    BACKGROUND = 4
    """What nobody has asked for yet."""


class _Task(NamedTuple):
    priority: Priority
    number: int
    job: Callable[[], Any]
    future: Future[Any]
    since: float


class Worker:
    """A queue of jobs and the daemon thread that works them off; started with the first job."""

    def __init__(
        self,
        cancel: Callable[[], None] = lambda: None,
        before: Callable[[], None] = lambda: None,
        after: Callable[[], None] = lambda: None,
    ) -> None:
        """`cancel` makes the computation that runs now stop (or give way), see `Database.cancel`.

        `before` and `after` are called around every job and every part of one, on the worker's thread.
        """
        self._cancel = cancel
        self._before = before
        self._after = after
        self._running: list[_Task] = []
        """The job that runs now, behind those that gave way to it."""
        self._interrupted: WeakSet[Future[Any]] = WeakSet()
        self._jobs: list[_Task] = []
        self._numbers = itertools.count()
        self._wake = threading.Condition(lock_order.lock("worker"))
        self._thread: threading.Thread | None = None
        self._stopped = False
        self._was_urgent = False
        self._make_way: Callable[[], None] | None = None
        self._loop_is_awake = self._waits_for_loop = False
        self._sleeps = self._sleeps_before = 0
        """How often the event loop went to sleep, and how often it had when the latest job began."""
        self._rested = self._was_fair = self._shared_until = 0.0

    def submit(self, job: Callable[[], T], priority: Priority = Priority.REQUEST) -> Future[T]:
        """Queues a job; the future's `cancel` takes it back as long as it has not started."""
        # The command line has a host, too, and gives it no jobs: it does not wait for what these take to import.
        from concurrent.futures import Future

        future: Future[T] = Future()
        with self._wake:
            if self._stopped:
                raise RuntimeError("the worker was stopped")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="analysis", daemon=True)
                self._thread.start()
            self._push(_Task(priority, next(self._numbers), job, future, time.monotonic()))
            if any(task.priority > priority for task in self._running[-1:]):
                self._cancel()
        return future

    def launch(self, job: Callable[[], object], priority: Priority = Priority.BACKGROUND) -> None:
        """Queues a job that nobody waits for: if it fails, that is logged. Raises RuntimeError once the worker was stopped."""
        self.submit(job, priority).add_done_callback(_log_failure)

    async def run(self, job: Callable[[], T], priority: Priority = Priority.REQUEST) -> T:
        """Waits for a job on an event loop; cancelling the wait takes the job back if it has not started."""
        import asyncio

        return await asyncio.wrap_future(self.submit(job, priority))

    def interrupt(self, future: Future[Any]) -> None:
        """Takes a job back for good; a running one ends with `Cancelled` at its next query call.

        A job that is between two queries does not notice: ask again until the future is done.
        """
        if future.cancel():
            return
        with self._wake:
            self._interrupted.add(future)
            if any(task.future is future for task in self._running[-1:]):
                self._cancel()

    def abandon(self, future: Future[Any], loop: asyncio.AbstractEventLoop) -> None:
        """Interrupts a job, again and again until it has ended; to be called on the loop."""
        if not future.done():
            self.interrupt(future)
            loop.call_later(_RETRY, self.abandon, future, loop)

    def is_current_thread(self) -> bool:
        """Whether the caller is a job of this worker."""
        return self._thread is threading.current_thread()

    @property
    def load(self) -> int:
        """How many jobs wait or run."""
        return len(self._jobs) + len(self._running)

    def stop(self) -> None:
        """Ends the thread after the job it is at; jobs that wait are cancelled."""
        with self._wake:
            self._stopped = True
            for task in self._jobs:
                task.future.cancel()
            self._jobs.clear()
            self._wake.notify_all()

    def waiting(self, below: Priority) -> bool:
        """Whether jobs more urgent than `below` wait."""
        jobs = self._jobs
        return bool(jobs) and jobs[0].priority < below

    def pending(self) -> dict[Priority, int]:
        """How many jobs of each priority wait or run."""
        with self._wake:
            tasks = [*self._jobs, *self._running]
        return {priority: sum(task.priority == priority for task in tasks) for priority in Priority}

    def should_yield(self) -> bool:
        """Whether the job that asks has to stop or give way: something more urgent waits, or nobody wants its answer."""
        task = self._running[-1]
        return self._stopped or self.waiting(task.priority) or task.future in self._interrupted

    def attend(self, make_way: Callable[[], None]) -> None:
        """From now on an event loop tells when it wakes and sleeps: who computes lets it finish what it is at.

        `make_way` makes a computation that gives way do so, and no other one stop, see `Database.make_way`.
        """
        self._make_way = make_way

    def loop_woke(self) -> None:
        """The event loop has got something to move; called by it."""
        self._loop_is_awake = True
        if self._make_way is not None and any(task.priority >= Priority.WORKSPACE for task in self._running[-1:]):
            self._make_way()

    def loop_sleeps(self) -> None:
        """The event loop has moved everything; called by it."""
        if self._loop_is_awake:
            self._loop_is_awake = False
            self._sleeps += 1
            if self._waits_for_loop:
                with self._wake:
                    self._wake.notify_all()

    def give_way(self) -> None:
        """Works off what is more urgent than the running job, which calls this and then goes on.

        Raises Cancelled if nobody waits for the job any more. Nothing happens deep in a recursion: later will do. If urgent
        jobs follow each other without end, the job has a small share of the time.
        """
        lock_order.expect_none_held("a job gives way")
        task, begun = self._running[-1], time.monotonic()
        if begun >= self._shared_until and not _is_deep():
            self._after()
            try:
                with self._wake:
                    self._wait_for_loop(task.priority, self._sleeps - 1)
                while (urgent := self._next(task.priority)) is not None:
                    self._execute(urgent)
                    if time.monotonic() - begun > _MOST_URGENT:
                        self._shared_until = time.monotonic() + _SHARE
                        break
            finally:
                self._before()
        if self._stopped or task.future in self._interrupted:
            raise Cancelled

    def _push(self, task: _Task) -> None:
        heapq.heappush(self._jobs, task)
        self._wake.notify()

    def _next(self, below: Priority | None = None) -> _Task | None:
        """The next job, waited for; with `below` one that is more urgent, None if there is none (for a moment)."""
        with self._wake:
            if self._was_urgent and (below is None or below >= Priority.WORKSPACE):
                self._was_urgent = False
                self._rest()
            while not self._jobs and not self._stopped and below is None:
                self._wake.wait()
            if self._stopped or not self._jobs or (below is not None and self._jobs[0].priority >= below):
                return None
            return heapq.heappop(self._jobs) if below is not None else self._fair()

    def _fair(self) -> _Task:
        """The most urgent job, or from time to time one that has waited for long."""
        now = time.monotonic()
        if now - self._was_fair > _PATIENCE:
            self._was_fair = now
            waited = [task for task in self._jobs if now - task.since > _PATIENCE]
            if waited:
                task = min(waited, key=lambda one: one.since)
                self._jobs.remove(task)
                heapq.heapify(self._jobs)
                if self.waiting(task.priority):
                    self._cancel_soon(task)
                return task
        return heapq.heappop(self._jobs)

    def _rest(self) -> None:
        """Waits until the event loop has sent what came of an urgent job.

        Of a loop that does not tell that is not known: then a moment, seldom enough for the others to go on while one urgent
        job follows the other.
        """
        if self._make_way is not None:
            self._wait_for_loop(Priority.WORKSPACE, self._sleeps_before)
            return
        now = time.monotonic()
        if not self._stopped and not self.waiting(Priority.WORKSPACE) and now - self._rested > _REST_EVERY:
            self._rested = now
            self._wake.wait(_QUIET)

    def _wait_for_loop(self, below: Priority, sleeps: int) -> None:
        """Waits until the event loop sleeps, and has slept more than so many times; not for long, and not if a job below waits.

        Whoever computes meanwhile takes the interpreter away from it after each of its system calls.
        """
        ends = time.monotonic() + _QUIET
        self._waits_for_loop = True
        while (self._loop_is_awake or self._sleeps <= sleeps) and not self.waiting(below) and not self._stopped:
            if (left := ends - time.monotonic()) <= 0:
                break
            self._wake.wait(left)
        self._waits_for_loop = False

    def _cancel_soon(self, task: _Task) -> None:
        """Ends the share of a job; again and again, as one that is between two queries does not notice."""

        def cancel() -> None:
            with self._wake:
                if self._running[-1:] == [task]:
                    self._cancel()
                    self._cancel_soon(task)

        timer = threading.Timer(_SHARE, cancel)
        timer.daemon = True
        timer.start()

    def _work(self) -> None:
        while (task := self._next()) is not None:
            self._execute(task)

    def _execute(self, task: _Task) -> None:
        future = task.future
        if not (future.running() or future.set_running_or_notify_cancel()):
            return
        try:
            if future in self._interrupted:
                raise Cancelled
            answer = self._run(task)
        except Cancelled:
            with self._wake:
                if not self._stopped and future not in self._interrupted:
                    self._push(task._replace(since=time.monotonic()))
                    return
            future.set_exception(Cancelled())
        except BaseException as error:  # the thread outlives whatever a job does
            future.set_exception(error)
        else:
            future.set_result(answer)
        self._was_urgent = self._was_urgent or task.priority < Priority.WORKSPACE

    def _run(self, task: _Task) -> Any:
        self._running.append(task)
        self._sleeps_before = self._sleeps
        try:
            self._before()
            return task.job()
        finally:
            self._running.pop()
            self._after()


def _log_failure(future: Future[Any]) -> None:
    error = None if future.cancelled() else future.exception()
    if error is not None and not isinstance(error, Cancelled):
        import logging

        logging.getLogger(__name__).error("a job that nobody waits for failed", exc_info=error)


def _is_deep() -> bool:
    try:
        sys._getframe(_DEEPEST)
    except ValueError:
        return False
    return True
