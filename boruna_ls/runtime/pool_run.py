"""One run in the pool of worker processes (`workers.py`), and the ways in which it ends without an answer."""

from __future__ import annotations

import contextlib
import math
import subprocess
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, InvalidStateError
from typing import Any, Final, Protocol

from boruna_ls import lock_order
from boruna_ls.deadline import Deadline
from boruna_ls.isolation.launcher import kill, signal_of

FIRST_SLICE: Final = 2.0
"""Seconds that a run has its process for at least, before the process may be taken for others that wait; after that twice as
many, and so on: a long run ends, too."""


class QueueFull(Exception):
    """Too many runs are waiting already."""


class Died(Exception):
    """The process ended in the middle of a run; `signal` is its number, 0 if it was none."""

    def __init__(self, status: int | None) -> None:
        self.signal = signal_of(status)
        super().__init__(f"the process that ran the program ended with status {status}")


class CannotStart(Exception):
    """No process can be started; the message is a sentence that says what to do."""


class DeadlineExceeded(Exception):
    """The run took longer than it may and was stopped."""


class Stopped(Exception):
    """The run was stopped on request."""


class Effects(Protocol):
    """Handler of the capability calls of one live run, implemented in `effects/broker.py`."""

    def answer(self, content: bytes, /) -> bytes:
        """From the content of a CALL to that of its RESULT. Called on a thread of the pool, which waits."""

    def cancel(self) -> None:
        """The run was stopped: `answer` returns soon. Called on any thread."""


class Run:
    """A run that was asked for: `future` gets the bytes of its answer, or one of the exceptions above."""

    def __init__(
        self,
        job: Any,
        deadline: Deadline,
        progress: Callable[[bytes], None] | None,
        effects: Effects | None = None,
        owner: Hashable = None,
    ) -> None:
        self.job = job
        self.deadline = deadline
        """Time by which the run must have ended; a run that is over then before it has begun ends as it begins."""
        self.progress = progress
        self.effects = effects
        self.owner = owner
        self.future: Future[bytes] = Future()
        self._lock = lock_order.lock("run")
        self._process: subprocess.Popen[bytes] | None = None
        self._is_begun = False
        self._slice = FIRST_SLICE
        self._slice_ends = math.inf
        self._is_interrupted = self._is_again = False
        self.is_taken = False
        """The process is set up for it."""
        self.reason: Exception | None = None

    def stop(self, reason: Exception | None = None) -> None:
        """Ends the run now, whether it waits or runs; nothing happens if it is done."""
        with self._lock:
            if self.reason is None:
                self.reason = reason or Stopped()
            process, waits, reason = self._process, not self._is_begun, self.reason
        # Outside of the lock: this calls the callbacks of those that wait for the run.
        if process is not None:
            kill(process)
        elif waits and (self._is_again or not isinstance(reason, Stopped)):
            with contextlib.suppress(InvalidStateError):
                self.future.set_exception(reason)
            return
        elif self.future.cancel():
            return
        if self.effects is not None:
            self.effects.cancel()

    def begin(self) -> bool:
        """A process is free for the run; False if it is over already."""
        with self._lock:
            if self.reason is not None and (self._is_again or not isinstance(self.reason, Stopped)):
                return False
            self._is_begun = self._is_again or self.future.set_running_or_notify_cancel()
            return self._is_begun

    def begins_in(self, process: subprocess.Popen[bytes] | None) -> None:
        """Set the process that `stop` kills, None for none; kill it now if the run was stopped before."""
        with self._lock:
            self._process = process
            self._slice_ends = math.inf if process is None else time.monotonic() + self._slice
            if process is not None and self.reason is not None:
                kill(process)

    def overdue(self) -> float:
        """Seconds since which the run's process may be taken for another run; negative if it may not.

        A run with effects keeps its process: it would repeat them.
        """
        return -math.inf if self.effects is not None else time.monotonic() - self._slice_ends

    def interrupt(self) -> None:
        """Take its process from the run, which waits for another one and begins anew, with the same answer and deadline."""
        with self._lock:
            if self._process is not None and self.reason is None and self.effects is None:
                self._is_interrupted = True
                kill(self._process)

    def gives_up_process(self) -> bool:
        """Called when the process has ended: True if it was taken from the run, which is to be queued again."""
        with self._lock:
            if not self._is_interrupted or self.reason is not None:
                return False
            self._is_interrupted = self._is_begun = self.is_taken = False
            self._is_again = True
            self._slice *= 2
            return True

    @property
    def waits_again(self) -> bool:
        """True if its process was taken from it, and it has no other one yet."""
        return self._is_again and not self._is_begun

    @property
    def spoils_process(self) -> bool:
        """True if its process was killed, or will be."""
        return self.reason is not None or self._is_interrupted
