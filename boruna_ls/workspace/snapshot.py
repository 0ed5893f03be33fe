"""Jobs that end however much is typed: after some interruptions they go on with a snapshot of the host.

A snapshot is a host whose texts, libraries and settings stay as they were at one moment, over a branch of the database. A
job that works on it is not thrown away when an input changes or something more urgent comes: it lets that go first, in
the middle of a query, and goes on. Its answer names the revision of the snapshot.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from analysis.database import Database, Debris, job_checkpoint
from boruna_ls import lock_order
from boruna_ls.mounts import giving_way
from boruna_ls.workspace.host import Host
from boruna_ls.workspace.jobs import JobRules
from boruna_ls.workspace.names import Names
from boruna_ls.workspace.roots import DiskView
from boruna_ls.workspace.turns import Priority

if TYPE_CHECKING:
    from concurrent.futures import Future

    from boruna_ls.workspace.worker import Worker

T = TypeVar("T")
ATTEMPTS: Final = 8
_SOON: Final = 0.01
_LATER: Final = 0.1
"""Number of times a job starts on the present state before it gets a snapshot, if others can reuse what it computes; and the
seconds of computing after which it gets one anyway: short for a job about one file, long for one about a workspace.
"""

_AT_ONCE: Final = 200
"""Number of answers that are freed between two checks for waiting jobs."""


class SnapshotJobs:
    """The rules of jobs on a snapshot: it receives no changes, and they yield in the middle. See `JobRules`."""

    def __init__(self, present: JobRules, names: Names) -> None:
        self.db = present.db.branch(present.worker.give_way)
        self.worker = present.worker
        self.lock = lock_order.lock("snapshot")
        self._present = present
        self._look_once = DiskView(names)

    def catch_up(self) -> None:
        """A snapshot receives no changes."""

    def checkpoint(self) -> None:
        """Yield to more urgent jobs."""
        if self._present.has_waiting() or self.worker.should_yield():
            self.worker.give_way()

    def refuse_mixed(self) -> None:
        """A snapshot is one state."""

    def has_waiting(self) -> bool:
        """Always False: no input waits for a snapshot."""
        return False

    def write(self, operation: Callable[[Database], None]) -> None:
        """Sets an input now."""
        operation(self.db)

    def look(self) -> DiskView:
        """The disk is looked at once."""
        return self._look_once

    def one_look(self) -> AbstractContextManager[None]:
        """The disk is looked at once anyway."""
        return nullcontext()


def snapshot_of(host: Host) -> Host:
    """A host as it is when this is called, in a job of its worker. Raises Cancelled if editors' inputs still wait.

    None of its parts refers to it, so it is freed with its last reference.
    """
    with host.jobs.lock:
        host.jobs.catch_up()
        jobs, state = SnapshotJobs(host.jobs, host.shared.names), host.state.copied()
    state.texts.write = jobs.write
    return host.over(jobs, state)


def ask(host: Host, job: Callable[[Host], T], priority: Priority = Priority.REQUEST, client: int = 0) -> Future[T]:
    """Run a job on the worker for a client; it must look at the host that it is called with, the given one or a snapshot."""
    begun, spent = 0, 0.0
    snapshot: Host | None = None

    def run() -> T:
        nonlocal begun, spent, snapshot
        begun += 1
        if begun <= ATTEMPTS and spent < (_LATER if priority >= Priority.WORKSPACE else _SOON):
            since = time.monotonic()
            try:
                with job_checkpoint(host.checkpoint):
                    answer = job(host)
                host.jobs.refuse_mixed()
            finally:
                spent += time.monotonic() - since
            return answer
        snapshot = snapshot or snapshot_of(host)
        with job_checkpoint(snapshot.checkpoint), giving_way(snapshot.checkpoint):
            answer = job(snapshot)
        _free_in_steps(host, snapshot)
        snapshot = None
        return answer

    return host.worker.submit(run, priority, client, can_resume=True)


async def ask_and_wait(host: Host, job: Callable[[Host], T], priority: Priority = Priority.REQUEST, client: int = 0) -> T:
    """Waits on an event loop for a job of `ask`; the job ends with the wait."""
    import asyncio  # now: a check at a terminal does not need it

    future = ask(host, job, priority, client)
    try:
        return await asyncio.wrap_future(future)
    except asyncio.CancelledError:
        host.worker.abandon(future, asyncio.get_running_loop())
        raise
    finally:
        # The traceback of an error holds this frame, which must not hold the error in turn.
        del future


def _free_in_steps(host: Host, snapshot: Host) -> None:
    """Frees what was computed on a snapshot bit by bit, unless its answer still needs it.

    At once it would take some ten milliseconds for a large workspace, during which all other threads would stop.
    """
    _launch(host.worker, snapshot.db.debris, weakref.ref(snapshot.db), snapshot.db.tables())


def _launch(worker: Worker, debris: Debris, database: weakref.ref[Database], tables: list[dict[Any, Any]]) -> None:
    # A worker that was stopped frees nothing: the process is about to end.
    with suppress(RuntimeError):
        worker.launch(partial(_free, worker, debris, database, tables))


def _free(worker: Worker, debris: Debris, database: weakref.ref[Database], tables: list[dict[Any, Any]]) -> None:
    if database() is not None:
        return
    while tables:
        for _ in range(min(_AT_ONCE, len(tables[-1]))):
            key, memo = tables[-1].popitem()
            debris.add_answer(key, memo.value)
            memo.dismantle()
        if not tables[-1]:
            tables.pop()
        elif worker.should_yield():
            _launch(worker, debris, database, tables)
            return
