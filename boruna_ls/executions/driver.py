"""Drives executions: one drive of an execution at a time, in this process and among all that share the store.

A drive runs the program up to where only an answer helps. A request for a drive that is under way gets that one. The state
of a suspended program is kept in memory, as opaque bytes; without it, the program is replayed from its log.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from analysis.data_classes import dataclass
from boruna_ls import lock_order
from boruna_ls.deadline import Deadline
from boruna_ls.executions import log_store
from boruna_ls.executions.drive_task import DriveTask
from boruna_ls.executions.logged import LoggedEffects, Performs, budget_error
from boruna_ls.executions.names import AWAITING, ENDED, ExecutionError
from boruna_ls.executions.records import Execution, LoggedCall, Version
from boruna_ls.executions.store import Store
from boruna_ls.rendezvous import locks
from boruna_ls.runtime.inputs import input_texts
from boruna_ls.runtime.job import unpacked
from boruna_ls.runtime.policy import Policy, read_policy
from boruna_ls.runtime.pool_run import CannotStart, DeadlineExceeded, Died, QueueFull, Run, Stopped
from boruna_ls.runtime.workers import WorkerPool, shared_pool

DRIVE_SECONDS: Final = 300.0
"""Time that a program may run from one task to the next; waiting for a process does not count."""
AT_ONCE: Final = 32
"""Drives of this process that are under way; others wait for their turn."""
WARM_BYTES: Final = 64 << 20
LOG_BYTES: Final = 32 << 20
"""Bytes of a log that go to a worker at once; it asks for the rest call by call."""
_PAUSE: Final = 0.02
_MARGIN: Final = 0.1
"""Seconds after which a budget of seconds is used up for sure."""
_log = logging.getLogger(__name__)
Tell = Callable[[int], None]
"""Callback with the number of steps that a machine has made, on another thread."""


class Mind(NamedTuple):
    """Context of a drive: the performer of its effects within its bounds, its owner in the queue, its progress callback."""

    performs: Callable[[Execution, Policy, Deadline], Performs]
    owner: Hashable = None
    tell: Tell | None = None


@dataclass(frozen=True, slots=True)
class _Warm:
    """A suspended program: its state after so many calls and answers of its log."""

    snapshot: bytes
    calls: int
    delivered: int


class Driver:
    """The drives of one store; `folder` is where their locks are."""

    def __init__(self, store: Store, folder: Path, pool: WorkerPool | None = None) -> None:
        self.store = store
        self.listeners: list[Callable[[int], None]] = []
        """Called with the key of every execution that has changed, on any thread."""
        self.warm_drives = self.cold_drives = 0
        self._folder = folder
        self._pool = pool
        self._threads = concurrent.futures.ThreadPoolExecutor(AT_ONCE, "execution")
        self._lock = lock_order.lock("executions")
        self._under_way: dict[int, concurrent.futures.Future[None]] = {}
        self._runs: dict[int, Run] = {}
        self._warm: OrderedDict[int, _Warm] = OrderedDict()
        self._warm_bytes = 0

    def drive(self, key: int, mind: Mind) -> concurrent.futures.Future[None]:
        """Drives an execution on another thread. The future raises ExecutionError if that cannot be done now."""
        with self._lock:
            future = self._under_way.get(key)
            if future is None:
                future = self._under_way[key] = self._threads.submit(self._drive, key, mind)
                future.add_done_callback(lambda _: self._ended(key))
            return future

    @property
    def is_busy(self) -> bool:
        """True while an execution is being driven."""
        return bool(self._under_way)

    def stop(self, key: int) -> None:
        """Stops the drive of an execution that is deleted, and forgets its state."""
        with self._lock:
            run = self._runs.get(key)
            self._forget(key)
        if run is not None:
            run.stop()

    def changed(self, key: int) -> None:
        """Notify the listeners."""
        for listener in list(self.listeners):
            with contextlib.suppress(RuntimeError):  # its event loop may have ended
                listener(key)

    def forget_states(self) -> None:
        """Drop all suspended states: further drives replay their logs."""
        with self._lock:
            self._warm.clear()
            self._warm_bytes = 0

    def close(self) -> None:
        """Ends the threads; what they drive is stopped with the processes of the pool."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    # ---- one drive ------------------------------------------------------------------------------------------------

    def _drive(self, key: int, mind: Mind) -> None:
        with self._alone(key):
            execution = self.store.by_key(key)
            if execution is None or execution.state in ENDED:
                return
            if error := budget_error(execution, time.time()):
                self._finish(execution, {**execution.outcome, "error": error})
            elif execution.state != AWAITING:
                log_store.mark_running(self.store, key)
                try:
                    self._run(execution, mind)
                except Died:
                    # Whatever it did is in the log, so it can be done again from there.
                    _log.warning("a worker process died during the execution %d; replaying it", key)
                    self._again(execution, mind)

    def _again(self, execution: Execution, mind: Mind) -> None:
        try:
            self._run(execution, mind)
        except Died as death:
            message = f"{death}, twice: nothing is lost, call getTask again"
            raise ExecutionError("worker_died", message) from None

    def _run(self, execution: Execution, mind: Mind) -> None:
        """Raises ExecutionError, or Died: then the execution is as it was, but for what is in its log."""
        version, policy = self.store.version(execution.version_key), read_policy(execution.policy)
        left = _seconds_left(execution)
        seconds = min(DRIVE_SECONDS, left)
        # The call that asked is answered in time without it: a full pool must not fail the execution.
        deadline = Deadline.once_begun(DRIVE_SECONDS, time.monotonic() + left)
        warm, is_parallel = self._take_warm(execution.key), _is_parallel(version)
        log = self._replayable(execution.key) if warm is None and not is_parallel else []
        task = DriveTask(
            module=version.module,
            policy=policy,
            deadline=seconds,
            max_steps=execution.budgets.steps,
            inputs=input_texts(json.loads(execution.inputs)),
            snapshot=warm.snapshot if warm is not None else b"",
            log=tuple([(call.capability, call.arguments, call.result or "") for call in log]),
        )
        delivered = max((call.answer_order or 0 for call in log), default=0)
        effects = LoggedEffects(
            *(self.store, execution, policy, mind.performs(execution, policy, deadline)),
            *((warm.calls, warm.delivered) if warm is not None else (len(log), delivered)),
            is_parallel=is_parallel,
        )
        self.warm_drives, self.cold_drives = self.warm_drives + (warm is not None), self.cold_drives + (warm is None)
        outcome = self._outcome(execution, task, deadline, effects, mind)
        steps = int(outcome.get("steps", 0))
        shown = {"output": outcome.get("output", []), "output_total": outcome.get("output_total", 0)}
        if outcome.get("state") == "waiting":
            waiting = outcome["waiting"]
            self._keep(execution.key, effects)
            numbers = {int(task) for task in outcome["tasks"]}
            log_store.suspend(self.store, execution.key, steps, shown | {"waiting": waiting}, numbers, effects.delivered)
            self.changed(execution.key)
        elif "error" in outcome:
            self._finish(execution, shown | {"error": outcome["error"]}, steps)
        else:
            self._finish(execution, shown | {key: outcome[key] for key in ("result", "omitted") if key in outcome}, steps)

    def _replayable(self, key: int) -> list[LoggedCall]:
        """The calls from the first one on that have their results; of one machine they come in this order."""
        calls, size = [], 0
        for call in self.store.calls(key):
            size += len(call.arguments) + len(call.result or "")
            if call.result is None or size > LOG_BYTES:
                break
            calls.append(call)
        return calls

    def _outcome(
        self, execution: Execution, task: DriveTask, deadline: Deadline, effects: LoggedEffects, mind: Mind
    ) -> dict[str, Any]:
        key = execution.key

        def report(content: bytes) -> None:
            if mind.tell is not None:
                mind.tell(int(json.loads(content)["steps"]))

        try:
            run = (self._pool or shared_pool()).submit(task, deadline, report, effects, mind.owner)
            with self._lock:
                self._runs[key] = run
            return dict(json.loads(run.future.result()))
        except DeadlineExceeded:
            if error := budget_error(execution, time.time()):
                return {"error": error}
            message = f"the program ran for {task.deadline:.0f} seconds without reaching a task: that is the limit"
            return {"error": {"kind": "limit_exceeded", "limit_kind": "time", "message": message}}
        except QueueFull:
            raise ExecutionError("busy", "too many programs are already queued: call again in a moment") from None
        except (Stopped, concurrent.futures.CancelledError, log_store.Gone):
            raise ExecutionError("stopped", "the execution was stopped: it is being deleted, or the server is stopping") from None
        except CannotStart as error:
            raise ExecutionError("unavailable", str(error)) from None
        finally:
            with self._lock:
                self._runs.pop(key, None)

    def _finish(self, execution: Execution, outcome: dict[str, Any], steps: int = 0) -> None:
        log_store.finish(self.store, execution.key, steps, outcome)
        self.changed(execution.key)

    def _ended(self, key: int) -> None:
        with self._lock:
            self._under_way.pop(key, None)

    @contextlib.contextmanager
    def _alone(self, key: int) -> Iterator[None]:
        """No other process drives this execution meanwhile; the lock ends with its process."""
        ends = time.monotonic() + DRIVE_SECONDS + 60
        path = str(self._folder / f"drive-{key}.lock")
        while (lock := locks.acquire(path)) is None:
            if not threading.main_thread().is_alive():
                raise ExecutionError("stopped", "the server is stopping")
            if time.monotonic() > ends:
                raise ExecutionError("busy", "another process is running this execution: call again when it is done")
            time.sleep(_PAUSE)
        try:
            yield
        finally:
            lock.release()

    # ---- suspended programs ---------------------------------------------------------------------------------------

    def _take_warm(self, key: int) -> _Warm | None:
        """The state of a suspended program, if its log has gone on from there only by answers."""
        with self._lock:
            warm = self._forget(key)
        if warm is None:
            return None
        [(calls,)] = self.store.sql.read("SELECT COALESCE(MAX(number) + 1, 0) FROM calls WHERE execution = ?", key)
        return warm if calls == warm.calls else None

    def _keep(self, key: int, effects: LoggedEffects) -> None:
        if not effects.snapshot:
            return
        with self._lock:
            self._forget(key)
            self._warm[key] = _Warm(effects.snapshot, effects.number, effects.delivered)
            self._warm_bytes += len(effects.snapshot)
            while self._warm_bytes > WARM_BYTES:
                self._forget(next(iter(self._warm)))

    def _forget(self, key: int) -> _Warm | None:
        warm = self._warm.pop(key, None)
        if warm is not None:
            self._warm_bytes -= len(warm.snapshot)
        return warm


def _seconds_left(execution: Execution) -> float:
    """Seconds until the budget of an execution is used up."""
    budget = execution.budgets.seconds
    return math.inf if budget is None else max(execution.created + budget - time.time(), 0.0) + _MARGIN


def _is_parallel(version: Version) -> bool:
    """True if the program spawns actors: their tasks' answers are logged in the order in which they were given."""
    functions = unpacked(version.module).functions
    return any(op[0] == "SpawnActor" for function in functions for op in function.code)
