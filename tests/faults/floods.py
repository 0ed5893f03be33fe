"""Four clients that flood beside one editor: `python -m tests.faults.floods [--seconds 20]`.

One asks for megabytes and reads nothing, one keeps 500 endless programs queued, one sends bodies of 8 MB (every third one of as
many short values as a message may have, and one of 300 MB), one calls and cancels as fast as it can. Measured is how long a key
of the editor waits for its diagnostics, against the same editor alone in the same run, and how much memory the daemon takes
meanwhile. The clients that flood have the least priority (nice 19, their sessions, too): what they take of the machine is
theirs, and the figures are the daemon's.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boruna_ls.isolation.priority import lower_session
from boruna_ls.pace import MOST_VALUES
from boruna_ls.rendezvous import places
from tests.support.commands import command, end
from tests.support.daemon import loaded, status, stopped
from tests.support.live import Editor
from tests.support.mcp_lines import INITIALIZED, call, initialize, request

MEMORY_LIMIT = 700 << 20
"""Bytes that the daemon may take while it is flooded, worker processes not counted."""
FACTOR = 2.0
_LEAST = 19
_ENDLESS = "fn main() -> Int { let mut n = 0 while true { n = n + 1 } n }"
_LARGE = "".join(f"// {n:05} {'x' * 100}\n" for n in range(9000)) + "fn main() -> Int { 1 }\n"
_TEXT = b'"// %b"' % (b"x" * 8_000_000)
_VALUES = b"[%b0]" % (b"{}," * (MOST_VALUES // 2 - 100))
PAUSE = 0.02
"""Seconds between two keys."""


@dataclass
class Figures:
    """Seconds of each key, alone and beside the floods; most bytes of memory, before and during; messages of each flood."""

    alone: list[float]
    beside: list[float]
    before: int
    most: int
    sent: dict[str, int]
    share: float
    """Of a core, what the daemon took."""

    @property
    def ratio(self) -> float:
        """Slowdown of the slow keys (95 of 100 are faster) by the floods, as a ratio."""
        return percentile(self.beside, 0.95) / percentile(self.alone, 0.95)

    def summary(self) -> str:
        """A line for each figure."""
        lines = [f"{name:7} {_spread(values)}" for name, values in (("alone", self.alone), ("beside", self.beside))]
        lines.append(f"p95 × {self.ratio:.2f}; memory {self.before >> 20} MB before, {self.most >> 20} MB at most")
        lines.append(f"the daemon took {self.share:.0%} of a core; messages sent: {self.sent}")
        return "\n".join(lines)


def percentile(values: list[float], part: float) -> float:
    """The value below which so many of the others lie."""
    return sorted(values)[int((len(values) - 1) * part)]


def _spread(values: list[float]) -> str:
    p50, p95, most = (percentile(values, part) * 1000 for part in (0.5, 0.95, 1.0))
    return f"{len(values)} keys: p50 {p50:.1f} ms, p95 {p95:.1f} ms, max {most:.1f} ms"


class _Flood:
    """An agent's forwarder; what it is told is read by a thread, or by nobody."""

    def __init__(self, folder: Path, reads: bool) -> None:
        output = subprocess.PIPE
        line = [command("boruna-ls"), "mcp"]
        self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.DEVNULL, cwd=folder)
        if reads:
            threading.Thread(target=self._drain, daemon=True).start()
        self.send(initialize(), INITIALIZED)

    def _drain(self) -> None:
        assert self.process.stdout is not None
        with suppress(OSError, ValueError):
            while os.read(self.process.stdout.fileno(), 1 << 20):
                continue

    def send(self, *messages: dict[str, Any]) -> None:
        """Writes messages, waiting for as long as nobody takes them."""
        self.send_bytes(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def send_bytes(self, data: bytes) -> None:
        """Writes lines."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()


def _unread(flood: _Flood, number: int) -> None:
    flood.send(request(number, "resources/read", {"uri": "boruna://file/large.ax"}))


def _runs(flood: _Flood, number: int) -> None:
    flood.send(call(number, "boruna_run", source=_ENDLESS, max_steps=10**12))
    if number > 500:
        time.sleep(0.01)


def _bodies(flood: _Flood, number: int) -> None:
    if number == 4:
        flood.send_bytes(_body(number, b'"// %b"' % (b"x" * 300_000_000)))
    else:
        flood.send_bytes(_body(number, _VALUES if number % 3 == 0 else _TEXT))


def _body(number: int, source: bytes) -> bytes:
    head = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"boruna_check","arguments":{"source":' % number
    return b"%b%b}}}\n" % (head, source)


def _cancels(flood: _Flood, number: int) -> None:
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
    flood.send(call(number, "boruna_check", source=f"fn main() -> Int {{ {number} }}"), cancelled)


FLOODS: dict[str, Callable[[_Flood, int], None]] = {"unread": _unread, "runs": _runs, "bodies": _bodies, "cancels": _cancels}


def _typed(editor: Editor, path: Path, seconds: float) -> list[float]:
    """Types for so long; the seconds that each key waits for its diagnostics."""
    found: list[float] = []
    ends = time.monotonic() + seconds
    number = 0
    while time.monotonic() < ends:
        number += 1
        began = time.monotonic()
        version = editor.replace(path, f"fn main() -> Int {{\n    missing_{number}\n}}\n")
        editor.await_diagnostics(path, version)
        found.append(time.monotonic() - began)
        time.sleep(PAUSE)
    return found


def session(folder: Path, seconds: float, names: Iterable[str] = FLOODS) -> Figures:
    """One trial with a daemon of its own (`BORUNA_LS_DIR` is set already)."""
    place = Path(os.environ[places.VARIABLE])
    (folder / "large.ax").write_text(_LARGE, encoding="utf-8")
    path = folder / "typed.ax"
    is_over = threading.Event()
    with ExitStack() as stack:
        # Not in the workspace: the daemon watches that, and would be told of thousands of changes.
        counts = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="boruna-counts-")))
        editor = Editor(folder)
        stack.callback(end, editor.process)
        editor.show(path, "fn main() -> Int { 1 }\n")
        before = loaded(place)
        _typed(editor, path, 1.0)
        alone = _typed(editor, path, max(2.0, seconds / 3))

        for name in names:
            line = [sys.executable, "-m", "tests.faults.floods", "--act", name, str(folder), str(counts / name)]
            # Processes of their own: what this one does would be felt by the editor that it plays.
            stack.callback(_ended, subprocess.Popen(line, cwd=Path(__file__).resolve().parents[2], start_new_session=True))
        memory = [before]

        def watch() -> None:
            while not is_over.wait(0.5):
                with suppress(OSError, AssertionError):
                    memory.append(status(place)["memory"])

        watching = threading.Thread(target=watch, daemon=True)
        watching.start()
        pid = int(status(place)["pid"])
        spent = -_spent(pid)
        beside = _typed(editor, path, seconds)
        spent += _spent(pid)
        is_over.set()
        watching.join(10)
        sent = {name: int((counts / name).read_text() or 0) for name in names if (counts / name).exists()}
        return Figures(alone, beside, before, max(memory), sent, spent / seconds)


def act(name: str, folder: Path, counted: Path) -> None:
    """Floods until it is killed, and keeps count in a file. With the least priority: the daemon is measured, not the machine."""
    os.nice(_LEAST)
    lower_session(0, _LEAST)
    flood = _Flood(folder, reads=name != "unread")
    with suppress(OSError, ValueError), counted.open("w", encoding="ascii") as count:
        for number in itertools.count(1):
            FLOODS[name](flood, number)
            count.seek(0)
            count.write(str(number))
            count.flush()


def _spent(pid: int) -> float:
    """Seconds of the processor that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _ended(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main() -> int:
    """The exit status: 1 if a key waits too long or the memory grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", action="append", choices=sorted(FLOODS), help="only this flood")
    parser.add_argument("--act", nargs=3, metavar=("NAME", "FOLDER", "COUNT"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.act:
        act(given.act[0], Path(given.act[1]), Path(given.act[2]))
        return 0
    with tempfile.TemporaryDirectory(prefix="boruna-floods-") as folder, tempfile.TemporaryDirectory(prefix="boruna-d-") as place:
        os.environ[places.VARIABLE] = place
        try:
            figures = session(Path(folder).resolve(), given.seconds, given.only or list(FLOODS))
        finally:
            stopped(place)
    print(figures.summary())
    return 1 if figures.ratio > FACTOR or figures.most > MEMORY_LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
