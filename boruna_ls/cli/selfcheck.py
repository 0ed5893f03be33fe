"""A broken program, asked about as an editor and as an agent ask: each in a fresh server process over its standard streams.

Only the standard library is used, so that an installation whose libraries are damaged still gets an answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Final

from boruna_ls.wire.frames import Frames, framed
from boruna_ls.wire.lines import Lines, lined

PROGRAM: Final = "fn main() -> Int {\n    let total = 1\n    totl\n}\n"
EXPECTED: Final = ["E003"]
PATIENCE: Final = 60.0
"""Seconds for a server to start and answer; a cold disk takes several."""
_BLOCK: Final = 1 << 16
_VERSION: Final = "2025-06-18"


class Failed(Exception):
    """A server failed instead of answering; the message says how."""


def over_lsp() -> list[str]:
    """The codes of the errors that an editor is shown."""
    uri = (Path(tempfile.gettempdir()).resolve() / "boruna-doctor.ax").as_uri()
    document = {"uri": uri, "languageId": "boruna", "version": 1, "text": PROGRAM}

    def talk(send: Callable[[Any], None], messages: Iterator[Any]) -> list[str]:
        send(_request(1, "initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {}}))
        _answer(messages, 1)
        send(_notification("initialized", {}))
        send(_notification("textDocument/didOpen", {"textDocument": document}))
        shown = next(m["params"] for m in messages if m.get("method") == "textDocument/publishDiagnostics")
        send(_request(2, "shutdown"))
        _answer(messages, 2)
        send(_notification("exit"))
        return sorted(diagnostic["code"] for diagnostic in shown["diagnostics"] if diagnostic["severity"] == 1)

    return _conversation("lsp", Frames(), framed, talk)


def over_mcp() -> list[str]:
    """The codes of the errors in an agent's answer."""

    def talk(send: Callable[[Any], None], messages: Iterator[Any]) -> list[str]:
        client = {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": {"name": "doctor", "version": "1"}}
        send(_request(1, "initialize", client))
        _answer(messages, 1)
        send(_notification("notifications/initialized"))
        send(_request(2, "tools/call", {"name": "boruna_check", "arguments": {"source": PROGRAM}}))
        answer = json.loads(_answer(messages, 2)["content"][0]["text"])
        return sorted(diagnostic["id"] for diagnostic in answer["diagnostics"] if diagnostic["severity"] == "error")

    return _conversation("mcp", Lines(), lined, talk)


def _conversation(
    protocol: str,
    cutter: Frames | Lines,
    frame: Callable[[bytes], bytes],
    talk: Callable[[Callable[[Any], None], Iterator[Any]], list[str]],
) -> list[str]:
    code = f"from boruna_ls.client import standalone; raise SystemExit(standalone({protocol!r}, []))"
    line = [sys.executable, "-c", code]
    with (
        tempfile.TemporaryFile() as complaints,
        subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        stdin = process.stdin
        watch = threading.Timer(PATIENCE, process.kill)
        watch.start()

        def send(message: Any) -> None:
            stdin.write(frame(json.dumps(message).encode()))
            stdin.flush()

        try:
            return talk(send, _messages(process.stdout, cutter))
        except (StopIteration, OSError, ValueError, LookupError, TypeError) as problem:
            process.kill()
            process.wait()
            reason = "did not answer in time" if not watch.is_alive() else f"{type(problem).__name__}: {problem}"
            complaints.seek(0)
            last = complaints.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise Failed(last or reason.rstrip(": ")) from None
        finally:
            watch.cancel()
            process.kill()


def _request(number: int, method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method} | ({} if params is None else {"params": params})


def _notification(method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})


def _answer(messages: Iterator[Any], number: int) -> Any:
    message = next(reply for reply in messages if reply.get("id") == number and "method" not in reply)
    if "error" in message:
        raise Failed(str(message["error"].get("message")))
    return message["result"]


def _messages(stream: IO[bytes], cutter: Frames | Lines) -> Iterator[Any]:
    while data := os.read(stream.fileno(), _BLOCK):
        for piece in cutter.feed(data):
            if piece.body is not None:
                yield json.loads(piece.body)
