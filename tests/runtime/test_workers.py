"""The pool: runs in order of asking, at most so many at once, stopped at any moment, processes replaced."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from boruna_ls.runtime.job import Job, packed
from boruna_ls.runtime.pool_run import DeadlineExceeded, QueueFull, Stopped
from boruna_ls.runtime.worker import PRIORITY
from boruna_ls.runtime.workers import WorkerPool
from tests.support.daemon import until
from tests.support.programs import module

SMALL = packed(module("fn main() -> Int { 40 + 2 }"))
ENDLESS = packed(module("fn main() -> Int {\n    while true { 1 }\n    0\n}"))
BOMB = packed(module('fn main() -> Int {\n    let mut s = "12345678"\n    while true { s = s ++ s }\n    0\n}'))
FOREVER = 10**15


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool(size=1, queue_limit=2)
    yield made
    made.close()


def result(pool: WorkerPool) -> int:
    value: int = json.loads(json.loads(pool.submit(Job(SMALL), 30).future.result(30))["result"])
    return value


def test_process_is_started_once_and_kept(pool: WorkerPool) -> None:
    assert result(pool) == 42
    (first,) = pool.processes()
    assert result(pool) == 42
    assert pool.processes() == [first]


@pytest.mark.skipif(not os.path.exists("/proc/self/autogroup"), reason="the scheduler of this kernel knows no sessions")
def test_the_session_of_a_process_gives_way(pool: WorkerPool) -> None:
    assert result(pool) == 42
    (process,) = pool.processes()
    until(lambda: Path(f"/proc/{process}/autogroup").read_text().endswith(f" nice {PRIORITY}\n"))


def test_stop_while_it_runs_and_while_it_waits(pool: WorkerPool) -> None:
    running = pool.submit(Job(ENDLESS, max_steps=FOREVER), 60)
    waiting = pool.submit(Job(SMALL), 60)
    until(running.future.running)
    waiting.stop()
    with pytest.raises(CancelledError):
        waiting.future.result(60)
    running.stop()
    with pytest.raises(Stopped):
        running.future.result(60)
    running.stop()
    assert result(pool) == 42


def test_deadline(pool: WorkerPool) -> None:
    with pytest.raises(DeadlineExceeded):
        pool.submit(Job(ENDLESS, max_steps=FOREVER), 0.5).future.result(60)
    assert result(pool) == 42


def test_the_deadline_of_a_waiting_run_is_kept(pool: WorkerPool) -> None:
    running = pool.submit(Job(ENDLESS, max_steps=FOREVER), 60)
    with pytest.raises(DeadlineExceeded):
        pool.submit(Job(SMALL), 0.3).future.result(20)
    assert pool.waiting == 1
    running.stop()
    assert result(pool) == 42


def test_queue_is_bounded(pool: WorkerPool) -> None:
    runs = [pool.submit(Job(ENDLESS, max_steps=FOREVER), 60) for _ in range(3)]
    with pytest.raises(QueueFull):
        pool.submit(Job(SMALL), 60)
    for run in runs:
        run.stop()
    assert result(pool) == 42


def test_process_that_used_up_its_memory_is_replaced(pool: WorkerPool) -> None:
    assert result(pool) == 42
    (first,) = pool.processes()
    outcome = json.loads(pool.submit(Job(BOMB), 60).future.result(60))
    assert outcome["error"]["limit_kind"] == "memory"
    assert result(pool) == 42
    assert pool.processes() != [first]


def test_progress_comes_before_the_answer(pool: WorkerPool) -> None:
    told: list[bytes] = []
    run = pool.submit(Job(ENDLESS, max_steps=250_000, wants_progress=True), 60, told.append)
    run.future.result(60)
    assert [json.loads(one)["steps"] for one in told] == [100_000, 200_000]


def test_closed_pool_takes_nothing_and_leaves_nothing() -> None:
    pool = WorkerPool(size=1)
    run = pool.submit(Job(ENDLESS, max_steps=FOREVER), 60)
    until(run.future.running)
    pool.close()
    with pytest.raises(Stopped):
        run.future.result(60)
    with pytest.raises(QueueFull):
        pool.submit(Job(SMALL), 60)
    until(lambda: not pool.processes())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process the peak of the one that started it")
def test_what_a_large_process_starts_is_not_large() -> None:
    """A server with gigabytes of memos still runs programs."""
    script = "held = b'x' * (1100 << 20); from tests.runtime.test_workers import outcome_of_endless; outcome_of_endless()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "deadline\n"), done.stderr


def outcome_of_endless() -> None:
    """Prints how a run ends that only its deadline can end."""
    made = WorkerPool(size=1)
    try:
        print(made.submit(Job(ENDLESS, max_steps=FOREVER), 1).future.result(60))
    except DeadlineExceeded:
        print("deadline")
    finally:
        made.close()
