"""The record of runs: stores of other versions, two who decide at once, decisions that come too late, clocks that jump."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.runtime.workers import shared_pool
from boruna_ls.state.sql import Sqlite, StoreError
from boruna_ls.workflow import schema
from boruna_ls.workflow.audit import first_broken
from boruna_ls.workflow.decisions import OWNER, Principal, decide
from boruna_ls.workflow.driver import Driver
from boruna_ls.workflow.engine import FolderPlace
from boruna_ls.workflow.folders import WorkflowError
from boruna_ls.workflow.rehearsal import Rehearsal
from boruna_ls.workflow.store import Store
from tests.support.commands import run
from tests.workflow.kills import new_run
from tests.workflow.waiting import waiting_run

HOLDS = """
import sys, time
from pathlib import Path
from boruna_ls.workflow.engine import FolderPlace
FolderPlace("", Path(sys.argv[1])).lock("gone")
print("held", flush=True)
time.sleep(60)
"""


def test_locks_of_killed_processes_are_removed_and_no_others(tmp_path: Path) -> None:
    """Processes that begin at once keep their locks, though each of them sweeps."""
    place = FolderPlace("", tmp_path)
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        assert not place.has_ended("gone")
        process.kill()
    assert [path.name for path in tmp_path.iterdir()] == ["gone.executor"]

    with ThreadPoolExecutor(8) as threads:
        for round_ in range(10):
            names = [f"{round_}-{number}" for number in range(8)]
            releases = list(threads.map(place.lock, names))
            assert {path.name for path in tmp_path.iterdir()} == {f"{name}.executor" for name in names}
            assert not any(place.has_ended(name) for name in names)
            for release in releases:
                release()
    assert place.has_ended("gone")
    assert list(tmp_path.iterdir()) == []


async def paused(store: Store) -> str:
    run_id = store.begin(waiting_run(0))
    assert await Driver(store, shared_pool()).drive(run_id, 1) == "paused"
    return run_id


async def test_a_store_of_an_older_version_is_migrated_and_its_runs_go_on(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    store = Store(Sqlite(path))
    run_id = await paused(store)
    store.close()
    with sqlite3.connect(path) as raw:
        # As version 1 was.
        raw.execute("DROP TABLE inputs")
        raw.execute("ALTER TABLE steps DROP COLUMN withheld")
        raw.execute("ALTER TABLE steps DROP COLUMN steps_used")
        raw.execute("ALTER TABLE runs DROP COLUMN duration_ms")
        raw.execute("UPDATE schema_version SET version = 1")
    store = Store(Sqlite(path))
    decide(store, run_id, "g", True, None, Principal(OWNER, True))
    assert await Driver(store, shared_pool()).drive(run_id, store.take(run_id)) == "completed"
    assert first_broken(store.audit_log(run_id)) is None


def test_a_store_of_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    Store(Sqlite(path)).close()
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE schema_version SET version = 99")
        raw.commit()
        before = list(raw.iterdump())
    with pytest.raises(StoreError, match=f"this build expects {schema.VERSION}, database has 99"):
        Store(Sqlite(path))
    refused = run("workflow", "list", "--data-dir", str(tmp_path))
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "database has 99" in refused.stderr
    with closing(sqlite3.connect(path)) as raw:
        assert list(raw.iterdump()) == before


async def test_of_many_who_decide_at_once_one_does(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    store = Store(Sqlite(path))
    run_id = await paused(store)
    start, said, refused = threading.Barrier(8), [], []

    def decides(number: int) -> None:
        own = Store(Sqlite(path))
        start.wait()
        try:
            decide(own, run_id, "g", number % 2 == 0, None, Principal(OWNER, True), f"p{number}")
            said.append(f"p{number}")
        except WorkflowError as error:
            refused.append(str(error))
        own.close()

    threads = [threading.Thread(target=decides, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == [store.decisions(run_id)["g"].approver]
    assert len(refused) == 7
    assert all("was already" in words for words in refused)
    log = store.audit_log(run_id)
    assert sum(next(iter(entry.event)).startswith("Approval") for entry in log) == 1
    assert first_broken(log) is None


async def test_nothing_is_approved_after_a_rejection(tmp_path: Path) -> None:
    store = Store(Sqlite(tmp_path / "runs.db"))
    run_id = await paused(store)
    decide(store, run_id, "g", False, "no", Principal(OWNER, True))
    with pytest.raises(WorkflowError, match="already rejected"):
        decide(store, run_id, "g", True, None, Principal(OWNER, True))
    assert await Driver(store, shared_pool()).drive(run_id, store.take(run_id)) == "failed"
    with pytest.raises(WorkflowError, match="is failed; cannot mutate"):
        decide(store, run_id, "g", True, None, Principal(OWNER, True))


def test_a_clock_that_jumps_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    real, looks = time.time_ns, [0]

    def jumping() -> int:
        looks[0] += 1
        return real() + looks[0] * 86_400 * 10**9 * (1 if looks[0] % 2 else -1)

    monkeypatch.setattr(time, "time_ns", jumping)
    rehearsal = Rehearsal(new_run(1, 100), {}, {}, lambda run, event: None)
    rehearsal.carry_out()
    steps: dict[str, Any] = dict(rehearsal.store.steps(rehearsal.run))
    assert {step.status for step in steps.values()} == {"completed"}
    assert all(step.duration_ms >= 0 for step in steps.values())
    log = rehearsal.store.audit_log(rehearsal.run)
    assert first_broken(log) is None
    assert all(entry.event["StepCompleted"]["duration_ms"] >= 0 for entry in log if "StepCompleted" in entry.event)
    assert json.dumps([entry.as_dict() for entry in log])
