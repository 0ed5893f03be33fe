"""Shares of the pool: a client that has no process gets one, whatever others run, and nothing that others run is lost for it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator

import pytest

from boruna_ls.runtime.fair_queue import FairQueue, Share
from boruna_ls.runtime.job import Job, packed
from boruna_ls.runtime.pool_run import DeadlineExceeded, Run, Stopped
from boruna_ls.runtime.workers import MOST_GUESTS, WorkerPool
from tests.support.daemon import until
from tests.support.programs import module

SMALL = Job(packed(module("fn main() -> Int { 40 + 2 }")))
ENDLESS = Job(packed(module("fn main() -> Int { while true { 1 } 0 }")), max_steps=10**15)
PATIENCE = 60.0
"""Seconds until a test has failed; nothing waits for so long."""


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    with contextlib.closing(WorkerPool(size=1)) as made:
        yield made


def agent(number: int) -> Share:
    return Share("agents", number)


def fill(pool: WorkerPool, clients: int) -> list[Run]:
    """An endless run of each of so many clients of one principal, all under way."""
    runs = [pool.submit(ENDLESS, 600.0, owner=agent(number)) for number in range(clients)]
    until(lambda: all(run.future.running() for run in runs))
    return runs


def value(run: Run) -> object:
    return json.loads(json.loads(run.future.result(PATIENCE))["result"])


def test_principals_take_turns_then_their_clients() -> None:
    queue: FairQueue[str] = FairQueue()
    for owner, items in ((agent(1), "a1 a2"), (agent(2), "b1 b2"), (agent(3), "c1"), (Share("editor", 9), "e1 e2")):
        for item in items.split():
            queue.put(owner, item)
    assert [queue.get()[1] for _ in range(7)] == ["a1", "e1", "b1", "e2", "c1", "a2", "b2"]


def test_guests_are_bounded_but_a_principal_with_nothing_running_is_served() -> None:
    queue: FairQueue[str] = FairQueue(room=1, guests=1, reserved=1)
    for number in range(3):
        queue.put(agent(number), f"a{number}")
    assert [queue.get()[1] for _ in range(2)] == ["a0", "a1"]
    with pytest.raises(TimeoutError):
        queue.get(0.01)
    queue.put(Share("editor", 9), "e1")
    assert queue.get(PATIENCE)[1] == "e1"
    assert [owner for owner in queue.to_interrupt() if owner.principal == "editor"] == []  # type: ignore[attr-defined]


def test_endless_runs_of_ten_agents_leave_an_editor_its_process(pool: WorkerPool) -> None:
    runs = fill(pool, 1 + MOST_GUESTS)
    assert value(pool.submit(SMALL, PATIENCE, owner=Share("editor", 99))) == 42
    assert [run.waits_again for run in runs] == [False] * len(runs), "nothing had to give way for it"


def test_endless_runs_of_ten_agents_leave_another_one_its_turn(pool: WorkerPool) -> None:
    runs = fill(pool, 1 + MOST_GUESTS)
    assert value(pool.submit(SMALL, PATIENCE, owner=agent(99))) == 42
    # The one that gave way goes on: anew, and in its turn.
    assert not any(run.future.done() for run in runs)
    until(lambda: not any(run.waits_again for run in runs))


def test_a_run_that_gave_way_is_answered_stopped_and_late_like_any_other(pool: WorkerPool) -> None:
    runs = fill(pool, 1)
    longer = pool.submit(Job(packed(module(_counting(20_000)))), PATIENCE, owner=agent(1))
    hasty = pool.submit(ENDLESS, 4.0, owner=agent(2))
    until(longer.future.running)
    until(hasty.future.running)
    for run in (runs[0], longer, hasty):
        run.interrupt()
    assert value(longer) == 20_000
    with pytest.raises(DeadlineExceeded):
        hasty.future.result(PATIENCE)
    runs[0].interrupt()
    runs[0].stop()
    with pytest.raises(Stopped):
        runs[0].future.result(PATIENCE)
    until(lambda: pool.waiting == 0)
    assert value(pool.submit(SMALL, PATIENCE)) == 42


def test_a_client_that_leaves_keeps_one_process_while_others_wait(pool: WorkerPool) -> None:
    lone, leaver = pool, agent(1)
    with contextlib.closing(WorkerPool(size=2)) as pool:
        left = [pool.submit(ENDLESS, 600.0, owner=leaver) for _ in range(4)]
        until(lambda: [run.future.running() for run in left] == [True, True, False, False])
        stayer = [pool.submit(ENDLESS, 600.0, owner=agent(2)), pool.submit(SMALL, PATIENCE, owner=agent(2))]
        pool.leave(leaver)
        assert value(stayer[1]) == 42
        assert not any(run.future.done() for run in left)
        # With nobody else there, it has the place of everybody again.
        stayer[0].stop()
        until(lambda: len([run for run in left if run.future.running() and not run.waits_again]) == 2)
    # What a client asked for before it left is answered, too.
    asked = [lone.submit(SMALL, PATIENCE, owner=leaver) for _ in range(3)]
    lone.leave(leaver)
    assert [value(run) for run in asked] == [42] * 3


def _counting(most: int) -> str:
    return f"fn main() -> Int {{ let mut n = 0 while n < {most} {{ n = n + 1 }} n }}"
