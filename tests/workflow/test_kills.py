"""Processes that drive runs are killed at random moments: a bounded part of `kills.py` and `machines.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.postgres import database, programs
from tests.workflow.kills import killed_at_random
from tests.workflow.machines import driven
from tests.workflow.waiting import waiting


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))


def test_runs_end_as_if_nothing_had_been_killed() -> None:
    assert killed_at_random(kills=3, runs=4, seed=11, loops=60_000) == []


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
