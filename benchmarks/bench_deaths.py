"""Time that an editor is without its daemon: `python -m benchmarks.bench_deaths [KILLS]`.

From `kill -9` of the daemon until the editor, which does nothing, has the diagnostics of its file again: alone, with a long file,
and beside four agents that check and run programs without a pause, and come back to the new daemon like the editor. The daemon
has served everybody when it is killed. `x loop` is the ratio to a calibration loop, for comparisons with other machines.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from benchmarks.bench_daemon import FORWARDER, show, without_daemon
from benchmarks.bench_lsp import ROOT, Editor, generated
from benchmarks.calibration import calibration_ms
from boruna_ls.rendezvous import endpoint, places
from tests.support.live import Agent

AGENTS = 4
_UP = 1.5
"""Seconds that a daemon has been up before it is killed, as in life."""
_CALLED = 20
"""Calls of each agent that a daemon has answered before it is killed."""


def killed(editor: Editor) -> float:
    """Milliseconds from the death of the daemon until the diagnostics of the text are there again."""
    os.kill(int(endpoint.read(places.folder())["pid"]), signal.SIGKILL)
    begun = time.perf_counter()
    while b"publishDiagnostics" not in editor._receive():
        pass
    return (time.perf_counter() - begun) * 1e3


def ask_on(folder: Path, number: int) -> None:
    """Four agents that call one tool after the other until the process is killed; keeps count in files."""

    def work(name: str) -> None:
        agent = Agent(folder)
        for call in itertools.count():
            source = f"fn main() -> Int {{\n    let a = {call}\n    missing_{name}_{call} + a\n}}\n"
            # What was under way when a daemon died is refused.
            with suppress(AssertionError):
                agent.tool("boruna_check", source=source)
                agent.tool("boruna_run", source=f"fn main() -> Int {{ {call} }}")
            (folder / f"{name}.calls").write_text(str(call), encoding="ascii")

    threads = [threading.Thread(target=work, args=(f"agent{each}",)) for each in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextmanager
def agents(folder: Path, number: int) -> Iterator[None]:
    """That many agents at work while the block runs; in a process of their own, which disturbs no measuring."""
    if not number:
        yield
        return
    line = [sys.executable, "-m", "benchmarks.bench_deaths", "--ask", str(folder), str(number)]
    process = subprocess.Popen(line, cwd=ROOT, start_new_session=True)
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def calls(folder: Path, number: int) -> list[int]:
    """Number of calls that each agent has made."""
    files = [folder / f"agent{each}.calls" for each in range(number)]
    return [int(file.read_text() or 0) if file.exists() else 0 for file in files]


def deaths(folder: Path, kills: int, lines: int, number: int) -> list[float]:
    """The times of so many kills, with a file of so many lines and beside so many agents."""
    with ExitStack() as stack:
        editor = Editor(FORWARDER.format("lsp"), generated(lines))
        stack.callback(editor.close)
        editor._receive()
        stack.enter_context(agents(folder, number))
        times = []
        for _ in range(kills):
            before = calls(folder, number)
            time.sleep(_UP)
            while any(now < then + _CALLED for now, then in zip(calls(folder, number), before, strict=True)):
                time.sleep(0.02)
            times.append(killed(editor))
    return times


def main() -> int:
    """Prints the table."""
    if sys.argv[1:2] == ["--ask"]:
        ask_on(Path(sys.argv[2]), int(sys.argv[3]))
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    folder = tempfile.mkdtemp(prefix="boruna-bench-")
    os.environ[places.VARIABLE] = str(Path(folder) / "d")
    loop = calibration_ms()
    print(f"{'kill -9 of the daemon -> diagnostics again':<48}{'median ms':>10}{'p90 ms':>9}{'':8}{'x loop':>8}")
    try:
        for lines, number in ((100, 0), (10_000, 0), (100, AGENTS)):
            beside = f", beside {number} busy agents" if number else ""
            show(f"{lines:,} lines{beside}", deaths(Path(folder), kills, lines, number), None, loop)
    finally:
        without_daemon(lambda: 0.0)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"calibration loop: {loop:.2f} ms, and {calibration_ms():.2f} ms at the end")
    return 0


if __name__ == "__main__":
    sys.exit(main())
