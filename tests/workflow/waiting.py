"""Cost of waiting runs: `python -m tests.workflow.waiting [RUNS]` (500) prints threads, memory, the time of a list."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from analysis.workflow.canonical import workflow_hash
from analysis.workflow.reader import read_definition
from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.workflow.driver import with_options
from boruna_ls.workflow.plan import OPEN
from boruna_ls.workflow.policies import policy_text
from boruna_ls.workflow.records import NewRun
from boruna_ls.workflow.runner import MOST_WAITING, Runner

GATE = {"kind": "approval_gate", "required_role": "lead"}


def waiting_run(number: int) -> NewRun:
    document = {"schema_version": 1, "name": f"w{number}", "version": "1", "steps": {"g": GATE}, "edges": []}
    text = json.dumps(document)
    definition = read_definition(text).definition
    options = with_options(OPEN)
    return NewRun(definition.name, workflow_hash(definition), policy_text(ALLOW_ALL), text, "", {}, "test", options)


def cost(pid: int) -> tuple[int, int]:
    """Threads and bytes of a process."""
    threads = len(os.listdir(f"/proc/{pid}/task"))
    return threads, int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def waiting(runs: int) -> dict[str, float]:
    """Cost of this number of waiting runs to the process that drives them."""
    runner = Runner()
    try:
        first = runner.drive(runner.store.begin(waiting_run(0)), 1)
        assert first.done.result(60) == "paused"
        process = runner._process
        assert process is not None
        threads, memory = cost(process.pid)
        begun = time.monotonic()
        for start in range(1, runs, MOST_WAITING):
            numbers = range(start, min(start + MOST_WAITING, runs))
            drives = [runner.drive(runner.store.begin(waiting_run(number)), 1) for number in numbers]
            assert all(drive.done.result(300) == "paused" for drive in drives)
        took = time.monotonic() - begun
        more_threads, more_memory = cost(process.pid)
        begun = time.monotonic()
        assert len(runner.store.runs("paused")) == runs
        listing = time.monotonic() - begun
        return {
            "threads": more_threads,
            "threads_idle": threads,
            "memory_mb": (more_memory - memory) / 1e6,
            "list_ms": listing * 1000,
            "ms_a_run": took / runs * 1000,
        }
    finally:
        runner.close()


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["BORUNA_LS_STATE"] = f"{scratch}/state"
        found = waiting(runs)
    print(f"{runs} waiting runs: " + ", ".join(f"{name} {value:.1f}" for name, value in found.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
