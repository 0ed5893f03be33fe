"""Runs of agents and editors: begun in the store of the state folder, driven by the service process, waited for from any loop.

At most five runs are driven at once; the others wait their turn. The service is started when it is needed and again when it died.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final

from analysis.data_classes import dataclass, field
from boruna_ls import lock_order
from boruna_ls.state import folder
from boruna_ls.state.sql import Sqlite
from boruna_ls.wire.lines import lined
from boruna_ls.workflow.engine import AT_ONCE, PART
from boruna_ls.workflow.records import RUNNING
from boruna_ls.workflow.service import FILE
from boruna_ls.workflow.store import Outdated, Store

MOST_WAITING: Final = 200
"""Runs that may wait for their turn."""
_MOST_DEATHS: Final = 3
"""Consecutive deaths of the service after which it is given up."""
_FLAGS: Final[int] = getattr(subprocess, "CREATE_NO_WINDOW", 0)
Tell = Callable[[dict[str, Any]], None]

_shared: list[Runner] = []
_shared_lock: Final = lock_order.lock("shared")


class TooManyRuns(Exception):
    """The queue of runs is full."""


@dataclass(eq=False)
class Drive:
    """A drive that was asked for. `done` gets the status at its end; `tell` is called with its events, on another thread."""

    run: str
    number: int
    tell: Tell
    done: Future[str] = field(default_factory=Future)
    driver: subprocess.Popen[bytes] | None = None
    """The service process that was asked last."""


def shared_runner() -> Runner:
    """The runner that all connections of this process share. Raises StateError, StoreError."""
    with _shared_lock:
        if not _shared:
            _shared.append(Runner())
        return _shared[0]


def runs_under_way() -> bool:
    """True if this process drives runs, or has some waiting; it then should not end of itself."""
    return bool(_shared) and _shared[0].is_busy


def take_up_unfinished() -> None:
    """Goes on with runs that an earlier process left; does nothing, cheaply, if there are none."""
    path = folder.state_folder() / PART / FILE
    if path.is_file() and Store(Sqlite(path)).runs(RUNNING):
        shared_runner().wake()


def close_runner() -> None:
    """Ends the service process."""
    with _shared_lock:
        if _shared:
            _shared[0].close()


class Runner:
    """Starts drives and receives their events."""

    def __init__(self) -> None:
        self.store = Store(Sqlite(folder.opened(PART) / FILE, is_durable=True))
        self._lock = lock_order.lock("workflows")
        self._process: subprocess.Popen[bytes] | None = None
        self._driving: dict[str, Drive] = {}
        self._waiting: deque[Drive] = deque()
        self.listeners: list[Callable[[str], None]] = []
        """Called with the id of every run whose drive has ended, on another thread."""
        self._closed = False
        self._deaths = 0
        self._woken = False

    @property
    def is_busy(self) -> bool:
        with self._lock:
            if self._driving or self._waiting:
                return True
        return self._woken and bool(self.store.runs(RUNNING))

    def drive(self, run: str, number: int, tell: Tell = lambda event: None) -> Drive:
        """Asks for a drive of a run. Raises TooManyRuns."""
        wanted = Drive(run, number, tell)
        with self._lock:
            if len(self._waiting) >= MOST_WAITING:
                raise TooManyRuns
            self._waiting.append(wanted)
            self._send({"do": "hold", "run": run})
            self._next()
        return wanted

    def place(self, wanted: Drive) -> int:
        """Its place in the queue from 1, 0 if it is driven or done."""
        with self._lock:
            return self._waiting.index(wanted) + 1 if wanted in self._waiting else 0

    def wake(self) -> None:
        """Starts the service, which looks for what was left behind."""
        with self._lock:
            self._woken = True
            self._running()

    def close(self) -> None:
        """Ends the service; what it drives is taken up by the next one."""
        with self._lock:
            self._closed = True
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait(5)

    def _next(self) -> None:
        while self._waiting and len(self._driving) < AT_ONCE:
            wanted = self._waiting.popleft()
            self._driving[wanted.run] = wanted
            wanted.driver = self._send({"do": "drive", "run": wanted.run, "number": wanted.number})

    def _send(self, request: dict[str, Any]) -> subprocess.Popen[bytes]:
        """The process that got the request, or is about to be found dead."""
        process = self._running()
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.write(lined(json.dumps(request).encode()))
            process.stdin.flush()
        return process

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "boruna_ls.workflow.service"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if not os.environ.get("BORUNA_TRACEBACK") else None,
                start_new_session=True,
                creationflags=_FLAGS,
            )
            threading.Thread(target=self._listen, args=(self._process,), name="workflows", daemon=True).start()
            for held in self._waiting:
                self._send({"do": "hold", "run": held.run})
        return self._process

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            event = json.loads(line)
            self._deaths = 0
            with self._lock:
                drive = self._driving.get(event["run"])
            if drive is None:
                continue
            if event["kind"] == "ended":
                self._ended(drive, event["status"])
            else:
                drive.tell(event)
        self._died(process)

    def _ended(self, drive: Drive, status: str) -> None:
        with self._lock:
            self._driving.pop(drive.run, None)
            self._next()
        drive.done.set_result(status)
        for listener in self.listeners:
            # Its event loop may have ended.
            with suppress(RuntimeError):
                listener(drive.run)

    def _died(self, process: subprocess.Popen[bytes]) -> None:
        """Another service takes up what the one that died was driving."""
        process.wait()
        with self._lock:
            if self._closed:
                return
            if self._process is process:
                self._process = None
            self._deaths += 1
            # Another service may have been started already; what that one was asked for is not lost.
            lost = [drive for drive in self._driving.values() if drive.driver is process]
            for drive in lost:
                del self._driving[drive.run]
            if self._deaths > _MOST_DEATHS:
                lost += self._waiting
                self._waiting.clear()
                for drive in lost:
                    # The run stays as it is stored; the next call starts another service.
                    drive.done.set_result(RUNNING)
                self._deaths = 0
                return
        for drive in lost:
            try:
                drive.number = self.store.take(drive.run)
            except Outdated:
                record = self.store.run(drive.run)
                drive.done.set_result(record.status if record is not None else "outdated")
                continue
            with self._lock:
                self._waiting.appendleft(drive)
        with self._lock:
            self._next()
