"""A keystroke while an agent asks about a whole workspace: `python -m benchmarks.bench_workspace [FILES] [LINES] [SECONDS]`.

One process serves an editor that types in one file and an agent that asks for the diagnostics of all files, cold and again.
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
from pathlib import Path
from statistics import median, quantiles
from typing import Any, BinaryIO

from benchmarks.calibration import calibration_ms

ROOT = Path(__file__).resolve().parent.parent
SERVER = """
import asyncio, sys
from boruna_ls.lsp.server import run_connection as serve_lsp
from boruna_ls.mcp.channels import StreamChannel
from boruna_ls.mcp.server import run_connection as serve_mcp
from boruna_ls.process import prepare
from boruna_ls.workspace import Host

async def main(lsp, mcp, folder):
    host = Host()
    async def editor(reader, writer):
        await serve_lsp(host, reader, writer)
    async def agent(reader, writer):
        await serve_mcp(host, StreamChannel(reader, writer), [folder], deadline=600)
    prepare()
    await asyncio.start_unix_server(editor, lsp)
    await asyncio.start_unix_server(agent, mcp, limit=1 << 26)
    print("ready", flush=True)
    await asyncio.Event().wait()

asyncio.run(main(*sys.argv[1:]))
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


def write_workspace(folder: Path, files: int, lines: int) -> None:
    """So many files of so many lines, each from another seed, some with mistakes."""
    (folder / "boruna.toml").write_text("", encoding="utf-8")
    generator = ROOT / "tests" / "bench" / "generate_ax.py"
    for number in range(files):
        command = [sys.executable, str(generator), "--lines", str(lines), "--seed", str(number)]
        command += ["--functions-with-errors", str(number % 3), "--output", str(folder / f"file_{number:04}.ax")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def typed(editor: Editor, until: threading.Event | None, count: int) -> list[float]:
    """Keystrokes one after the other, `count` of them or as many as there are until something happens."""
    times: list[float] = []
    while (until is None and len(times) < count) or (until is not None and not until.is_set()):
        times.append(editor.keystroke())
        time.sleep(PAUSE)
    return times


def beside(editor: Editor, agent: Agent) -> tuple[list[float], float, dict[str, Any]]:
    """Keystrokes while an agent asks once; then the seconds that it took, and its answer."""
    done = threading.Event()
    found: list[tuple[float, dict[str, Any]]] = []

    def ask() -> None:
        found.append(agent.diagnostics())
        done.set()

    thread = threading.Thread(target=ask)
    thread.start()
    times = typed(editor, done, 0)
    thread.join()
    return times, *found[0]


def row(name: str, times: list[float], idle: float, loop: float, note: str = "") -> None:
    """Prints a line of the table."""
    middle, high = median(times), quantiles(times, n=20)[-1] if len(times) > 1 else times[0]
    ratio = f"{middle:>8.2f}{high:>8.2f}{max(times):>8.2f}{middle / idle:>8.2f}{middle / loop:>8.2f}"
    print(f"{name:<34}{len(times):>6}{ratio}  {note}", flush=True)


def main() -> int:
    """Prints the table."""
    files, lines = (int(argument) for argument in (sys.argv[1:3] if len(sys.argv) > 2 else ("200", "1000")))
    loop = calibration_ms()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_workspace(folder, files, lines)
        lsp, mcp = str(folder / ".lsp"), str(folder / ".mcp")
        command = [sys.executable, "-c", SERVER, lsp, mcp, name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as server:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            try:
                measure(lsp, mcp, folder, files, lines, loop)
            finally:
                server.kill()
    return 0


def measure(lsp: str, mcp: str, folder: Path, files: int, lines: int, loop: float) -> None:
    """Types alone, beside a cold question, beside the same question again."""
    agent = Agent(mcp)
    editor = Editor(lsp, folder / f"file_{files // 2:04}.ax", folder)
    typed(editor, None, 20)
    alone = typed(editor, None, 200)
    idle = median(alone)
    print(f"{files} files of {lines} lines; a keystroke every {PAUSE * 1e3:.0f} ms after the last one was answered")
    print(f"{'keystroke -> diagnostics (ms)':<34}{'count':>6}{'median':>8}{'p95':>8}{'worst':>8}{'x idle':>8}{'x loop':>8}")
    row("nothing else", alone, idle, loop)
    for name in ("beside a cold question", "beside the same question again"):
        times, spent, answer = beside(editor, agent)
        coverage, found = answer["freshness"]["coverage"], sum(answer["counts"].values())
        note = f"question {spent:.2f} s, {found} findings, {coverage['checked']} of {coverage['total']} files"
        row(name, times, idle, loop, note)
    spent, _ = agent.diagnostics()
    print(f"the same question with nobody typing: {spent * 1e3:.1f} ms; calibration loop: {loop:.2f} ms")


if __name__ == "__main__":
    sys.exit(main())
