"""A large workspace and a long day: `python -m benchmarks.bench_scale [EDITS] [FILES] [LINES]`.

Memory of the daemon with 100 files of 1,000 lines (and eight libraries) checked, and with a second worktree of them; references
to a library's function in all of them; 100,000 edits in fast motion, each waited for as an editor waits for its diagnostics.
Everything goes through forwarders, as clients do. RSS is what the process has in memory, USS what it shares with no other one;
both as Linux counts them. `x loop` is the ratio to a calibration loop.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any, Final

from benchmarks.calibration import calibration_ms
from boruna_ls.rendezvous import places
from boruna_ls.rendezvous.ask import ask

ROOT: Final = Path(__file__).resolve().parent.parent
GENERATOR: Final = ROOT / "tests" / "bench" / "generate_workspace.py"
FORWARDER: Final = "import sys; from boruna_ls.entry import main; sys.argv[0] = 'boruna-ls'; sys.exit(main())"
SYMBOL: Final = "account_item"
LIBRARY: Final = "libs/gen-account/src/core.ax"


class Forwarder:
    """A client's process; `send` and `receive` speak LSP, `ask` MCP."""

    def __init__(self, protocol: str, folder: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        line = [sys.executable, "-c", FORWARDER, protocol]
        self._process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=environment)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self._number = 0

    def close(self) -> None:
        self._in.close()
        self._process.wait()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of an MCP request."""
        self._number += 1
        self._line({"id": self._number, "method": method, "params": params})
        while (message := json.loads(self._out.readline())).get("id") != self._number:
            pass
        result: dict[str, Any] = message["result"]
        return result

    def tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Answer of a tool."""
        answer: dict[str, Any] = self.ask("tools/call", name=name, arguments=arguments)["structuredContent"]
        assert answer["success"], answer
        return answer

    def _line(self, message: dict[str, Any]) -> None:
        self._in.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._in.flush()

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._in.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._in.flush()

    def receive(self) -> bytes:
        length = 0
        while line := self._out.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return self._out.read(length)


def agent(folder: Path) -> Forwarder:
    """An agent that works in a folder."""
    made = Forwarder("mcp", folder)
    client = {"name": "bench", "version": "1"}
    made.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
    made._line({"method": "notifications/initialized"})
    return made


class Editor:
    """An editor with one file open."""

    def __init__(self, folder: Path, document: Path) -> None:
        self._forwarder = Forwarder("lsp", folder)
        self._uri, self._version = document.as_uri(), 0
        self.text = document.read_text("utf-8")
        root: dict[str, Any] = {"capabilities": {}, "processId": None, "rootUri": folder.as_uri()}
        self._forwarder.send({"id": 1, "method": "initialize", "params": root})
        self._forwarder.receive()
        self._forwarder.send({"method": "initialized", "params": {}})
        opened = {"uri": self._uri, "languageId": "ax", "version": 0, "text": self.text}
        self._forwarder.send({"method": "textDocument/didOpen", "params": {"textDocument": opened}})
        self._published()

    def type(self, start: int, end: int, new: str) -> float:
        """Replaces a part of the text, which is ASCII; milliseconds until the diagnostics were read."""
        change = {"range": {"start": self._position(start), "end": self._position(end)}, "text": new}
        self.text = self.text[:start] + new + self.text[end:]
        self._version += 1
        params = {"textDocument": {"uri": self._uri, "version": self._version}, "contentChanges": [change]}
        begun = time.perf_counter()
        self._forwarder.send({"method": "textDocument/didChange", "params": params})
        self._published()
        return (time.perf_counter() - begun) * 1e3

    def close(self) -> None:
        self._forwarder.close()

    def _published(self) -> None:
        wanted = re.compile(rb'publishDiagnostics.{,400}?"version": ?%d[,}]' % self._version, re.DOTALL)
        while not wanted.search(self._forwarder.receive()[:2000]):
            pass

    def _position(self, offset: int) -> dict[str, int]:
        return {"line": self.text.count("\n", 0, offset), "character": offset - self.text.rfind("\n", 0, offset) - 1}


def memory(folder: str) -> tuple[float, float]:
    """RSS and USS of the daemon in MB."""
    found = ask(folder, "status")
    assert found is not None
    sizes: dict[str, int] = {}
    for line in Path(f"/proc/{found['pid']}/smaps_rollup").read_text().splitlines()[1:]:
        name, size, *_ = line.split()
        sizes[name] = int(size)
    return sizes["Rss:"] / 1024, (sizes["Private_Clean:"] + sizes["Private_Dirty:"]) / 1024


def shown(what: str, folder: str, before: float = 0.0) -> float:
    """Prints a row; the USS."""
    rss, uss = memory(folder)
    more = f"{100 * (uss - before) / before:>+8.1f} %" if before else ""
    print(f"{what:<52}{rss:>9.1f}{uss:>9.1f}{more}", flush=True)
    return uss


def references(one: Forwarder) -> tuple[float, int]:
    """Milliseconds until an agent has all references, and how many there are."""
    begun = time.perf_counter()
    answer = one.tool("find_references", path=LIBRARY, symbol=SYMBOL, limit=100)
    return (time.perf_counter() - begun) * 1e3, int(answer["total"])


def large(base: Path, folder: str, loop: float) -> None:
    """Memory, and references."""
    first, second, empty = base / "worktree_1", base / "worktree_2", base / "empty"
    empty.mkdir()
    (empty / "boruna.toml").touch()
    (empty / "main.ax").write_text("fn main() -> Int {\n    1\n}\n")
    one = agent(first)
    rows = [("references, nothing read before", *references(one))]
    one.close()
    until_ended(folder)
    nobody, editor = agent(empty), Editor(empty, empty / "main.ax")
    # The view that the first client did not ask for is loaded by then.
    time.sleep(3)
    print(f"{'memory of the daemon, MB':<52}{'RSS':>9}{'USS':>9}")
    shown("an agent and an editor with three lines", folder)
    one = agent(first)
    begun = time.perf_counter()
    one.tool("workspace_diagnostics", severity="hint")
    spent = time.perf_counter() - begun
    checked = shown("all files of a worktree checked", folder)
    rows.append(("references, all files checked", *references(one)))
    rows.append(("references, again", median(references(one)[0] for _ in range(5)), rows[0][2]))
    two = agent(second)
    two.tool("workspace_diagnostics", severity="hint")
    shown("a second worktree checked", folder, checked)
    print(f"all diagnostics of the first worktree: {spent:.1f} s\n")
    print(f"{'question of an agent':<52}{'ms':>9}{'x loop':>9}{'found':>8}")
    for name, milliseconds, found in rows:
        print(f"{name:<52}{milliseconds:>9.1f}{milliseconds / loop:>9.1f}{found:>8}")
    for client in (nobody, one, two, editor):
        client.close()
    until_ended(folder)


def until_ended(folder: str) -> None:
    """Waits for the daemon to end, now that it has no clients."""
    while ask(folder, "status") is not None:
        time.sleep(0.1)


def long(base: Path, folder: str, edits: int, loop: float) -> None:
    """Many edits: at one place after the other somebody types names, numbers and brackets, and takes it all back."""
    root = base / "worktree_1"
    editor = Editor(root, root / "src" / "part_00" / "program_001.ax")
    dice = random.Random(1)
    times: list[float] = []
    at, typed, wanted, goes_back = 0, 0, 0, False
    print(f"\n{'edits in fast motion':<20}{'RSS MB':>10}{'USS MB':>10}{'median ms':>11}{'x loop':>8}")
    # What idle time does to a workspace that was just opened is no matter of the edits.
    time.sleep(5)
    for number in range(1, edits + 1):
        if typed == 0:
            at = editor.text.index("\n", dice.randrange(len(editor.text) - 200))
            wanted, goes_back = dice.randrange(1, 30), False
        if goes_back:
            typed -= 1
            times.append(editor.type(at + typed, at + typed + 1, ""))
        else:
            times.append(editor.type(at + typed, at + typed, dice.choice("abcdefgh0123456789 +({})")))
            typed += 1
            goes_back = typed == wanted
        if number in {1, edits // 100, edits // 10, edits // 2, edits}:
            time.sleep(1)
            rss, uss = memory(folder)
            middle = median(times[-1_000:])
            print(f"{number:<20,}{rss:>10.1f}{uss:>10.1f}{middle:>11.2f}{middle / loop:>8.2f}", flush=True)
    editor.close()


def main() -> int:
    """Prints the tables."""
    edits, files, lines = (int(given) for given in [*sys.argv[1:], *("100000", "100", "1000")[len(sys.argv) - 1 :]])
    if not Path("/proc/self/smaps_rollup").exists():
        print("this benchmark reads /proc, which only Linux has")
        return 0
    base = Path(tempfile.mkdtemp(prefix="boruna-scale-"))
    folder = os.environ[places.VARIABLE] = str(base / "d")
    os.environ["BORUNA_LS_IDLE"] = "0"
    line = [sys.executable, str(GENERATOR), "--files", str(files), "--lines", str(lines), "--worktrees", "2"]
    try:
        subprocess.run([*line, "--output", str(base)], check=True)
        loop = calibration_ms()
        large(base, folder, loop)
        long(base, folder, edits, loop)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(f"calibration loop: {loop:.2f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
