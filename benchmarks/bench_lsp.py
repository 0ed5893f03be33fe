"""Cost of a keystroke through the real language server: `python -m benchmarks.bench_lsp [ROUNDS]`.

The server runs as a process of its own over stdio; a row is the time from sending `didChange` until the
`publishDiagnostics` with its version was read. The baseline is an empty pygls server in the same run, which
answers each `didChange` with an empty list and keeps its own document store. `x loop` is the ratio to a
calibration loop, for comparisons with other machines.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from benchmarks.calibration import calibration_ms

ROOT = Path(__file__).resolve().parent.parent
URI = "file:///bench/program.ax"
REFERENCE = "the native server: 26 ms for a keystroke in 10,000 lines, on the machine of its figures"
EMPTY_SERVER = """
from lsprotocol import types
from pygls.lsp.server import LanguageServer
server = LanguageServer("empty", "1")
@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def changed(ls, params):
    document = params.text_document
    ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(document.uri, [], document.version))
server.start_io()
"""
OUR_SERVER = "from boruna_ls.lsp import __main__"


class Place(NamedTuple):
    """A position as LSP counts."""

    line: int
    character: int


class Editor:
    """A plain client that waits for the diagnostics of each version."""

    def __init__(self, program: str, text: str, uri: str = URI) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
        )
        self._uri = uri
        self._version = 0
        self.found = 0
        self.sizes = (0, 0)
        """Bytes of the last change or request, and of what answered it."""
        self._send({"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}})
        self._receive()
        self._send({"method": "initialized", "params": {}})
        document = {"uri": uri, "languageId": "ax", "version": 0, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def change(self, start: Place, end: Place, new: str) -> float:
        """Replaces a range; milliseconds until the diagnostics were read."""
        self._version += 1
        change = {"range": {"start": start._asdict(), "end": end._asdict()}, "text": new}
        params = {"textDocument": {"uri": self._uri, "version": self._version}, "contentChanges": [change]}
        wanted = re.compile(rb'"version": ?%d[,}]' % self._version)
        begun = time.perf_counter()
        sent = self._send({"method": "textDocument/didChange", "params": params})
        message = self._receive()
        while not wanted.search(message):
            message = self._receive()
        spent = time.perf_counter() - begun
        self.sizes = sent, len(message)
        self.found = message.count(b'"severity"')
        return spent * 1e3

    def request(self, method: str, params: dict[str, Any]) -> float:
        """Milliseconds until the answer of a request was read."""
        self._version += 1
        number = 1_000_000 + self._version
        wanted = re.compile(rb'"id": ?%d[,}]' % number)
        begun = time.perf_counter()
        sent = self._send({"id": number, "method": method, "params": params})
        while not wanted.search(message := self._receive()):
            pass
        spent = time.perf_counter() - begun
        self.sizes = sent, len(message)
        return spent * 1e3

    def close(self) -> None:
        """Ends the server."""
        self._process.kill()
        self._process.communicate()

    def _send(self, message: dict[str, Any]) -> int:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._process.stdin.flush()
        return len(body)

    def _receive(self) -> bytes:
        assert self._process.stdout is not None
        length = 0
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return self._process.stdout.read(length)


Keystrokes = Callable[[Editor, list[str]], list[float]]
"""One round of typing and taking back in a text (as lines), with the time of each change."""


def toggled(place: Place, new: str) -> Keystrokes:
    """Types something at a place and deletes it again."""
    *_, last = lines = new.split("\n")
    end = Place(place.line + len(lines) - 1, len(last) + (place.character if len(lines) == 1 else 0))

    def run(editor: Editor, _: list[str]) -> list[float]:
        return [editor.change(place, place, new), editor.change(place, end, "")]

    return run


def in_a_body(new: str) -> Keystrokes:
    """Types something at the end of a `let` in the middle of the text."""

    def run(editor: Editor, lines: list[str]) -> list[float]:
        line = next(n for n in range(len(lines) // 2, len(lines)) if lines[n].startswith("    let "))
        return toggled(Place(line, len(lines[line])), new)(editor, lines)

    return run


def generated(lines: int, errors: int = 0) -> str:
    """A program of the generator."""
    generator = ROOT / "tests" / "bench" / "generate_ax.py"
    command = [sys.executable, str(generator), "--lines", str(lines), "--functions-with-errors", str(errors)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def with_callers(callers: int) -> str:
    """10,000 lines; `target` on the first line is called from many functions."""
    calls = "".join(f"fn caller_{n}(a: Int) -> Int {{\n    target(a)\n}}\n" for n in range(callers))
    head = "fn target(a: Int) -> Int {\n    a + 1\n}\n" + calls
    return head + generated(10_000 - head.count("\n"))


def with_diagnostics(count: int) -> str:
    """10,000 lines with a diagnostic in each of many functions."""
    bad = "".join(f"fn bad_{n}(a: Int) -> Int {{\n    let b: Int = a + 1\n    missing_{n} + b\n}}\n" for n in range(count))
    return bad + generated(10_000 - bad.count("\n"))


def measure(name: str, program: str, text: str, keystrokes: Keystrokes, rounds: int) -> tuple[str, list[float], int]:
    """The times of all keystrokes of some rounds, after some to warm up."""
    editor = Editor(program, text)
    lines = text.split("\n")
    try:
        for _ in range(3):
            keystrokes(editor, lines)
        return name, [spent for _ in range(rounds) for spent in keystrokes(editor, lines)], editor.found
    finally:
        editor.close()


def main() -> int:
    """Prints the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    loop = calibration_ms()
    large = generated(10_000)
    rows = [
        measure("empty pygls server, 100 lines", EMPTY_SERVER, generated(100), in_a_body(" "), rounds),
        measure("empty pygls server, 10,000 lines", EMPTY_SERVER, large, in_a_body(" "), rounds),
        measure("in a body, 100 lines", OUR_SERVER, generated(100), in_a_body(" + 1"), rounds),
        measure("in a body, 1,000 lines", OUR_SERVER, generated(1_000), in_a_body(" + 1"), rounds),
        measure("in a body, 10,000 lines", OUR_SERVER, large, in_a_body(" + 1"), rounds),
        measure("newline on line 1, 10,000 lines", OUR_SERVER, large, toggled(Place(0, 0), "\n"), rounds),
        measure("typed quote, 10,000 lines", OUR_SERVER, large, in_a_body('"'), rounds),
        measure("typed brace, 10,000 lines", OUR_SERVER, large, in_a_body(" {"), rounds),
        measure("changed signature, 500 callers", OUR_SERVER, with_callers(500), toggled(Place(0, 16), ", b: Int"), rounds),
        measure("in a body, 1,000 findings", OUR_SERVER, with_diagnostics(1_000), in_a_body(" + 1"), rounds),
        measure("newline on line 1, 1,000 findings", OUR_SERVER, with_diagnostics(1_000), toggled(Place(0, 0), "\n"), rounds),
    ]
    base = median(rows[0][1])
    print(f"{'keystroke -> diagnostics':<36}{'median ms':>10}{'p90 ms':>9}{'x empty':>9}{'x loop':>8}{'diagnostics':>12}")
    for name, times, found in rows:
        middle, high = median(times), quantiles(times, n=10)[-1]
        print(f"{name:<36}{middle:>10.2f}{high:>9.2f}{middle / base:>9.1f}{middle / loop:>8.2f}{found:>10}")
    small, huge = median(rows[2][1]), median(rows[4][1])
    print(f"10,000 lines against 100: {huge:.2f} ms, the target is {min(6.0, 2 * small + 2):.2f} ms or less")
    print(f"calibration loop: {loop:.2f} ms; {REFERENCE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
