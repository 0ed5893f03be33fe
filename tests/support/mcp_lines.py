"""A real `boruna-mcp` process, spoken to in lines: for what no well-behaved client sends.

It is served by the daemon of this run, which starts once, unless `--standalone` is among its options.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from tests.support.commands import command, end

CLIENT = {"name": "tests", "version": "1"}


def request(number: Any, method: str, params: Any = None) -> dict[str, Any]:
    """A JSON-RPC request."""
    return {"jsonrpc": "2.0", "id": number, "method": method} | ({} if params is None else {"params": params})


def call(number: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    """A tool call."""
    return request(number, "tools/call", {"name": tool, "arguments": arguments})


def initialize(number: Any = "init", version: str = "2025-06-18") -> dict[str, Any]:
    """The first request of a client."""
    return request(number, "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT})


def envelope(*extensions: str, **able: Any) -> dict[str, Any]:
    """What a client of 2026-07-28 says of itself in the `_meta` of every request."""
    prefix = "io.modelcontextprotocol"
    able = {**able, "extensions": {name: {} for name in extensions}} if extensions else able
    return {f"{prefix}/protocolVersion": "2026-07-28", f"{prefix}/clientCapabilities": able, f"{prefix}/clientInfo": CLIENT}


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class LineServer:
    """The process and what it has written so far."""

    def __init__(self, *arguments: str, program: str = "boruna-mcp", cwd: str | None = None) -> None:
        self.process = subprocess.Popen(
            [program if os.path.isabs(program) else command(program), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
        )
        assert self.process.stdin is not None
        self._input = self.process.stdin
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._pump, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        end(self.process)

    def _pump(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def send(self, *messages: Any) -> None:
        """Writes messages, or bytes as they are."""
        for message in messages:
            data = message if isinstance(message, bytes) else json.dumps(message).encode()
            self._input.write(data + b"\n")
        self._input.flush()

    def send_raw(self, data: bytes) -> None:
        """Writes bytes without a line feed."""
        self._input.write(data)
        self._input.flush()

    def receive(self, timeout: float = 60) -> dict[str, Any]:
        """The next message, whatever it answers."""
        line = self._lines.get(timeout=timeout)
        assert line is not None, "the server closed its output"
        message: dict[str, Any] = json.loads(line)
        return message

    def ask(self, *messages: Any) -> dict[str, Any]:
        """Sends messages and waits for one answer."""
        self.send(*messages)
        return self.receive()

    def open(self) -> Self:
        """Goes through the handshake."""
        answer = self.ask(initialize())
        assert "result" in answer, answer
        self.send(INITIALIZED)
        return self

    def end(self, timeout: float = 60) -> tuple[int, list[dict[str, Any]]]:
        """Closes the input; the exit status and every message that was not received yet."""
        self._input.close()
        messages = []
        while (line := self._lines.get(timeout=timeout)) is not None:
            messages.append(json.loads(line))
        return self.process.wait(timeout), messages


@contextmanager
def line_server(*arguments: str, cwd: str | None = None) -> Iterator[LineServer]:
    """A server process that is gone afterwards, whatever happened."""
    with LineServer(*arguments, cwd=cwd) as server:
        yield server
