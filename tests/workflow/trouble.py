"""Runs through a full disk, an upgrade, a database that goes away: `python -m tests.workflow.trouble` (Linux, PostgreSQL).

They wait and go on by themselves. The disk of the process that drives runs is full when the system refuses it larger files.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from boruna_ls.state import folder as state
from boruna_ls.state.sql import Postgres, StoreUnavailable
from boruna_ls.workflow.engine import PART
from boruna_ls.workflow.runner import Runner
from boruna_ls.workflow.store import Store
from tests.support.commands import command, end
from tests.support.postgres import database, programs, restarted
from tests.workflow.kills import new_run, problems_of

RUNS = 10
LOOPS = 60_000


def full_disk() -> list[str]:
    """Problems after runs under which the disk was full for a while."""
    runner = Runner()
    try:
        runner.wake()
        process = runner._process
        assert process is not None
        expected = {runner.store.begin(new_run(number, LOOPS)): LOOPS + number for number in range(RUNS)}
        for run in expected:
            runner.drive(run, 1)
        while not any(runner.store.steps(run) for run in expected):
            time.sleep(0.05)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        time.sleep(8)
        while_full = [runner.store.run(run) for run in expected]
        problems = [f"{one.run_id}: {one.status} while the disk was full" for one in while_full if one and one.status == "failed"]
        if process.poll() is None:
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        return problems + [problem for run, value in expected.items() for problem in problems_of(runner.store, run, value)]
    finally:
        runner.close()


def upgrade() -> list[str]:
    """Problems after runs whose process was killed and whose drives are of an older version of the program."""
    runner = Runner()
    try:
        expected = {runner.store.begin(new_run(number, LOOPS)): LOOPS + number for number in range(RUNS)}
        for run in expected:
            runner.drive(run, 1)
        while not any(runner.store.steps(run) for run in expected):
            time.sleep(0.05)
    finally:
        runner.close()
    for path in (state.opened(PART)).glob("*.engine.db"):
        with contextlib.closing(sqlite3.connect(path)) as raw:
            raw.execute("UPDATE workflow_status SET application_version = 'boruna-1'")
            raw.commit()
    runner = Runner()
    try:
        runner.wake()
        return [problem for run, value in expected.items() for problem in problems_of(runner.store, run, value)]
    finally:
        runner.close()


def database_gone(place: Path) -> list[str]:
    """Problems after runs of two workers whose database was stopped for a while."""
    with database(place) as url:
        line = [command("boruna-ls"), "worker", "--database-url", url]
        workers = [subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(2)]
        try:
            store = Store(Postgres(url))
            expected = {store.begin(new_run(number, LOOPS)): LOOPS + number for number in range(RUNS)}
            while not any(store.steps(run) for run in expected):
                time.sleep(0.05)
            with restarted(place):
                try:
                    store.runs()
                    return ["the database answers although it was stopped"]
                except StoreUnavailable:
                    time.sleep(6)
            store = Store(Postgres(url))
            problems = [f"worker ended with {worker.poll()}" for worker in workers if worker.poll() is not None]
            return problems + [problem for run, value in expected.items() for problem in problems_of(store, run, value)]
        finally:
            for worker in workers:
                end(worker)


def main() -> int:
    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["BORUNA_LS_STATE"] = f"{scratch}/state"
        found["full disk"] = full_disk()
        os.environ["BORUNA_LS_STATE"] = f"{scratch}/upgrade"
        found["upgrade"] = upgrade()
        if programs() is not None:
            place = Path(scratch) / "postgres"
            place.mkdir()
            found["database gone"] = database_gone(place)
    for name, problems in found.items():
        print("\n".join([*problems, f"{name}: {RUNS} runs, {len(problems)} problems"]))
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
