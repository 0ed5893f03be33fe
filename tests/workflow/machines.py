"""Several workers on one PostgreSQL: `python -m tests.workflow.machines [WORKERS] [RUNS] [KILLS]` (3, 20, 5). Needs PostgreSQL.

Workers are killed at random moments and started again; every run must end as if none had been.
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
from tests.workflow.kills import new_run, problems_of

LIMIT = 300.0


def driven(url: str, workers: int, runs: int, kills: int, seed: int, loops: int = 150_000) -> list[str]:
    """What is wrong after the runs of these workers."""
    rng = random.Random(seed)
    store = Store(Postgres(url))
    line = [command("boruna-ls"), "worker", "--database-url", url]
    processes = [subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(workers)]
    try:
        expected = {store.begin(new_run(number, loops)): loops + number for number in range(runs)}
        ends = time.monotonic() + LIMIT
        while store.runs("running") and time.monotonic() < ends:
            time.sleep(rng.uniform(0.5, 2.0))
            if kills:
                kills -= 1
                number = rng.randrange(workers)
                end(processes[number])
                processes[number] = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return [problem for run, value in expected.items() for problem in problems_of(store, run, value)]
    finally:
        for process in processes:
            end(process)


def main() -> int:
    numbers = [int(text) for text in sys.argv[1:]]
    workers, runs, kills = (*numbers, *(3, 20, 5)[len(numbers) :])
    if programs() is None:
        print("PostgreSQL is not installed", file=sys.stderr)
        return 2
    seed = random.randrange(1 << 30)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["BORUNA_LS_STATE"] = f"{scratch}/state"
        place = Path(scratch) / "postgres"
        place.mkdir()
        with database(place) as url:
            start = time.monotonic()
            problems = driven(url, workers, runs, kills, seed)
            took = time.monotonic() - start
    print(
        "\n".join(
            [*problems, f"seed {seed}: {runs} runs on {workers} workers, {kills} kills, {took:.0f} s, {len(problems)} problems"]
        )
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
