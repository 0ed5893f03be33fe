"""Processes that drive runs are killed at random moments: a bounded part of `kills.py` and `machines.py`."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from boruna_ls.workflow.runner import Runner
from tests.support.postgres import database, programs
from tests.workflow.kills import killed_at_random, new_run, problems_of
from tests.workflow.machines import driven
from tests.workflow.waiting import waiting


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))


def test_runs_end_as_if_nothing_had_been_killed() -> None:
    assert killed_at_random(kills=3, runs=4, seed=11, loops=60_000) == []


def test_a_service_that_is_replaced_before_its_end_is_noticed() -> None:
    """Whoever wakes the runner first starts the next service: what the dead one was driving ends all the same."""
    runner = Runner()
    try:
        loops = 200_000
        begun = threading.Event()
        drive = runner.drive(runner.store.begin(new_run(0, loops)), 1, lambda event: begun.set())
        assert begun.wait(60)
        with runner._lock:
            process = runner._process
            assert process is not None
            process.kill()
            process.wait()
            runner.wake()
            assert runner._process is not process
        assert drive.done.result(60) == "completed"
        assert problems_of(runner.store, drive.run, loops) == []
    finally:
        runner.close()


@pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")
def test_workers_of_one_database_take_over_from_each_other(tmp_path: Path) -> None:
    place = tmp_path / "postgres"
    place.mkdir()
    with database(place) as url:
        assert driven(url, workers=2, runs=4, kills=1, seed=3, loops=60_000) == []


def test_runs_that_wait_hold_no_thread() -> None:
    cost = waiting(100)
    # The pools of the process have their size; what waits adds nothing to it.
    assert cost["threads"] <= 30
    assert cost["memory_mb"] < 50
