"""The worker: order of jobs, taking back, and inputs that never make an event loop wait for a computation."""

from __future__ import annotations

import asyncio
import threading
import time
from functools import partial

import pytest

from analysis import inputs
from analysis.database import Cancelled, Database, query
from analysis.inputs import FileId
from boruna_ls.workspace import Host, Priority, Worker, turns


@query
def letters(db: Database, file: FileId, number: int) -> int:
    time.sleep(0.001)
    return inputs.source(db, file).text.count("x") + number


@query
def all_letters(db: Database, file: FileId) -> int:
    return sum(letters(db, file, number) for number in range(1_000))


def test_urgent_jobs_come_first_and_equals_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    # On a busy machine this alone can take longer than jobs wait for their turn.
    monkeypatch.setattr(turns, "PATIENCE", 60.0)
    done: list[int] = []
    worker, go = Worker(), threading.Event()
    worker.submit(go.wait)
    time.sleep(0.05)
    asked = [Priority.BACKGROUND, Priority.REQUEST, Priority.DIAGNOSTICS, Priority.REQUEST]
    futures = [worker.submit(partial(done.append, number), priority) for number, priority in enumerate(asked)]
    taken_back = worker.submit(lambda: done.append(9))
    assert taken_back.cancel()
    assert worker.pending()[Priority.REQUEST] == 3
    go.set()
    for future in futures:
        future.result(60)
    assert done == [1, 3, 2, 0]
    worker.stop()
    with pytest.raises(RuntimeError):
        worker.submit(go.wait)


def test_a_job_that_fails_costs_only_itself() -> None:
    worker = Worker()
    with pytest.raises(ZeroDivisionError):
        worker.submit(lambda: 1 // 0).result(60)
    with pytest.raises(SystemExit):
        worker.submit(lambda: exit(3)).result(60)
    assert worker.submit(lambda: 7).result(60) == 7
    worker.stop()


def test_a_cancelled_job_starts_again() -> None:
    worker, tries = Worker(), []

    def job() -> int:
        tries.append(1)
        if len(tries) < 3:
            raise Cancelled
        return len(tries)

    assert worker.submit(job).result(60) == 3
    worker.stop()


def test_an_edit_does_not_wait_and_the_answer_is_about_the_new_text() -> None:
    host = Host()
    client = host.connect()
    file = host.open(client, "untitled:1", "x")
    started = threading.Event()

    def job() -> int:
        started.set()
        return all_letters(host.db, file)

    future = host.worker.submit(job)
    assert started.wait(60)
    buffer = host.buffer(client, "untitled:1")
    assert buffer is not None
    host.change(client, "untitled:1", buffer.source.replaced_by("xx"))
    assert not future.done()
    letters_of_numbers = sum(range(1_000))
    assert future.result(60) == letters_of_numbers + 2 * 1_000
    host.worker.stop()


def test_a_long_step_without_queries_does_not_hold_up_an_editor() -> None:
    host = Host()
    client = host.connect()
    release, started = threading.Event(), threading.Event()

    def job() -> str:
        started.set()
        release.wait(60)
        host.jobs.catch_up()
        return inputs.source(host.db, file).text

    file = host.open(client, "untitled:1", "first")
    future = host.worker.submit(job)
    assert started.wait(60)
    host.open(client, "untitled:1", "second")
    host.open(client, "untitled:2", "another")
    host.close(client, "untitled:2")
    assert not future.done()
    release.set()
    assert future.result(30) == "second"
    host.worker.stop()


def test_what_fails_around_a_job_fails_that_job_only() -> None:
    failing = ""

    def fails(where: str) -> None:
        nonlocal failing
        if failing == where:
            failing = ""
            raise OSError(where)

    worker = Worker(before=partial(fails, "before"), after=partial(fails, "after"))
    for failing in ("before", "after"):
        with pytest.raises(OSError, match=failing):
            worker.submit(lambda: None).result(60)
        assert worker.submit(lambda: 42).result(60) == 42
    assert worker.load == 0
    worker.stop()


def test_a_failure_that_nobody_waits_for_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise OSError("lost")

    worker = Worker()
    worker.launch(fail)
    assert worker.submit(lambda: 42, Priority.BACKGROUND).result(60) == 42
    worker.stop()
    (record,) = caplog.records
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == "lost"


async def test_giving_jobs_up_takes_no_threads() -> None:
    worker, release, started = Worker(), threading.Event(), threading.Event()

    def deaf() -> None:
        started.set()
        release.wait(10)

    running = worker.submit(deaf)
    started.wait(10)
    before = threading.active_count()
    waiting = [worker.submit(deaf) for _ in range(200)]
    for future in (running, *waiting):
        worker.abandon(future, asyncio.get_running_loop())
    # The one that runs does not hear; it is told again and again.
    await asyncio.sleep(0.1)
    assert threading.active_count() <= before
    release.set()
    worker.stop()
    assert all(future.cancelled() for future in waiting)


def test_work_that_nobody_requested_does_not_end_a_quiet_time() -> None:
    """The watcher looks at the disk every few seconds; memory is given back meanwhile."""
    worker = Worker()

    def run(priority: Priority) -> None:
        worker.submit(lambda: None, priority).result()
        while worker.load:
            time.sleep(0.001)

    run(Priority.REQUEST)
    time.sleep(0.5)
    run(Priority.BACKGROUND)
    assert worker.idle_for() >= 0.5
    run(Priority.WORKSPACE)
    assert worker.idle_for() < 0.5
    worker.stop()
