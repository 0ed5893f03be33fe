"""Overhead of forwarder and daemon: `python -m benchmarks.bench_daemon [ROUNDS]`.

First rows: the time from starting a process until it has answered `initialize`, with the daemon running (warm) and without
one (cold), beside an empty Python process and empty servers of the libraries in the same run; cold also where an earlier daemon
has served such an editor (`lsp/greeting.py`). Then keystrokes as in `bench_lsp.py`, in a process of its own and through the
daemon. `x loop` is the ratio to a calibration loop, for comparisons with other machines. The cost of a daemon's death:
`bench_deaths.py`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.bench_lsp import EMPTY_SERVER as EMPTY_LSP
from benchmarks.bench_lsp import OUR_SERVER, ROOT, Editor, generated, in_a_body
from benchmarks.calibration import calibration_ms
from boruna_ls.rendezvous import locks, places
from boruna_ls.rendezvous.ask import ask

NOTHING = "pass"
EMPTY_MCP = "from mcp.server import MCPServer\nMCPServer('empty').run()"
FORWARDER = "import sys; from boruna_ls.client import client; sys.exit(client({!r}, []))"
MCP_CLIENT: dict[str, Any] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
LSP_CLIENT: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}
_PATIENCE = 60.0


def message(protocol: str) -> bytes:
    """A client's first message."""
    params = MCP_CLIENT if protocol == "mcp" else LSP_CLIENT
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
    return body + b"\n" if protocol == "mcp" else b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def started(program: str) -> subprocess.Popen[bytes]:
    """A server's process."""
    return subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT
    )


def until_initialized(program: str, protocol: str) -> float:
    """Milliseconds from the start of a process until the first bytes of its answer."""
    begun = time.perf_counter()
    process = started(program)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(message(protocol))
    process.stdin.flush()
    answered = process.stdout.read(20)
    spent = time.perf_counter() - begun
    assert answered, f"{program} did not answer"
    process.kill()
    process.communicate()
    return spent * 1e3


def until_ended(program: str) -> float:
    """Milliseconds that a process lives that does something and ends."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)
    return (time.perf_counter() - begun) * 1e3


def without_daemon(measure: Callable[[], float], notes: bool = True) -> float:
    """Measures after the daemon was stopped, and what it noted of editors was removed or not."""
    ask(places.folder(), "stop")
    deadline = time.monotonic() + _PATIENCE
    while locks.is_held(places.lock_path(places.folder())):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    if not notes:
        Path(places.greetings_path(places.folder())).unlink(missing_ok=True)
    return measure()


class Keeper:
    """An agent that stays, so that the daemon does."""

    def __init__(self) -> None:
        self._process = started(FORWARDER.format("mcp"))
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(message("mcp"))
        self._process.stdin.flush()
        self._process.stdout.readline()

    def close(self) -> None:
        """Leaves."""
        self._process.kill()
        self._process.communicate()


def alternating(rounds: int, measures: Iterable[Callable[[], float]]) -> list[list[float]]:
    """The times of each, taken by turns: what slows the machine down slows down all of them."""
    rows = [[measure() for measure in measures] for _ in range(rounds)]
    return [list(column) for column in zip(*rows, strict=True)]


def show(name: str, times: list[float], base: float | None, loop: float) -> None:
    """A line of the table."""
    middle, high = median(times), quantiles(times, n=10)[-1]
    ratio = f"{middle / base:>8.2f}" if base else " " * 8
    print(f"{name:<48}{middle:>10.1f}{high:>9.1f}{ratio}{middle / loop:>8.2f}", flush=True)


def starts(rounds: int, loop: float) -> None:
    """From the start of a process to the answer to `initialize`."""
    print(f"{'start -> initialize answered':<48}{'median ms':>10}{'p90 ms':>9}{'x base':>8}{'x loop':>8}")
    keeper = Keeper()
    until_initialized(FORWARDER.format("lsp"), "lsp")
    time.sleep(2)
    nothing, lsp, mcp = alternating(
        rounds,
        [
            lambda: until_ended(NOTHING),
            lambda: until_initialized(FORWARDER.format("lsp"), "lsp"),
            lambda: until_initialized(FORWARDER.format("mcp"), "mcp"),
        ],
    )
    keeper.close()
    base = median(nothing)
    show("an empty Python process (base)", nothing, None, loop)
    show("lsp, warm daemon (target: x 2.5 or less)", lsp, base, loop)
    show("mcp, warm daemon (target: x 2.5 or less)", mcp, base, loop)
    for protocol, empty in (("mcp", EMPTY_MCP), ("lsp", EMPTY_LSP)):
        start = partial(until_initialized, FORWARDER.format(protocol), protocol)
        measures = [partial(until_initialized, empty, protocol), partial(without_daemon, start, notes=False)]
        if protocol == "lsp":
            measures.append(partial(without_daemon, start))
        bare, cold, *greeted = alternating(max(5, rounds // 3), measures)
        show(f"an empty {'MCP SDK' if protocol == 'mcp' else 'pygls'} server (base)", bare, None, loop)
        show(f"{protocol}, no daemon yet (target: x 1.3 or less)", cold, median(bare), loop)
        for times in greeted:
            show("lsp, no daemon, but one has served such an editor", times, median(bare), loop)


def keystrokes(rounds: int, loop: float) -> None:
    """From sending a change to reading its diagnostics."""
    print(f"{'keystroke -> diagnostics':<48}{'median ms':>10}{'p90 ms':>9}{'x base':>8}{'x loop':>8}")
    for lines in (100, 10_000):
        text = generated(lines)
        editors = [Editor(program, text) for program in (OUR_SERVER, FORWARDER.format("lsp"))]
        typing = in_a_body(" + 1")
        split = text.split("\n")
        for editor in editors:
            for _ in range(3):
                typing(editor, split)
        found: list[list[float]] = [[], []]
        for _ in range(rounds):
            for times, editor in zip(found, editors, strict=True):
                times += typing(editor, split)
        show(f"{lines:,} lines, a process of its own (base)", found[0], None, loop)
        show(f"{lines:,} lines, forwarder and daemon (target: 8 ms)", found[1], median(found[0]), loop)
        for editor in editors:
            editor.close()


def main() -> int:
    """Prints the tables."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    folder = tempfile.mkdtemp(prefix="boruna-bench-")
    os.environ[places.VARIABLE] = str(Path(folder) / "d")
    loop = calibration_ms()
    try:
        starts(rounds, loop)
        keystrokes(rounds, loop)
    finally:
        without_daemon(lambda: 0.0)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"calibration loop: {loop:.2f} ms; the native server, which needs no interpreter, answers `initialize` in 2 ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
