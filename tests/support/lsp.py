"""A plain language client over the pipes of a real server process, which can also say what no library would."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from pathlib import Path
from typing import Any, Self

from tests.support.commands import command, end

SERVER = [command("boruna-lsp")]
"""Served by the daemon of this run, which starts once."""
ALONE = [*SERVER, "--standalone"]
"""A process of its own."""
PATIENCE = 60.0
"""Seconds after which a missing answer is a failure."""


class NoAnswer(AssertionError):
    """The server said nothing in time, or has ended."""


OPTIONS = {"diagnostics": {"pause": 0}}
"""Options of raw clients: no diagnostic waits for a pause of typing."""


class RawClient:
    """Sends frames or any bytes, and reads frames."""

    def __init__(self, cwd: Path | None = None, line: list[str] | None = None) -> None:
        self.process = subprocess.Popen(
            line or SERVER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            bufsize=0,
        )
        self._output = bytearray()
        self._id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        end(self.process)

    # ---- sending ------------------------------------------------------------------------------------------------

    def send_bytes(self, data: bytes) -> None:
        """Sends bytes as they are; reads meanwhile what the server says, so that neither waits for the other."""
        assert self.process.stdin is not None
        pipe = self.process.stdin.fileno()
        os.set_blocking(pipe, False)
        view = memoryview(data)
        deadline = time.monotonic() + PATIENCE
        while view:
            readable, writable, _ = select.select([self._out], [pipe], [], 1)
            if readable:
                self._output += os.read(self._out, 1 << 16)
            if writable:
                view = view[os.write(pipe, view[: 1 << 16]) :]
            if time.monotonic() > deadline:
                raise NoAnswer("the server does not read")

    def frame(self, body: bytes) -> None:
        """Sends a body in a frame."""
        self.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def notify(self, method: str, params: Any = None) -> None:
        """Sends a notification."""
        self.frame(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def ask(self, method: str, params: Any = None) -> int:
        """Sends a request and returns its id."""
        self._id += 1
        self.frame(json.dumps({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}).encode())
        return self._id

    # ---- receiving ----------------------------------------------------------------------------------------------

    @property
    def _out(self) -> int:
        assert self.process.stdout is not None
        return self.process.stdout.fileno()

    def receive(self, patience: float = PATIENCE) -> dict[str, Any]:
        """The next message."""
        deadline = time.monotonic() + patience
        while True:
            head, found, rest = bytes(self._output).partition(b"\r\n\r\n")
            if found:
                assert head.startswith(b"Content-Length: "), f"no protocol on stdout: {head[:200]!r}"
                length = int(head[16:])
                if len(rest) >= length:
                    del self._output[: len(head) + 4 + length]
                    message: dict[str, Any] = json.loads(rest[:length])
                    return message
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._out], [], [], left)[0]:
                raise NoAnswer("nothing came")
            data = os.read(self._out, 1 << 20)
            if not data:
                raise NoAnswer(f"the server ended: {self.errors()}")
            self._output += data

    def answer(self, id_: Any, patience: float = PATIENCE) -> dict[str, Any]:
        """The answer to a request; what comes before it is passed over."""
        while True:
            message = self.receive(patience)
            if "method" not in message and message.get("id") == id_:
                return message

    def call(self, method: str, params: Any = None) -> Any:
        """The result of a request."""
        message = self.answer(self.ask(method, params))
        assert "error" not in message, message
        return message["result"]

    def refused(self, method: str, params: Any = None) -> int:
        """The error code of a request."""
        code = self.answer(self.ask(method, params))["error"]["code"]
        assert isinstance(code, int)
        return code

    def published(self, uri: str, version: int | None = None) -> list[dict[str, Any]]:
        """The next diagnostics of a document (of a certain version)."""
        while True:
            message = self.receive()
            params = message.get("params") or {}
            is_about_it = message.get("method") == "textDocument/publishDiagnostics" and params["uri"] == uri
            if is_about_it and version in (None, params.get("version")):
                diagnostics: list[dict[str, Any]] = params["diagnostics"]
                return diagnostics

    def errors(self) -> str:
        """The server's stderr, once it has ended."""
        self.process.kill()
        return self.process.communicate()[1].decode("utf-8", "replace")[-2000:]

    # ---- life ---------------------------------------------------------------------------------------------------

    def initialize(self, capabilities: Any = None, **params: Any) -> Any:
        """The handshake; returns the server's answer."""
        given = {"processId": None, "rootUri": None, "initializationOptions": OPTIONS, **params}
        answer = self.call("initialize", {"capabilities": capabilities or {}, **given})
        self.notify("initialized", {})
        return answer

    def open(self, uri: str, text: str, version: int = 1) -> None:
        """Opens a document."""
        document = {"uri": uri, "languageId": "ax", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        """Changes a document."""
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def is_alive(self) -> bool:
        """True if the server still answers."""
        return self.refused("no/suchMethod") == -32601


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, Any]:
    """A change of a range."""
    return {"range": span(start, end), "text": text}


def span(start: tuple[int, int], end: tuple[int, int]) -> dict[str, Any]:
    """A range."""
    return {
        "start": {"line": start[0], "character": start[1]},
        "end": {"line": end[0], "character": end[1]},
    }
