"""Kills the process that drives runs at random moments: `python -m tests.workflow.kills [--kills 100] [--runs 20] [--seed N]`.

Every run must end as if nothing had been killed: the same outputs, each step recorded once in a sound audit chain.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from typing import Any

from analysis.workflow.canonical import workflow_hash
from analysis.workflow.reader import read_definition
from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.workflow.audit import first_broken
from boruna_ls.workflow.driver import with_options
from boruna_ls.workflow.plan import OPEN
from boruna_ls.workflow.policies import policy_text
from boruna_ls.workflow.records import NewRun
from boruna_ls.workflow.runner import Drive, Runner
from boruna_ls.workflow.store import Store

STEPS = 6
LIMIT = 900.0
"""Seconds after which a run that has not ended counts as lost."""


def new_run(number: int, loops: int) -> NewRun:
    """A chain of programs that each take a while; the number tells the runs apart."""
    program = (
        "fn main() -> Int !{{step.input}} {{\n    let mut n: Int = 0\n    while n < {loops} {{\n        n = n + 1\n    }}\n"
        "    n + {number}\n}}\n"
    )
    steps: dict[str, Any] = {
        f"s{i}": {"kind": "source", "source": f"s{i}.ax", "depends_on": [f"s{i - 1}"] if i else []} for i in range(STEPS)
    }
    text = json.dumps({"schema_version": 1, "name": f"run {number}", "version": "1", "steps": steps, "edges": []})
    definition = read_definition(text).definition
    sources = {name: program.format(loops=loops, number=number) for name in steps}
    options = with_options(OPEN, 2)
    return NewRun(definition.name, workflow_hash(definition), policy_text(ALLOW_ALL), text, "", sources, "test", options)


def killed_at_random(kills: int, runs: int, seed: int, loops: int = 150_000) -> list[str]:
    """Problems after this number of kills beside this number of runs; runs are begun anew until all kills are done."""
    rng = random.Random(seed)
    runner = Runner()
    expected: dict[str, int] = {}
    drives: list[Drive] = []
    done = begun = 0
    try:
        while done < kills or not drives:
            for _ in range(runs):
                run = runner.store.begin(new_run(begun, loops))
                expected[run] = loops + begun
                drives.append(runner.drive(run, 1))
                begun += 1
            ends = time.monotonic() + LIMIT
            while any(not drive.done.done() for drive in drives) and time.monotonic() < ends:
                time.sleep(rng.uniform(0.2, 1.6))
                process = runner._process
                if done < kills and process is not None and process.poll() is None:
                    os.kill(process.pid, 9)
                    done += 1
                runner.wake()
        problems = []
        for run, value in expected.items():
            problems += problems_of(runner.store, run, value)
        return problems
    finally:
        runner.close()


def problems_of(store: Store, run: str, value: int) -> list[str]:
    """Problems of a run that must have completed."""
    ends = time.monotonic() + 60
    while (record := store.run(run)) is not None and record.status == "running" and time.monotonic() < ends:
        time.sleep(0.2)
    steps = store.steps(run)
    if record is None or record.status != "completed":
        return [
            f"{run}: {record.status if record else 'lost'}, {[(one.step_id, one.status, one.error) for one in steps.values()]}"
        ]
    problems = [
        f"{run}: {one.step_id} gave {one.output}"
        for one in steps.values()
        if one.output != json.dumps({"Int": value}).replace(" ", "")
    ]
    log = store.audit_log(run)
    if (broken := first_broken(log)) is not None:
        problems.append(f"{run}: the audit chain is broken at {broken}")
    ended = Counter(fields["step_id"] for entry in log for name, fields in entry.event.items() if name == "StepCompleted")
    if ended != Counter({f"s{i}": 1 for i in range(STEPS)}):
        problems.append(f"{run}: steps in the audit log: {dict(ended)}")
    return problems


def arguments(about: str | None) -> argparse.Namespace:
    """Numbers of kills and runs, and the seed, which is printed to repeat them."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--runs", type=int, default=20, help="runs at the same time")
    parser.add_argument("--workers", type=int, default=3, help="of one PostgreSQL")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    return parser.parse_args()


def main() -> int:
    asked = arguments(__doc__)
    print(f"seed {asked.seed}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["BORUNA_LS_STATE"] = f"{scratch}/state"
        begun = time.monotonic()
        problems = killed_at_random(asked.kills, asked.runs, asked.seed)
        took = time.monotonic() - begun
    print("\n".join([*problems, f"seed {asked.seed}: {asked.kills} kills, {took:.0f} s, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
