"""A keystroke while an agent asks about a whole workspace: `python -m benchmarks.bench_workspace [FILES LINES]`.

One process serves an editor that types in one file and an agent that asks for the diagnostics of all files of another
workspace, or (in a fresh process) of the same one; cold, and again.
A row is the time from sending `didChange` until the `publishDiagnostics` with its version was read; `x idle` is the ratio of
the medians to the same typing with nothing else going on. `x loop` is the ratio to a calibration loop.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any, BinaryIO

from benchmarks.calibration import calibration_ms
from tests.bench.generate_ax import generate

ROOT = Path(__file__).resolve().parent.parent
SERVER = """
import asyncio, sys
from boruna_ls.loop import attend, run
from boruna_ls.lsp.server import run_connection as serve_lsp
from boruna_ls.mcp.channels import StreamChannel
from boruna_ls.mcp.server import run_connection as serve_mcp
from boruna_ls.process import prepare
from boruna_ls.workspace import Host

async def main(lsp, mcp, folder):
    host = Host()
    attend(host)
    async def editor(reader, writer):
        await serve_lsp(host, reader, writer)
    async def agent(reader, writer):
        await serve_mcp(host, StreamChannel(reader, writer), [folder], deadline=600)
    prepare()
    await asyncio.start_unix_server(editor, lsp)
    await asyncio.start_unix_server(agent, mcp, limit=1 << 26)
    print("ready", flush=True)
    await asyncio.Event().wait()

run(main(*sys.argv[1:]))
"""
PAUSE = 0.03
"""Seconds between the answer to a keystroke and the next one."""


class Editor:
    """Types in a document and waits for the diagnostics of each version."""

    def __init__(self, path: str, document: Path, root: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._file: BinaryIO = self._socket.makefile("rb")
        self._uri, self._version = document.as_uri(), 0
        text = document.read_text(encoding="utf-8")
        lines = text.split("\n")
        line = next(n for n in range(len(lines) // 2, len(lines)) if lines[n].startswith("    let "))
        self._place = {"line": line, "character": len(lines[line])}
        self._send({"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": root.as_uri()}})
        self._receive()
        self._send({"method": "initialized", "params": {}})
        document_item = {"uri": self._uri, "languageId": "ax", "version": 0, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document_item}})
        self._published()

    def keystroke(self) -> float:
        """Types something or takes it back; milliseconds until the diagnostics were read."""
        self._version += 1
        end = {**self._place, "character": self._place["character"] + 4}
        new, end = (" + 1", self._place) if self._version % 2 else ("", end)
        change = {"range": {"start": self._place, "end": end}, "text": new}
        params = {"textDocument": {"uri": self._uri, "version": self._version}, "contentChanges": [change]}
        begun = time.perf_counter()
        self._send({"method": "textDocument/didChange", "params": params})
        self._published()
        return (time.perf_counter() - begun) * 1e3

    def is_checking(self) -> bool:
        """True if files of a workspace are being checked in idle time."""
        self._send({"id": 2, "method": "boruna/status", "params": None})
        while b'"id": 2' not in (message := self._receive()):
            pass
        return any(one["checking"] for one in json.loads(message)["result"]["workspaces"])

    def _published(self) -> None:
        wanted = re.compile(rb'publishDiagnostics.*"version": ?%d[,}]' % self._version)
        while not wanted.search(self._receive()):
            pass

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._socket.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def _receive(self) -> bytes:
        length = 0
        while line := self._file.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return self._file.read(length)


class Agent:
    """Asks and reads lines."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._file: BinaryIO = self._socket.makefile("rb")
        self._number = 0
        client = {"name": "bench", "version": "1"}
        self._ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._send({"method": "notifications/initialized"})

    def diagnostics(self) -> tuple[float, dict[str, Any]]:
        """Seconds of a `workspace_diagnostics`, and its answer."""
        begun = time.perf_counter()
        message = self._ask("tools/call", {"name": "workspace_diagnostics", "arguments": {"severity": "hint"}})
        answer: dict[str, Any] = message["result"]["structuredContent"]
        assert answer["success"], answer
        return time.perf_counter() - begun, answer

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message: dict[str, Any] = json.loads(self._file.readline())
            if message.get("id") == self._number:
                return message

    def _send(self, message: dict[str, Any]) -> None:
        self._socket.sendall(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def write_workspace(folder: Path, files: int, lines: int, seed: int) -> None:
    """So many files of so many lines, from one seed after the other, some with mistakes."""
    folder.mkdir()
    (folder / "boruna.toml").write_text("", encoding="utf-8")
    for number in range(files):
        text = generate(lines, seed + number, number % 3)
        (folder / f"file_{number:04}.ax").write_text(text, encoding="utf-8")


def typed(editor: Editor, until: threading.Event | None, count: int, pause: float = PAUSE) -> list[float]:
    """Keystrokes one after the other, `count` of them or as many as there are until something happens."""
    times: list[float] = []
    while (until is None and len(times) < count) or (until is not None and not until.is_set()):
        times.append(editor.keystroke())
        if pause:
            time.sleep(pause)
    return times


def beside(editor: Editor, agent: Agent, pause: float) -> tuple[list[float], float, dict[str, Any]]:
    """Keystrokes while an agent asks once; then the seconds that it took, and its answer."""
    done = threading.Event()
    found: list[tuple[float, dict[str, Any]]] = []

    def ask() -> None:
        found.append(agent.diagnostics())
        done.set()

    thread = threading.Thread(target=ask)
    thread.start()
    times = typed(editor, done, 0, pause)
    thread.join()
    return times, *found[0]


def row(name: str, times: list[float], idle: float, loop: float, note: str = "") -> None:
    """Prints a line of the table."""
    middle, high = median(times), quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    ratio = f"{middle:>8.2f}{high:>8.2f}{max(times):>8.2f}{middle / idle:>8.2f}{middle / loop:>8.2f}"
    print(f"{name:<40}{len(times):>6}{ratio}  {note}", flush=True)


def main() -> int:
    """Prints the table."""
    files, lines = (int(argument) for argument in (sys.argv[1:3] if len(sys.argv) > 2 else ("200", "1000")))
    loop = calibration_ms()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        own, other = folder / "own", folder / "other"
        write_workspace(own, files, lines, 0)
        write_workspace(other, files, lines, files)
        print(f"{files} files of {lines} lines; a keystroke every {PAUSE * 1e3:.0f} ms after the last one was answered")
        print(f"{'keystroke -> diagnostics (ms)':<40}{'count':>6}{'median':>8}{'p95':>8}{'worst':>8}{'x idle':>8}{'x loop':>8}")
        with served(folder, other) as (lsp, mcp):
            idle = in_another(Editor(lsp, own / f"file_{files // 2:04}.ax", own), Agent(mcp), loop)
        with served(folder, own) as (lsp, mcp):
            in_the_same(lsp, mcp, own / f"file_{files // 2:04}.ax", idle, loop)
        print("\nthe same without pauses: a keystroke as soon as the last one was answered")
        with served(folder, other) as (lsp, mcp):
            in_another(Editor(lsp, own / f"file_{files // 2:04}.ax", own), Agent(mcp), loop, 0.0)
    print(f"calibration loop: {loop:.2f} ms")
    return 0


@contextmanager
def served(folder: Path, root: Path) -> Iterator[tuple[str, str]]:
    """The sockets of a fresh process: for editors, and for agents that work in a folder."""
    lsp, mcp = str(folder / "lsp"), str(folder / "mcp")
    for path in (lsp, mcp):
        Path(path).unlink(missing_ok=True)
    command = [sys.executable, "-c", SERVER, lsp, mcp, str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        try:
            yield lsp, mcp
        finally:
            server.kill()


def in_another(editor: Editor, agent: Agent, loop: float, pause: float = PAUSE) -> float:
    """Types alone and while an agent asks about another workspace; the median of typing alone."""
    while editor.is_checking():
        time.sleep(0.2)
    typed(editor, None, 20, pause)
    alone = typed(editor, None, 300, pause)
    idle = median(alone)
    row("nothing else", alone, idle, loop)
    for name in ("cold question, another workspace", "the same question again"):
        asked_beside(name, editor, agent, idle, loop, pause)
    return idle


def in_the_same(lsp: str, mcp: str, document: Path, idle: float, loop: float) -> None:
    """Types in a workspace that was just opened, while an agent asks about all of it."""
    agent, editor = Agent(mcp), Editor(lsp, document, document.parent)
    asked_beside("cold question, the same workspace", editor, agent, idle, loop)
    times = []
    while editor.is_checking():
        times += typed(editor, None, 3)
    if times:
        row("the rest is checked in idle time", times, idle, loop)
    asked_beside("the same question again", editor, agent, idle, loop)
    spent, _ = agent.diagnostics()
    print(f"the same question while nobody types: {spent * 1e3:.1f} ms")


def asked_beside(name: str, editor: Editor, agent: Agent, idle: float, loop: float, pause: float = PAUSE) -> None:
    """Prints the row of a question."""
    times, spent, answer = beside(editor, agent, pause)
    coverage, found = answer["freshness"]["coverage"], sum(answer["counts"].values())
    note = f"question {spent:.2f} s, {found} findings, {coverage['checked']} of {coverage['total']} files"
    row(name, times, idle, loop, note)


if __name__ == "__main__":
    sys.exit(main())
