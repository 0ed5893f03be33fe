"""Questions about code while a whole workspace is checked, and the figures of the analysis tools, cold and warm.

    python -m benchmarks.bench_analysis [FILES]

The first table: hover and completion at 10,000 lines, alone and while an agent's question has FILES files of 1,000 lines (default
100) checked, also just behind a keystroke. The second: 1,000 lines in this process, in processor time, and an agent's search for
references in the workspace.
`x loop` is the ratio to a calibration loop of this run.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.ide.references import references
from analysis.inputs import FileId, source
from analysis.semantics.declarations import file_declarations
from analysis.text.source import Source
from benchmarks.bench_workspace import Agent, Editor, served, write_workspace
from benchmarks.calibration import calibration_ms
from benchmarks.programs import generated

ALONE: Final = 100
AGAIN: Final = 10_000
FILE: Final = FileId("", "disk", "/program.ax")


class Asking(Editor):
    """An editor that asks about places."""

    def ask(self, method: str, line: int, character: int) -> float:
        """Milliseconds until the answer was read."""
        params = {"textDocument": {"uri": self._uri}, "position": {"line": line, "character": character}}
        begun = time.perf_counter()
        self._send({"id": 7, "method": method, "params": params})
        while b'"id": 7' not in (message := self._receive()) and b'"id":7' not in message:
            pass
        return (time.perf_counter() - begun) * 1e3


def main() -> None:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    loop = calibration_ms()
    print(f"calibration loop: {loop:.2f} ms")
    with tempfile.TemporaryDirectory(prefix="boruna-bench-") as name:
        folder = Path(name)
        write_workspace(folder / "own", files, 1_000, 0)
        (folder / "large").mkdir()
        (folder / "large" / "large.ax").write_text(generated(10_000), encoding="utf-8")
        _beside(folder, loop)
        _in_process(loop)
        _references(folder, loop)


def _beside(folder: Path, loop: float) -> None:
    print(f"{'10,000 lines, ms':<52}{'count':>7}{'median':>9}{'p95':>9}{'worst':>9}{'p95 x loop':>12}")
    large = folder / "large" / "large.ax"
    lines = large.read_text(encoding="utf-8").split("\n")
    line = next(number for number in range(len(lines) // 2, len(lines)) if lines[number].startswith("    let "))
    for what, method in (("hover", "textDocument/hover"), ("completion", "textDocument/completion")):
        with served(folder, folder / "own") as (lsp, mcp):
            editor, agent = Asking(lsp, large, large.parent), Agent(mcp)
            editor.ask(method, line, 9)
            _row(f"{what}, nothing else", [editor.ask(method, line, 9) for _ in range(ALONE)], loop)
            done = threading.Event()
            asking = threading.Thread(target=_question, args=(agent, done))
            asking.start()
            behind, plain = [], []
            while not done.is_set():
                editor.keystroke()
                behind.append(editor.ask(method, line, 9))
                time.sleep(0.01)
                plain.append(editor.ask(method, line, 9))
                time.sleep(0.01)
            asking.join()
            _row(f"{what}, while all is checked", plain, loop)
            _row(f"{what} behind a keystroke, while all is checked", behind, loop)


def _question(agent: Agent, done: threading.Event) -> None:
    try:
        agent.diagnostics()
    finally:
        done.set()


def _row(name: str, times: list[float], loop: float) -> None:
    high = quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    print(f"{name:<52}{len(times):>7}{median(times):>9.2f}{high:>9.2f}{max(times):>9.2f}{high / loop:>12.2f}", flush=True)


def _in_process(loop: float) -> None:
    print(f"\n{'':<44}{'ms':>9}{'to reach':>10}{'x loop':>9}")
    parsed, checked = [], []
    for seed in range(5):
        text = generated(1_000, seed=seed)
        db = Database()
        begun = time.process_time()
        source.set(db, FILE, Source.from_text(text))
        file_declarations(db, FILE)
        parsed.append((time.process_time() - begun) * 1e3)
        begun = time.process_time()
        check_file(db, FILE)
        checked.append((time.process_time() - begun) * 1e3)
    _figure("parse 1,000 lines, cold", median(parsed), 50, loop)
    _figure("types and all checks of 1,000 lines, cold", median(checked), 100, loop)
    at = text.index("fn ", len(text) // 2) + 4
    references(db, FILE, at)
    _figure("a verified query again, ms each", _each(lambda: check_file(db, FILE)), 0.001, loop)
    _figure("references in 1,000 lines, warm", _each(lambda: references(db, FILE, at), 100), 200, loop)


def _each(action: Callable[[], object], rounds: int = AGAIN) -> float:
    begun = time.process_time()
    for _ in range(rounds):
        action()
    return (time.process_time() - begun) * 1e3 / rounds


def _references(folder: Path, loop: float) -> None:
    program = next(iter(sorted((folder / "own").glob("*.ax"))))
    name = next(line for line in program.read_text("utf-8").split("\n") if line.startswith("fn ")).split()[1].partition("(")[0]
    with served(folder, folder / "own") as (_, mcp):
        agent = Agent(mcp)
        arguments: dict[str, Any] = {"path": str(program), "symbol": name}
        for words in ("cold", "again"):
            begun = time.perf_counter()
            answer = agent._ask("tools/call", {"name": "find_references", "arguments": arguments})
            assert answer["result"]["structuredContent"]["success"], answer
            _figure(f"references in the workspace, {words}", (time.perf_counter() - begun) * 1e3, 200, loop)


def _figure(name: str, spent: float, target: float, loop: float) -> None:
    print(f"{name:<44}{spent:>9.4g}{target:>10g}{spent / loop:>9.2f}", flush=True)


if __name__ == "__main__":
    main()
