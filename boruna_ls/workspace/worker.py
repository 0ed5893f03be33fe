"""The analysis thread: one job computes at a time, even though several threads take turns.

Event loops submit jobs and stay free to handle messages. A job that is cancelled by a changed input or a more urgent job
returns to the queue and restarts from the beginning, so a job must do all its reading itself; its results so far are memoized.
A job on a snapshot (`snapshot.py`) is suspended in the middle instead, on its own thread (a lane), and resumes there.
`turns.py` selects the next job.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from analysis.database import Cancelled
from boruna_ls import lock_order
from boruna_ls.isolation.pauses import Pauses
from boruna_ls.isolation.priority import take_short_turns
from boruna_ls.workspace.turns import SLICE, Priority, Task, Turns

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

T = TypeVar("T")
_RETRY: Final = 0.02
_QUIET: Final = 0.0015
"""Seconds that background work pauses after an urgent job, so that the event loop can send its result."""
_REST_EVERY: Final = 0.01
_TICK: Final = 0.005
"""Seconds between two checks whether the running job has used its slice; a job between two queries does not notice one."""
MOST_LANES: Final = 32
"""Maximum number of suspended jobs; further jobs start when one of them has ended."""
_SPARE_LANES: Final = 2


class _Lane:
    """A thread on which jobs run; `turn` is notified when it may continue."""

    __slots__ = ("thread", "turn")

    def __init__(self, turn: threading.Condition) -> None:
        self.turn = turn
        self.thread: threading.Thread


class Worker:
    """A queue of jobs and the threads that run them, one at a time; started with the first job."""

    def __init__(
        self,
        cancel: Callable[[], None] = lambda: None,
        before: Callable[[], None] = lambda: None,
        after: Callable[[], None] = lambda: None,
    ) -> None:
        """`cancel` makes the current computation stop (or yield), see `Database.cancel`. `before` and `after` are called around
        every job and every part of one, on the job's thread."""
        self._cancel = cancel
        self._before = before
        self._after = after
        self._turns = Turns()
        self._running: Task | None = None
        self._told_at = 0.0
        """Time at which the running job was asked to stop or to yield; 0 if it was not."""
        self._resumed = self._charged = 0.0
        """Time at which the running job started or resumed, and time up to which it has been charged."""
        self._holder: _Lane | None = None
        """The lane that runs a job or chooses the next one; None if there is nothing to do."""
        self._idle: list[_Lane] = []
        self._lanes: set[int] = set()
        self._by_future: dict[Future[Any], Task] = {}
        self._numbers = itertools.count()
        self._lock = lock_order.lock("worker")
        self._wake = threading.Condition(self._lock)
        self._tick = threading.Condition(self._lock)
        self._ticker: threading.Thread | None = None
        self.is_used = self._stopped = False  # used: once it was given a job
        self._was_urgent = False
        self._make_way: Callable[[], None] | None = None
        self._is_typing: Callable[[], bool] = lambda: False
        self.pauses: Pauses | None = None
        self.discard: Callable[[Any], None] = lambda value: None
        """Called with the dropped objects of a stopped job, which may be large."""
        self._loop_is_awake = self._waits_for_loop = False
        self._sleeps = self._sleeps_before = 0
        """Number of times the event loop went to sleep; the same number at the start of the latest job."""
        self._rested = self._served = 0.0

    # ---- asking -------------------------------------------------------------------------------------------------

    def submit(
        self, job: Callable[[], T], priority: Priority = Priority.REQUEST, client: int = 0, can_resume: bool = False
    ) -> Future[T]:
        """Queues a job for a client; the future's `cancel` removes it if it has not started.

        A job that `can_resume` is suspended and resumed after repeated cancellation, and takes turns with jobs of its priority.
        """
        # The command line also has a host, but submits no jobs: it does not wait for the imports that jobs need.
        from concurrent.futures import Future

        future: Future[T] = Future()
        with self._lock:
            if self._stopped:
                raise RuntimeError("the worker was stopped")
            self.is_used = True
            task = Task(priority, client, next(self._numbers), job, future, time.monotonic(), can_resume)
            self._by_future[future] = task
            self._push(task)
        # Not the variable: the future and its result would then refer to themselves.
        future.add_done_callback(lambda done: self._by_future.pop(done, None))
        return future

    def launch(self, job: Callable[[], object], priority: Priority = Priority.BACKGROUND, client: int = 0) -> None:
        """Queues a job without a waiting caller: a failure is logged. Raises RuntimeError once the worker was stopped."""
        self.submit(job, priority, client).add_done_callback(log_failure)

    async def run(self, job: Callable[[], T], priority: Priority = Priority.REQUEST, client: int = 0) -> T:
        """Waits for a job on an event loop; cancelling the wait removes the job if it has not started."""
        import asyncio

        return await asyncio.wrap_future(self.submit(job, priority, client))

    def interrupt(self, future: Future[Any]) -> None:
        """Cancels a job permanently; a running job ends with `Cancelled` at its next query call.

        A job between two queries does not notice: call this again until the future is done.
        """
        if future.cancel():
            return
        with self._lock:
            task = self._by_future.get(future)
            if task is None:
                return
            task.is_abandoned = True
            if task is self._running or self._is_over(time.monotonic()):
                self._tell()

    def abandon(self, future: Future[Any], loop: asyncio.AbstractEventLoop) -> None:
        """Interrupts a job repeatedly until it has ended; call it on the loop."""
        if not future.done():
            self.interrupt(future)
            loop.call_later(_RETRY, self.abandon, future, loop)

    def stop(self) -> None:
        """Ends the threads after the running job; waiting jobs are cancelled."""
        with self._lock:
            self._stopped = True
            for task in self._turns.clear():
                task.future.cancel()
            self._tick.notify_all()
            self._wake.notify_all()
            for lane in self._idle:
                lane.turn.notify()

    # ---- looking ------------------------------------------------------------------------------------------------

    def is_current_thread(self) -> bool:
        """True if the caller is a job of this worker."""
        return threading.get_ident() in self._lanes

    @property
    def load(self) -> int:
        """Number of jobs that wait or run."""
        return len(self._by_future)

    def jobs_of(self, client: int) -> int:
        """Number of a client's jobs that wait or run."""
        return sum(task.client == client for task in list(self._by_future.values()))

    def pending(self) -> dict[Priority, int]:
        """Number of jobs that wait or run, by priority."""
        return {priority: sum(task.priority == priority for task in list(self._by_future.values())) for priority in Priority}

    def deaf_for(self) -> float:
        """Seconds since the running job was asked to stop or yield without a reaction; 0 normally."""
        since = self._told_at
        return time.monotonic() - since if since and self._running is not None else 0.0

    def idle_for(self) -> float:
        """Seconds since the latest requested job ended; 0 while one waits or runs."""
        return 0.0 if self._by_future else time.monotonic() - self._served

    def should_yield(self) -> bool:
        """True if the calling job has to stop or yield: it is another job's turn, or its answer is not needed.

        Cheap enough for each row of a loop: turns are compared when a job was queued or a slice has ended, not at each question.
        """
        if not self._told_at:
            return self._stopped
        with self._lock:
            is_over = self._is_over(time.monotonic())
            if not is_over:
                self._told_at = 0.0
            return is_over

    def _is_over(self, now: float) -> bool:
        task = self._running
        if task is None:
            return self._stopped
        self._charge(task)
        return self._stopped or self._turns.outranks(task, now, now - self._resumed > SLICE)

    # ---- the event loop takes precedence ------------------------------------------------------------------------------

    def attend(self, make_way: Callable[[], None], is_typing: Callable[[], bool]) -> None:
        """An event loop reports when it wakes and sleeps; computations yield to it and to other processes.
        `make_way` makes a computation yield if it can, and stops none, see `Database.make_way`. While somebody
        `is_typing`, requests also yield to the loop: its message may be a keystroke."""
        self._make_way, self._is_typing, self.pauses = make_way, is_typing, Pauses()

    def loop_woke(self) -> None:
        """The event loop has messages to handle; called by it."""
        self._loop_is_awake = True
        running = self._running
        if self._make_way is not None and running is not None and self._comes_behind_loop(running):
            self._make_way()

    def _comes_behind_loop(self, task: Task) -> bool:
        return task.priority >= Priority.WORKSPACE or (task.priority >= Priority.REQUEST and self._is_typing())

    def loop_sleeps(self) -> None:
        """The event loop has handled all messages; called by it."""
        if self._loop_is_awake:
            self._loop_is_awake = False
            self._sleeps += 1
            if self._waits_for_loop:
                with self._lock:
                    self._wake.notify_all()

    def _rest(self) -> None:
        """Waits until the event loop has sent the result of an urgent job. If the loop does not report it, waits for a moment,
        but rarely enough that other jobs progress during a series of urgent jobs."""
        if self._make_way is not None:
            self._wait_for_loop(self._sleeps_before)
            return
        now = time.monotonic()
        if not self._stopped and not self._has_urgent() and now - self._rested > _REST_EVERY:
            self._rested = now
            self._wake.wait(_QUIET)

    def _wait_for_loop(self, sleeps: int) -> None:
        """Waits, for a short time at most, until the event loop sleeps and has slept more than `sleeps` times; returns at once
        if an urgent job waits.

        Otherwise a computing thread takes the interpreter lock from the loop after each of its system calls.
        """
        ends = time.monotonic() + _QUIET
        self._waits_for_loop = True
        while (self._loop_is_awake or self._sleeps <= sleeps) and not self._has_urgent() and not self._stopped:
            if (left := ends - time.monotonic()) <= 0:
                break
            self._wake.wait(left)
        self._waits_for_loop = False

    def _has_urgent(self) -> bool:
        return self._turns.has_urgent(time.monotonic())

    # ---- taking turns -------------------------------------------------------------------------------------------

    def give_way(self) -> None:
        """Yield if it is another job's turn; returns when it is this job's turn again.

        Raises Cancelled if the job's result is no longer needed.
        """
        lock_order.expect_none_held("a job gives way")
        task = self._running
        assert task is not None
        self._told_at = 0.0
        now = time.monotonic()
        with self._lock:
            # Other threads queue jobs meanwhile.
            gives_way = self._is_over(now) or (self._loop_is_awake and now >= self._turns.share_ends)
        if gives_way:
            self._after()
            try:
                with self._lock:
                    self._charge(task)
                    if self._comes_behind_loop(task):
                        self._wait_for_loop(self._sleeps - 1)
                    now = time.monotonic()
                    if not self._stopped and self._turns.outranks(task, now, is_slice_over=True):
                        self._suspend(task)
                    self._resumed = self._charged = time.monotonic()
            finally:
                self._before()
        if self._stopped or task.is_abandoned:
            raise Cancelled

    def _suspend(self, task: Task) -> None:
        """Waits, with the lock held, while other jobs run."""
        lane = self._holder
        assert lane is not None
        task.lane, task.since = lane, time.monotonic()
        self._turns.add(task)
        self._running = None
        self._pass_on()
        while self._running is not task:
            lane.turn.wait()

    def _tell(self) -> None:
        """Asks the running job to stop or yield at its next query call."""
        self._told_at = self._told_at or time.monotonic()
        self._cancel()

    def _push(self, task: Task) -> None:
        self._turns.add(task)
        if self._holder is None:
            self._pass_on()
        elif self._running is not None:
            if self._is_over(time.monotonic()):
                self._tell()
            self._tick.notify()
        else:
            self._wake.notify_all()

    def _pass_on(self) -> None:
        """Let another lane choose the next job."""
        lane = self._idle.pop() if self._idle else self._new_lane()
        self._holder = lane
        lane.turn.notify()

    def _new_lane(self) -> _Lane:
        lane = _Lane(threading.Condition(self._lock))
        lane.thread = threading.Thread(target=self._work, args=(lane,), name="analysis", daemon=True)
        lane.thread.start()
        if self._ticker is None:
            self._ticker = threading.Thread(target=self._watch_slices, name="slices", daemon=True)
            self._ticker.start()
        return lane

    def _work(self, lane: _Lane) -> None:
        self._lanes.add(threading.get_ident())
        if self._make_way is not None:
            take_short_turns()
        try:
            while (task := self._next(lane)) is not None:
                self._execute(task)
        finally:
            self._lanes.discard(threading.get_ident())

    def _next(self, lane: _Lane) -> Task | None:
        """Waits for the job that this lane must start; None if the lane must end."""
        with self._lock:
            while True:
                if self._holder is lane:
                    task = self._take()
                    if task is not None and task.lane is None:
                        return task
                    if task is None:
                        self._holder = None
                    else:
                        self._resume(task)
                    if self._stopped or len(self._idle) >= _SPARE_LANES:
                        return None
                    self._idle.append(lane)
                elif self._stopped:
                    return None
                lane.turn.wait()

    def _take(self) -> Task | None:
        """The next job, which counts as running from now on."""
        if self._was_urgent and not self._turns.has_urgent(time.monotonic()):
            self._was_urgent = False
            self._rest()
        task = self._turns.take(time.monotonic(), may_begin=self._turns.suspended < MOST_LANES)
        if task is not None:
            if self.pauses is not None:
                self.pauses.note_work()
            self._running, self._sleeps_before = task, self._sleeps
            self._resumed = self._charged = time.monotonic()
            self._told_at = 0.0
            if len(self._turns):
                self._tick.notify()
        return task

    def _resume(self, task: Task) -> None:
        """Resumes a suspended job on its own lane."""
        lane = task.lane
        task.lane = None
        self._holder = lane
        lane.turn.notify()

    def _execute(self, task: Task) -> None:
        future = task.future
        if not (future.running() or future.set_running_or_notify_cancel()):
            with self._lock:
                self._running = None
            return
        answer: Any = None
        error: BaseException | None = None
        try:
            answer = self._run(task)
        except Cancelled as cancelled:
            with self._lock:
                if not self._stopped and not task.is_abandoned:
                    task.since = time.monotonic()
                    self._turns.add(task)
                    return
            self.discard(cancelled.__traceback__)
            error = cancelled.with_traceback(None)
        except BaseException as raised:  # the thread outlives whatever a job does
            error = raised
        with self._lock:
            self._was_urgent = self._was_urgent or task.priority < Priority.WORKSPACE
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(answer)
        # An error's traceback holds the frames of the job, which must not hold the error in turn.
        del error, answer, future, task.job, task.future

    def _run(self, task: Task) -> Any:
        try:
            if task.is_abandoned:
                raise Cancelled
            self._before()
            return task.job()
        finally:
            with self._lock:
                self._charge(task)
                self._running, self._told_at = None, 0.0
            self._after()

    def _charge(self, task: Task) -> None:
        now = time.monotonic()
        self._turns.charge(task, now - self._charged, now)
        self._charged, self._served = now, now if task.priority < Priority.BACKGROUND else self._served

    def _watch_slices(self) -> None:
        """On its own thread: stops the running job when it has used its slice and other jobs wait."""
        with self._lock:
            while not self._stopped:
                if self._running is None or not len(self._turns):
                    self._tick.wait()
                else:
                    self._tick.wait(_TICK)
                    if self._running is not None and self._is_over(time.monotonic()):
                        self._tell()


def log_failure(future: Future[Any]) -> None:
    """Logs the failure of a job without a waiting caller."""
    error = None if future.cancelled() else future.exception()
    if error is not None and not isinstance(error, Cancelled):
        import logging

        logging.getLogger(__name__).error("a background job failed", exc_info=error)
