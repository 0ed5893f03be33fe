"""Steps per second of the virtual machine: `python -m benchmarks.bench_vm [ROUNDS] [--calibration MS]`.

A row is the best of some runs of a program as a worker runs it, translation included. `x plain` is the ratio to our plain
interpreter in the same run, `x native` that to the native machine's figure. That figure is from another computer: give the
time of the calibration loop there with `--calibration` to have it scaled. With `BORUNA_REFERENCE` (a folder with the native
executables) the native server runs here, side by side, and its own speed takes the place of the figure.
"""

from __future__ import annotations

import argparse
import os
import time
from math import exp, log
from pathlib import Path

from analysis.bytecode.module import Module
from analysis.codegen.compile import compile_file
from analysis.database import Database
from analysis.inputs import FileId, source
from analysis.text.source import Source
from benchmarks.calibration import calibration_ms
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.run import RunOutcome, run_module
from tests.support.corpus import BENCH, tool

NATIVE = {
    "int_loop": 76e6,
    "sieve": 72e6,
    "fib_rec": 57e6,
    "match_heavy": 42e6,
    "record_update": 40e6,
    "list_sum": 13.6e6,
    "string_build": 2.1e6,
    "list_build": 0.22e6,
}
"""Steps per second of the native machine, where it was measured."""
PLAIN_STEPS = 100_000


def module_of(file: Path) -> Module:
    """The module of a program, as a run gets it: one that nothing was prepared for yet."""
    db = Database()
    name = FileId("bench", "disk", str(file))
    source.set(db, name, Source.from_text(file.read_text()))
    made = compile_file(db, name, "module")
    assert made.module is not None, made.errors
    return made.module


def speed(file: Path, options: Options, rounds: int) -> tuple[float, RunOutcome]:
    """Steps per second of the best run, each of a fresh module."""
    best, outcome = 0.0, None
    for _ in range(rounds):
        module = module_of(file)
        started = time.perf_counter()
        outcome = run_module(module, options)
        best = max(best, outcome.steps / (time.perf_counter() - started))
    assert outcome is not None
    return best, outcome


def trivial_ms(file: Path, rounds: int) -> float:
    """Milliseconds of a run of two steps."""
    module = module_of(file)
    best = 1e9
    for _ in range(rounds * 20):
        started = time.perf_counter()
        run_module(module, Options(max_steps=2))
        best = min(best, time.perf_counter() - started)
    return best * 1e3


def reference_speeds(files: list[Path], rounds: int) -> dict[str, float]:
    """Speeds of the native server on this machine; empty without `BORUNA_REFERENCE`."""
    folder = os.environ.get("BORUNA_REFERENCE")
    if not folder:
        return {}
    client = tool(BENCH / "vm" / "measure.py").Client(str(Path(folder) / "boruna-mcp"))
    speeds = {}
    for file in files:
        times = [client.run(file.read_text()) for _ in range(rounds)]
        speeds[file.stem] = max(answer["steps"] / elapsed for elapsed, answer in times)
    client.close()
    return speeds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rounds", nargs="?", type=int, default=3)
    parser.add_argument(
        "--calibration", type=float, help="milliseconds of the calibration loop where the native figures are from"
    )
    options = parser.parse_args()
    here = calibration_ms()
    scale = options.calibration / here if options.calibration else 1.0
    files = sorted((BENCH / "vm").glob("*.ax"))
    native = {name: figure * scale for name, figure in NATIVE.items()} | reference_speeds(files, options.rounds)
    print(f"{'program':14} {'steps':>10} {'M steps/s':>10} {'plain':>7} {'x plain':>8} {'native':>8} {'x native':>9}")
    ratios = []
    for file in files:
        ours, outcome = speed(file, Options(), options.rounds)
        plain, _ = speed(file, Options(max_steps=PLAIN_STEPS, translate=False), 1)
        ratio = ours / native[file.stem]
        ratios.append(ratio)
        row = f"{file.stem:14} {outcome.steps:>10} {ours / 1e6:>10.1f} {plain / 1e6:>7.2f} {ours / plain:>8.0f}"
        print(f"{row} {native[file.stem] / 1e6:>8.2f} {ratio:>9.2f}")
    mean = exp(sum(map(log, ratios)) / len(ratios))
    print(f"{'geometric mean':61} {mean:>9.2f}")
    where = (
        "here"
        if os.environ.get("BORUNA_REFERENCE")
        else f"scaled by {scale:.2f}"
        if options.calibration
        else "elsewhere, not scaled"
    )
    print(f"a run of two steps: {trivial_ms(files[0], options.rounds):.3f} ms; calibration loop: {here:.2f} ms; native: {where}")


if __name__ == "__main__":
    main()
