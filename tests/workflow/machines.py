"""Several workers on one PostgreSQL: `python -m tests.workflow.machines [--workers 3] [--runs 20] [--kills 100] [--seed N]`.

Workers are killed at random moments and started again; every run must end as if none had been. Needs PostgreSQL.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from boruna_ls.state.sql import Postgres
from boruna_ls.workflow.store import Store
from tests.support.commands import command, end
from tests.support.postgres import database, programs
from tests.workflow.kills import arguments, new_run, problems_of

LIMIT = 300.0
"""Seconds after which a run that has not ended counts as lost."""


def driven(url: str, workers: int, runs: int, kills: int, seed: int, loops: int = 150_000) -> list[str]:
    """Problems after this number of kills beside this number of runs; runs are begun anew until all kills are done."""
    rng = random.Random(seed)
    store = Store(Postgres(url))
    line = [command("boruna-ls"), "worker", "--database-url", url]
    processes = [subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(workers)]
    expected: dict[str, int] = {}
    try:
        while kills or not expected:
            for number in range(len(expected), len(expected) + runs):
                expected[store.begin(new_run(number, loops))] = loops + number
            ends = time.monotonic() + LIMIT
            while store.runs("running") and time.monotonic() < ends:
                time.sleep(rng.uniform(0.5, 4.0))
                if kills:
                    kills -= 1
                    number = rng.randrange(workers)
                    end(processes[number])
                    processes[number] = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return [problem for run, value in expected.items() for problem in problems_of(store, run, value)]
    finally:
        for process in processes:
            end(process)


def main() -> int:
    asked = arguments(__doc__)
    if programs() is None:
        print("PostgreSQL is not installed", file=sys.stderr)
        return 2
    print(f"seed {asked.seed}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["BORUNA_LS_STATE"] = f"{scratch}/state"
        place = Path(scratch) / "postgres"
        place.mkdir()
        with database(place) as url:
            begun = time.monotonic()
            problems = driven(url, asked.workers, asked.runs, asked.kills, asked.seed)
            took = time.monotonic() - begun
    words = f"{asked.kills} kills of {asked.workers} workers, {took:.0f} s, {len(problems)} problems"
    print("\n".join([*problems, f"seed {asked.seed}: {words}"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
