"""The pool of worker processes: programs run there, one at a time in each, and can be stopped at once.

A thread for each process moves its messages, so that runs can be asked for from any thread and any event loop. A process that
dies, is stopped or was driven to its limits is replaced; what it was doing gets an answer that says so.
"""

from __future__ import annotations

import atexit
import itertools
import logging
import os
import pickle
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, Final

from analysis.data_classes import replace
from boruna_ls import lock_order
from boruna_ls.deadline import Alarm, Deadline
from boruna_ls.isolation.launcher import Launcher, Limits, kill, python, shared_launcher, signal_of
from boruna_ls.isolation.priority import lower_session
from boruna_ls.runtime import frames
from boruna_ls.runtime.fair_queue import FairQueue, principal_of
from boruna_ls.runtime.frames import Broken, Misused, read_frame, write_frame
from boruna_ls.runtime.pool_run import CannotStart, DeadlineExceeded, Died, Effects, QueueFull, Run
from boruna_ls.runtime.worker_files import GONE, compile_once, missing_files

QUEUE_LIMIT: Final = 500
"""Runs that may wait for a process."""
OWNER_LIMIT: Final = 100
"""Runs of one owner that may wait or run."""
OWNER_LEAST: Final = 4
"""Runs of one owner that may wait or run however many others have."""
MOST_LENT: Final = 8
"""Processes beyond the usual number while as many runs wait for a person."""
MOST_GUESTS: Final = 8
"""Processes beyond the usual number for owners that would have none."""
MOST_RESERVED: Final = 8
"""Processes beyond these for principals that would have none."""
IDLE_SECONDS: Final = 300.0
"""After which a process that has nothing to do ends."""
_EXTRA_IDLE_SECONDS: Final = 10.0
"""The same for processes beyond the usual number."""
_PACKAGES: Final = ("boruna_ls", "analysis", "jsonschema_rs")
"""Packages that a worker imports."""
_LIMITS: Final = Limits(open_files=64, file_size=0)
"""A worker sets those of its memory and its time by itself."""
_LOOK: Final = 0.5
"""Seconds between two looks whether runs that wait need the process of another one."""
_FAILED_STARTS: Final = 2
"""Processes in a row that end before they are set up, after which none is expected to start."""
_log = logging.getLogger(__name__)

_shared: list[WorkerPool] = []
_shared_lock: Final = lock_order.lock("pools")


def shared_pool() -> WorkerPool:
    """The pool that all connections of this process share; its processes end with it."""
    with _shared_lock:
        if not _shared:
            _shared.append(WorkerPool())
            atexit.register(_shared[0].close)
        return _shared[0]


class WorkerPool:
    """Processes are started when they are needed and kept for the next run."""

    def __init__(self, size: int | None = None, queue_limit: int = QUEUE_LIMIT, launcher: Launcher | None = None) -> None:
        self._launcher = launcher or shared_launcher()
        self.size = size if size is not None else min(max(os.cpu_count() or 2, 2), 8)
        self._queue_limit = queue_limit
        self._waiting: FairQueue[Run | None] = FairQueue(self.size, MOST_GUESTS, MOST_RESERVED)
        self._lock = lock_order.lock("pool")
        self._threads: list[threading.Thread] = []
        self._open = self._lent = 0
        self._owners: Counter[Hashable] = Counter()
        self._runs: dict[int, Run] = {}
        self._numbers = itertools.count()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._closed = self._is_watching = False
        self._failed_starts = 0
        """Processes in a row that ended before they were set up."""
        self.failure = ""
        """Reason why no process can be started any more; "" if one can."""

    def submit(
        self,
        job: Any,
        deadline: float | Deadline,
        progress: Callable[[bytes], None] | None = None,
        effects: Effects | None = None,
        owner: Hashable = None,
    ) -> Run:
        """Asks for a run of so many seconds, waiting included, or one that ends by a deadline (`Deadline.once_begun`: without).

        Raises QueueFull.
        `progress` is called on another thread, `effects` answer a live run.
        Owners (values that identify a client, and may name its `principal`) take turns, and each may have OWNER_LIMIT runs
        that wait or run. One that has none running need not wait for the end of others' runs: it has a process of its own
        (MOST_GUESTS, MOST_RESERVED), or that of a run without effects, which waits and begins anew.
        """
        run = Run(job, deadline if isinstance(deadline, Deadline) else Deadline.after(deadline), progress, effects, owner)
        with self._lock:
            its_own = self._owners.get(owner, 0)
            is_full = self._open >= self._queue_limit + self.size and (owner is None or its_own >= OWNER_LEAST)
            if self._closed or is_full or (owner is not None and its_own >= OWNER_LIMIT):
                raise QueueFull
            self._open += 1
            self._owners[owner] += 1
            number = next(self._numbers)
            self._runs[number] = run
            self._begin_thread()
        # A run that is taken back while it waits makes room at once.
        # By its number: a run that is tied to itself would stay, with all that came of it.
        run.future.add_done_callback(lambda _: self._release(number, owner))
        alarm = Alarm(run.deadline, partial(run.stop, DeadlineExceeded()))
        run.future.add_done_callback(lambda _: alarm.cancel())
        self._waiting.put(owner, run)
        self._watch()
        return run

    def leave(self, owner: Hashable) -> None:
        """An owner's client asks for nothing more. Its runs go on, but others wait for none of them but one."""
        self._waiting.leave(owner)
        self._watch()

    def _watch(self) -> None:
        """Look in a moment whether somebody waits in vain."""
        with self._lock:
            if not self._is_watching and not self._closed and self._waiting.is_full:
                self._is_watching = True
                Alarm(Deadline.after(_LOOK), self._relieve)

    def _relieve(self) -> None:
        """Take the process of the run that can best spare it, if others have to wait for one."""
        with self._lock:
            self._is_watching = False
            ranks = {owner: rank for rank, owner in enumerate(self._waiting.to_interrupt())}
            runs = [run for run in self._runs.values() if run.owner in ranks and run.overdue() >= 0]
        if ranks:
            self._watch()
        if runs:
            min(runs, key=lambda run: (ranks[run.owner], -run.overdue())).interrupt()

    def _begin_thread(self) -> None:
        """Start one more thread if a run waits for it; to be called with the lock held."""
        if len(self._threads) < self._useful():
            thread = threading.Thread(target=self._serve, name="runs", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _useful(self) -> int:
        """The most runs that can be under way now; to be called with the lock held."""
        others = max(len(self._owners) - 1, 0)
        reserved = max(len({principal_of(owner) for owner in self._owners}) - 1, 0)
        extra = min(self._lent, MOST_LENT) + min(others, MOST_GUESTS) + min(reserved, MOST_RESERVED)
        return min(self._open, self.size + extra)

    def _lend(self, is_paused: bool) -> None:
        """A person is asked, or has answered: meanwhile another run gets a process, so that none waits for that person."""
        with self._lock:
            before = min(self._lent, MOST_LENT)
            self._lent += 1 if is_paused else -1
            self._waiting.make_room(min(self._lent, MOST_LENT) - before)
            if not self._closed:
                self._begin_thread()

    def _patience(self, is_warm: bool) -> float | None:
        """Seconds for which a thread waits for a run before it ends its process, and itself if it is not one of the usual."""
        with self._lock:
            if len(self._threads) > self.size:
                return _EXTRA_IDLE_SECONDS
            return IDLE_SECONDS if is_warm else None

    def _leaves(self) -> bool:
        """True if this thread, which had nothing to do for long, ends."""
        with self._lock:
            if len(self._threads) <= max(self.size, self._useful()):
                return False
            self._threads.remove(threading.current_thread())
            return True

    def _release(self, number: int, owner: Hashable) -> None:
        with self._lock:
            self._open -= 1
            self._owners[owner] -= 1
            if not self._owners[owner]:
                del self._owners[owner]
            self._runs.pop(number, None)

    def waiting_of(self, owner: Hashable) -> int:
        """Number of an owner's runs that wait or run."""
        with self._lock:
            return self._owners.get(owner, 0)

    @property
    def waiting(self) -> int:
        """Number of runs that wait or run."""
        return self._open

    def processes(self) -> list[int]:
        """The ids of the processes that live now."""
        with self._lock:
            return [process.pid for process in self._processes if process.poll() is None]

    def close(self) -> None:
        """Stops everything."""
        with self._lock:
            self._closed = True
            runs, processes = list(self._runs.values()), list(self._processes)
        for run in runs:
            run.stop()
        for number, _ in enumerate(self._threads):
            self._waiting.put(("end", number), None)
        for process in processes:
            kill(process)

    # ---- one thread for each process ----------------------------------------------------------------------------

    def _serve(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        while not self._closed:
            try:
                owner, run = self._waiting.get(self._patience(process is not None), is_warm=process is not None)
            except TimeoutError:
                self._end(process)
                process = None
                if self._leaves():
                    return
                continue
            if run is None:
                break
            try:
                if run.begin():
                    process = self._carry_out(run, process)
            except Exception as error:
                self._end(process)
                process = None
                if not run.future.done():
                    run.future.set_exception(error)
            finally:
                self._waiting.done(owner)
            if run.waits_again:
                self._waiting.put(owner, run)
        self._end(process)

    def _carry_out(self, run: Run, process: subprocess.Popen[bytes] | None) -> subprocess.Popen[bytes] | None:
        """Runs it and gives the process that the next run can have."""
        request = pickle.dumps(run.job, pickle.HIGHEST_PROTOCOL)
        run.is_taken = process is not None and process.poll() is None
        if process is None or process.poll() is not None:
            self._end(process)
            process = self._begun()
        run.deadline.begin()
        alarm = Alarm(run.deadline, partial(run.stop, DeadlineExceeded()))
        run.deadline.listeners.append(self._lend)
        try:
            run.begins_in(process)
            kind, answer = self._conversation(run, process, request)
        except Broken as broken:
            if isinstance(broken, Misused):
                kill(process)
            status = self._wait(process)
            self._end(process)
            process = None
            run.begins_in(None)
            if not run.gives_up_process():
                run.future.set_exception(run.reason or (Died(status) if run.is_taken else self._stillborn(status)))
        else:
            run.begins_in(None)
            if kind == frames.LAST_ANSWER or run.spoils_process:
                self._end(process)
                process = None
            run.future.set_result(answer)
        finally:
            alarm.cancel()
            run.deadline.listeners.remove(self._lend)
        return process

    def _conversation(self, run: Run, process: subprocess.Popen[bytes], request: bytes) -> tuple[bytes, bytes]:
        assert process.stdin is not None
        assert process.stdout is not None
        write_frame(process.stdin, frames.REQUEST, request)
        while True:
            kind, content = read_frame(process.stdout)
            if kind == frames.READY:
                run.is_taken = True
                self._failed_starts = 0
            elif kind == frames.CALL:
                # A worker that asks although its run is not live has been taken over by its program.
                if run.effects is None:
                    raise Misused("a run without effects asks for one")
                write_frame(process.stdin, frames.RESULT, run.effects.answer(content))
            elif kind == frames.FAULT:
                _log.error("a worker failed: %s", content.decode("utf-8", "replace"))
            elif kind != frames.PROGRESS:
                return kind, content
            elif run.progress is not None:
                run.progress(content)

    def _begun(self) -> subprocess.Popen[bytes]:
        """A new process. Raises CannotStart."""
        try:
            process = self._start()
        except OSError as error:
            raise self._failed(missing_files() or f"the system starts no process: {error.strerror or error}") from error
        return process

    def _stillborn(self, status: int | None) -> Exception:
        """What came of a run whose process ended before it was set up; a signal may have been meant for it."""
        gone = missing_files()
        if not gone and signal_of(status):
            return Died(status)
        self._failed_starts += 1
        reason = gone or f"its process ends as it starts, with status {status} (is the installation of boruna-ls complete?)"
        return self._failed(reason, self._failed_starts >= _FAILED_STARTS)

    def _failed(self, reason: str, is_lasting: bool = False) -> CannotStart:
        if is_lasting or reason.startswith(GONE):
            self.failure = reason
        return CannotStart(f"the program was not run, since {reason}: call again in a moment, or restart the editor or agent")

    def _start(self) -> subprocess.Popen[bytes]:
        compile_once(is_needed=self._launcher.isolation().kind == "bubblewrap")
        # Not at the start of the daemon, for which editors wait.
        from boruna_ls.runtime.worker import GROUP_LIMIT, PRIORITY

        launch = python("from boruna_ls.runtime.worker import main; main()", _PACKAGES)
        launch = replace(launch, limits=_LIMITS, memory=GROUP_LIMIT)
        process = self._launcher.start(launch, subprocess.PIPE, subprocess.PIPE)
        # The worker lowers its own priority; behind isolation it could not lower that of its session.
        lower_session(process.pid, PRIORITY)
        with self._lock:
            self._processes.add(process)
            closed = self._closed
        if closed:
            kill(process)
        return process

    def _end(self, process: subprocess.Popen[bytes] | None) -> None:
        if process is None:
            return
        kill(process)
        self._wait(process)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue
        with self._lock:
            self._processes.discard(process)

    @staticmethod
    def _wait(process: subprocess.Popen[bytes]) -> int | None:
        try:
            return process.wait(5)
        except subprocess.TimeoutExpired:
            return None
