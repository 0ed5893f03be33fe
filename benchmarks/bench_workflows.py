"""Cost of workflows: `python -m benchmarks.bench_workflows [PART ...]` (all parts without a name: `PARTS`).

The overhead of a durable step is the time of a run on SQLite without that of the same programs in the same worker processes,
which is the baseline. `machines` needs PostgreSQL: its steps fail and wait until they have been tried five times, which
takes 1.5 s and hardly any processor, so that the figure is the one of the machinery.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from analysis.workflow.canonical import workflow_hash
from analysis.workflow.reader import read_definition
from analysis.workflow.validation import validate
from benchmarks.bench_lsp import OUR_SERVER, Editor, Place, toggled
from benchmarks.calibration import calibration_ms
from boruna_ls.answers.workflow import validation_answer
from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.runtime.workers import shared_pool
from boruna_ls.state.sql import Postgres, Sqlite
from boruna_ls.workflow.driver import Driver, Hooks, with_options
from boruna_ls.workflow.engine import Engine, place_for
from boruna_ls.workflow.plan import LEVELS, SEQUENTIAL
from boruna_ls.workflow.policies import policy_text
from boruna_ls.workflow.records import NewRun
from boruna_ls.workflow.step_task import StepTask
from boruna_ls.workflow.store import Store
from tests.support.commands import command, end
from tests.support.postgres import database, programs
from tests.workflow.waiting import waiting, waiting_run

STEPS = 60
PROGRAM = "fn main() -> Int {{ {number} }}\n"
FAILING = "fn main() -> Int {\n    1 / 0\n}\n"
RUNS = 200
WORKERS = 4


def chain(count: int, name: str = "chain") -> str:
    """A workflow whose steps follow each other; each reads the one before."""
    steps: dict[str, Any] = {}
    for number in range(count):
        before = f"s{number - 1:05}"
        after = {"inputs": {"v": f"{before}.result"}, "depends_on": [before]} if number else {}
        steps[f"s{number:05}"] = {"kind": "source", "source": f"s{number}.ax", **after}
    return json.dumps({"schema_version": 1, "name": name, "version": "1", "steps": steps, "edges": []})


def wide(count: int) -> str:
    """Layers of ten steps, each of which waits for three of the layer before."""
    steps: dict[str, Any] = {}
    for number in range(count):
        layer = number // 10
        before = [f"s{(layer - 1) * 10 + (number * 7 + k * 3) % 10:05}" for k in range(3)] if layer else []
        steps[f"s{number:05}"] = {"kind": "source", "source": f"s{number}.ax", "depends_on": sorted(set(before))}
    return json.dumps({"schema_version": 1, "name": "wide", "version": "1", "steps": steps, "edges": []})


def new_run(text: str, sources: dict[str, str], mode: str, concurrency: int = 1) -> NewRun:
    definition = read_definition(text).definition
    options = with_options(mode, concurrency)
    return NewRun(definition.name, workflow_hash(definition), policy_text(ALLOW_ALL), text, "", sources, "", options)


def row(name: str, figure: str, ratio: str = "") -> None:
    print(f"{name:<64}{figure:>16}{ratio:>14}", flush=True)


# ---- overhead of a step ------------------------------------------------------------------------------------------


def steps(scratch: Path, loop: float) -> None:
    """A chain on SQLite, durable, beside the same programs in the same processes."""
    store = Store(Sqlite(scratch / "runs.db", is_durable=True))
    pool = shared_pool()
    sources = {f"s{number:05}": PROGRAM.format(number=number) for number in range(STEPS)}

    def plain() -> float:
        begun = time.perf_counter()
        for name, text in sources.items():
            pool.submit(StepTask(name, text, {"v": '{"Int":1}'}), 60.0).future.result(60)
        return (time.perf_counter() - begun) * 1000 / STEPS

    async def durable(mode: str, concurrency: int) -> float:
        run = store.begin(new_run(chain(STEPS) if mode == SEQUENTIAL else wide(STEPS), sources, mode, concurrency))
        begun = time.perf_counter()
        assert await engine.drive(run, 1) == "completed"
        return (time.perf_counter() - begun) * 1000 / STEPS

    async def measured() -> tuple[list[float], list[float], list[float]]:
        plain()
        await durable(SEQUENTIAL, 1)
        found = [(plain(), await durable(SEQUENTIAL, 1), await durable(LEVELS, 2)) for _ in range(5)]
        return [one[0] for one in found], [one[1] for one in found], [one[2] for one in found]

    engine = Engine(Driver(store, pool, Hooks()), place_for(scratch))
    engine.launch()
    try:
        base, chained, levels = asyncio.run(measured())
    finally:
        engine.close()
    row("a program in a worker process, no record (baseline)", f"{median(base):.1f} ms", "x 1.0")
    for name, times in (("a durable step of a chain", chained), ("a durable step of levels, two at a time", levels)):
        row(name, f"{median(times):.1f} ms", f"x {median(times) / median(base):.1f}")
    row("  overhead a step (goal 15 ms)", f"{median(chained) - median(base):.1f} ms")


# ---- definitions and lists ---------------------------------------------------------------------------------------


def graph(scratch: Path, loop: float) -> None:
    """Documents of many steps, read and judged; the answer of the tool."""
    for count in (1000, 10_000):
        for name, text in (("chain", chain(count)), ("layers", wide(count))):
            took = best(lambda text=text: validate(read_definition(text)), 5)  # type: ignore[misc]
            row(f"{count:,} steps ({name}) validated", f"{took:.1f} ms", f"x loop {took / loop:.1f}")
        text = chain(count)
        answer = best(lambda text=text: validation_answer(text), 3)  # type: ignore[misc]
        row(f"{count:,} steps, the whole answer of the tool", f"{answer:.1f} ms", f"x loop {answer / loop:.1f}")


def best(work: Callable[[], Any], times: int) -> float:
    """Milliseconds of this process's processor time, the median of some repetitions: other programs do not count."""
    found = []
    for _ in range(times):
        begun = time.process_time()
        work()
        found.append((time.process_time() - begun) * 1000)
    return median(found)


def listing(scratch: Path, loop: float) -> None:
    """1,000 stored runs, listed."""
    store = Store(Sqlite(scratch / "many.db"))
    for number in range(1000):
        store.begin(waiting_run(number))
    one = best(lambda: store.runs("running"), 9)
    row("1,000 stored runs listed (goal 50 ms)", f"{one:.1f} ms", f"x loop {one / loop:.1f}")


def cheap_waiting(scratch: Path, loop: float) -> None:
    """500 runs that wait at a gate."""
    found = waiting(500)
    row("500 waiting runs: threads (goal 30)", f"{found['threads']:.0f}", f"idle {found['threads_idle']:.0f}")
    row("500 waiting runs: memory above idle (goal 100 MB)", f"{found['memory_mb']:.1f} MB")
    row("500 waiting runs: time of one, begun and paused", f"{found['ms_a_run']:.1f} ms")


# ---- editors ----------------------------------------------------------------------------------------------------


def typing(scratch: Path, loop: float) -> None:
    """Keystrokes in the `workflow.json` of 1,000 steps, whose programs are there, until its diagnostics were read."""
    text = json.dumps(json.loads(chain(1000)), indent=2)
    for number in range(1000):
        (scratch / f"s{number}.ax").write_text(PROGRAM.format(number=number))
    lines = text.split("\n")
    for what, near, new in (
        ("the description", '"name": "chain"', " "),
        ("the name of a program", '"s500.ax"', "x"),
        ("a quote that is open", '"s500.ax"', '"'),
    ):
        editor = Editor(OUR_SERVER, text, (scratch / "workflow.json").as_uri())
        try:
            line = next(number for number, each in enumerate(lines) if near in each)
            keys = toggled(Place(line, lines[line].index(near) + 2), new)
            # Files that were written a moment ago are read again.
            for _ in range(4):
                keys(editor, lines)
            found = median(took for _ in range(8) for took in keys(editor, lines))
        finally:
            editor.close()
        row(f"a keystroke in 1,000 steps: {what} (goal 50 ms)", f"{found:.1f} ms", f"x loop {found / loop:.1f}")


# ---- several machines --------------------------------------------------------------------------------------------


def machines(scratch: Path, loop: float) -> None:
    """200 runs of one step that waits for 1.5 s, on four workers of one PostgreSQL."""
    if programs() is None:
        row("PostgreSQL is not installed", "-")
        return
    place = scratch / "postgres"
    place.mkdir()
    retry = {"max_attempts": 5, "on_transient": True}
    with database(place) as url:
        store = Store(Postgres(url))
        line = [command("boruna-ls"), "worker", "--database-url", url]
        workers = [subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(WORKERS)]
        try:
            for worker in workers:
                assert worker.stderr is not None
                assert b"ready" in worker.stderr.readline()
            begun = time.perf_counter()
            for number in range(RUNS):
                step = {"kind": "source", "source": "a.ax", "retry": retry}
                text = json.dumps({"schema_version": 1, "name": f"r{number}", "version": "1", "steps": {"a": step}, "edges": []})
                store.begin(new_run(text, {"a": FAILING}, SEQUENTIAL))
            while store.runs("running"):
                time.sleep(0.1)
            took = time.perf_counter() - begun
            assert len(store.runs("failed")) == RUNS
        finally:
            for worker in workers:
                end(worker)
            store.close()
    alone = RUNS * 1.5
    row(f"{RUNS} steps of 1.5 s on {WORKERS} workers (goal 60 s)", f"{took:.1f} s", f"x serial {took / alone:.2f}")


PARTS = {
    "steps": steps,
    "graph": graph,
    "list": listing,
    "waiting": cheap_waiting,
    "typing": typing,
    "machines": machines,
}


def main() -> None:
    loop = calibration_ms()
    for name in sys.argv[1:] or PARTS:
        with tempfile.TemporaryDirectory() as scratch:
            os.environ["BORUNA_LS_STATE"] = f"{scratch}/state"
            PARTS[name](Path(scratch), loop)


if __name__ == "__main__":
    main()
