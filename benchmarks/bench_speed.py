"""The speed that people feel, in one table: `python -m benchmarks.bench_speed [ROUNDS]`.

Editor and agent go through their forwarders to a daemon of this benchmark's own; the command line is a process each time.
Beside each figure stand what is to be reached and what the last release took (`released.json`, on an idle machine with two
processors). `x loop` is the ratio to a calibration loop of this run, `x echo` that to messages of the same lengths through
processes that only pass them on: docs/benchmarks.md. On a busy machine compare rows of one run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Final

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.text.source import Source
from benchmarks.bench_lsp import URI, Editor, Place, with_callers
from benchmarks.bench_mcp import Agent
from benchmarks.calibration import calibration_ms
from benchmarks.echo import Echo
from benchmarks.programs import generated
from boruna_ls.rendezvous import places
from boruna_ls.rendezvous.ask import ask

ROOT: Final = Path(__file__).resolve().parent.parent
RELEASED: Final = ROOT / "benchmarks" / "released.json"
FORWARDER: Final = "import sys; from boruna_ls.client import client; sys.exit(client({!r}, []))"
FILES, LINES_OF_FILE = 60, 1_000


class Rows:
    """The lines of the table, printed as they come."""

    def __init__(self, echo: Echo) -> None:
        self.loop = calibration_ms()
        self.echo = echo
        self.released = json.loads(RELEASED.read_text(encoding="utf-8"))
        print(f"calibration loop: {self.loop:.2f} ms; a small message there and back through two processes: {echo.ms():.2f} ms")
        print(f"last release: {self.released['release']}, on an idle machine")
        print(f"{'':<58}{'ms':>9}{'x loop':>9}{'echo ms':>9}{'x echo':>9}{'to reach':>10}{'released':>10}")

    def add(self, name: str, spent: float, target: float, loop: float = 0.0, sizes: tuple[int, int] | None = None) -> None:
        """A row; `loop` is the calibration by the clock that the row was measured with, if that is another one.

        `sizes` of the messages of a row that goes through processes: what was sent, and what answered it.
        """
        before, ratio = self.released["ms"].get(name), spent / (loop or self.loop)
        echo = "" if sizes is None else f"{(passed := self.echo.ms(*sizes)):>9.2f}{spent / passed:>9.1f}"
        print(f"{name:<58}{spent:>9.1f}{ratio:>9.2f}{echo:>18}{target:>10.1f}{'' if before is None else before:>10}", flush=True)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with Echo() as echo:
        rows = Rows(echo)
        _computing(rows, rounds)
        _callers(rows, rounds)
        with _daemon():
            _editor(rows, rounds)
            _agent(rows, rounds)
            _process(rows, rounds, "check FILE as a process, 100 lines, daemon runs")
    with _daemon(started=False):
        _process(rows, rounds, "check FILE as a process, 100 lines, no daemon")
        _workspace(rows)


@contextmanager
def _daemon(started: bool = True) -> Iterator[None]:
    """A folder for a daemon of this benchmark's own, which is stopped at the end."""
    before = os.environ.get(places.VARIABLE)
    folder = os.environ[places.VARIABLE] = tempfile.mkdtemp(prefix="boruna-bench-")
    agent = Agent(FORWARDER.format("mcp")) if started else None
    try:
        yield
    finally:
        if agent is not None:
            agent.close()
            ask(places.folder(), "stop")
        shutil.rmtree(folder, ignore_errors=True)
        if before is None:
            del os.environ[places.VARIABLE]
        else:
            os.environ[places.VARIABLE] = before


# ---- in process -----------------------------------------------------------------------------------------------------


def _computing(rows: Rows, rounds: int) -> None:
    """An item inserted on top, each time another one: processor time, without the editor's part."""
    file = FileId("", "disk", "/program.ax")
    text = Source.from_text(generated(10_000))
    db = Database()
    source.set(db, file, text)
    check_file(db, file)
    times = []
    for number in range(rounds):
        begun = time.process_time()
        source.set(db, file, text.edited(0, 0, f"fn on_top_{number}(a: Int) -> Int {{\n    a\n}}\n\n"))
        check_file(db, file)
        times.append((time.process_time() - begun) * 1e3)
    rows.add("item inserted on top, 10,000 lines, computing", median(times), 3, calibration_ms(time.process_time))


_RESULTS: Final = ("String", "Int", "Bool", "Float")
SIGNATURES: Final[dict[str, Callable[[int], str]]] = {
    "parameter added": lambda number: f"target(a: Int, b{number}: Int) -> Int",
    "other result": lambda number: f"target(a{number}: Int) -> {_RESULTS[number % len(_RESULTS)]}",
    "unknown type": lambda number: f"target(a: Int) -> Unknown{number}",
}
"""The header of a function with 500 callers after an edit, by what the edit is; the number makes each edit another one."""


def _callers(rows: Rows, rounds: int) -> None:
    """A changed signature, whose callers are all judged again: processor time."""
    file, text = FileId("", "disk", "/program.ax"), with_callers(500)
    old = "target(a: Int) -> Int"
    at, loop = text.index(old), calibration_ms(time.process_time)
    for name, header in SIGNATURES.items():
        db, before = Database(), Source.from_text(text)
        source.set(db, file, before)
        check_file(db, file)
        times = []
        for number in range(rounds):
            begun = time.process_time()
            source.set(db, file, before.edited(at, at + len(old), header(number)))
            check_file(db, file)
            times.append((time.process_time() - begun) * 1e3)
        rows.add(f"{name}, 500 callers, computing", median(times), 30, loop)


# ---- editor ---------------------------------------------------------------------------------------------------------


def _editor(rows: Rows, rounds: int) -> None:
    small, large = generated(100), generated(10_000)
    inserted = {lines: _insert_lines(text, rounds) for lines, text in ((100, small), (10_000, large))}
    (short, sizes), (long, sizes_of_long) = inserted[100], inserted[10_000]
    rows.add("line inserted -> diagnostics, 100 lines", short, 2.5, sizes=sizes)
    rows.add("line inserted -> diagnostics, 10,000 lines", long, min(2.5, 2 * short), sizes=sizes_of_long)
    _, middle, sizes = _complete(small, rounds)
    rows.add("completion, 100 lines", middle, 2, sizes=sizes)
    first, middle, sizes = _complete(large, rounds)
    rows.add("completion, 10,000 lines", middle, 5, sizes=sizes)
    rows.add("completion, 10,000 lines, the first one", first, 30)


def _insert_lines(text: str, rounds: int) -> tuple[float, tuple[int, int]]:
    """The median, and the lengths of the last messages."""
    editor = Editor(FORWARDER.format("lsp"), text)
    lines = text.split("\n")
    line = next(number for number in range(len(lines) // 2, len(lines)) if lines[number].startswith("    let "))
    here = Place(line, 0)
    try:
        editor.change(here, here, "")
        middle = median([editor.change(here, here, f"    let fresh_{number} = {number}\n") for number in range(rounds)])
        return middle, editor.sizes
    finally:
        editor.close()


def _complete(text: str, rounds: int) -> tuple[float, float, tuple[int, int]]:
    """The first completion after the text was opened, the median of those after a keystroke each, the last ones' lengths."""
    editor = Editor(FORWARDER.format("lsp"), text)
    lines = text.split("\n")
    line = next(number for number in range(len(lines) // 2, len(lines)) if lines[number].startswith("    let "))
    here, end = Place(line, 0), Place(line, len("    let fresh = f"))
    try:
        editor.change(here, here, "    let fresh = f\n")
        times = []
        for number in range(rounds):
            editor.change(end, end, chr(ord("a") + number % 26))
            editor.change(end, Place(line, end.character + 1), "")
            times.append(editor.request("textDocument/completion", {"textDocument": {"uri": URI}, "position": end._asdict()}))
        return times[0], median(times[1:]), editor.sizes
    finally:
        editor.close()


# ---- agent ----------------------------------------------------------------------------------------------------------


def _agent(rows: Rows, rounds: int) -> None:
    text = generated(10_000)
    place = text.index("\n    let ", len(text) // 2)
    agent = Agent(FORWARDER.format("mcp"))
    try:
        times = []
        for number in range(rounds):
            changed = f"{text[:place]}\n    let fresh = {number}{text[place:]}"
            begun = time.perf_counter()
            agent.request("tools/call", {"name": "boruna_compile", "arguments": {"source": changed}})
            times.append((time.perf_counter() - begun) * 1e3)
    finally:
        agent.close()
    rows.add("boruna_compile with one change, 10,000 lines", median(times[1:]), 8, sizes=agent.sizes)


# ---- command line ---------------------------------------------------------------------------------------------------


def _process(rows: Rows, rounds: int, name: str) -> None:
    with tempfile.TemporaryDirectory(prefix="boruna-bench-") as folder:
        file = Path(folder) / "program.ax"
        file.write_text(generated(100), encoding="utf-8")
        _until_ended("check", str(file))
        rows.add(name, median([_until_ended("check", str(file)) for _ in range(rounds)]), 100)


def _workspace(rows: Rows) -> None:
    with tempfile.TemporaryDirectory(prefix="boruna-bench-") as folder:
        for number in range(FILES):
            (Path(folder) / f"program_{number}.ax").write_text(generated(LINES_OF_FILE, seed=number), encoding="utf-8")
        rows.add(f"check of {FILES} files x {LINES_OF_FILE:,} lines, cold", _until_ended("check", folder), 2000)


def _until_ended(*arguments: str) -> float:
    program = "import sys; from boruna_ls.entry import main; sys.exit(main())"
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    return (time.perf_counter() - begun) * 1e3


if __name__ == "__main__":
    main()
