"""A daemon is tried before it takes over from an older one: by its own installation, in a folder of its own.

A forwarder that is newer than the daemon it found starts `python …/daemon/__main__.py --try DIR`. The trial starts a daemon as it
would be started, serves an editor and an agent with it, runs a program, and records in DIR what came of it. The older daemon
reads that record and makes room, or goes on as if nothing had happened.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from boruna_ls import __version__
from boruna_ls.rendezvous import endpoint, installations, places, start, wire
from boruna_ls.wire.frames import Frames, framed
from boruna_ls.wire.lines import Lines, lined

PATIENCE = 20.0
"""Seconds for all of a trial."""
_PAUSE = 0.05
_BLOCK = 1 << 16
_PROGRAM = "fn main() -> Int {\n    6 * 7\n}\n"
_INFO = {"name": "trial", "version": __version__}


class Failed(Exception):
    """The daemon did not pass; the message is a sentence."""


def main(folder: str) -> int:
    """Tries this installation's daemon and records the result in a folder; the exit status."""
    ours = installations.own(__version__)
    try:
        attempt(ours, time.monotonic() + PATIENCE)
        state, reason = installations.GOOD, ""
    except (Failed, OSError) as error:
        state, reason = installations.BROKEN, str(error)
    with contextlib.suppress(OSError):
        installations.record(folder, ours._replace(state=state, reason=reason[:500]))
    return 0 if state == installations.GOOD else 1


def attempt(ours: installations.Installation, ends: float) -> None:
    """Raises Failed or OSError unless the daemon serves before `ends` (monotonic)."""
    folder = os.path.join(tempfile.mkdtemp(prefix="boruna-ls-trial-"), "d")
    process: subprocess.Popen[bytes] | None = None
    try:
        os.mkdir(folder, 0o700)
        environment = start.environment() | {places.VARIABLE: folder}
        process = subprocess.Popen(
            [*ours.command(), "--folder", folder, "--first", "lsp"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )
        for protocol, serve in (("lsp", _edits), ("mcp", _runs)):
            with contextlib.closing(_connected(folder, protocol, process, ends)) as connection:
                serve(connection, ends)
    finally:
        if process is not None:
            _end(process)
        shutil.rmtree(os.path.dirname(folder), ignore_errors=True)


def _connected(folder: str, protocol: str, process: subprocess.Popen[bytes], ends: float) -> socket.socket:
    while True:
        try:
            connection, secret = endpoint.connect(folder)
            break
        except OSError as error:
            if process.poll() is not None:
                raise Failed(f"its daemon ends immediately after its start: {_last_words(process)}") from None
            if time.monotonic() > ends:
                raise Failed(f"its daemon does not listen within {PATIENCE:g} seconds ({error})") from None
            time.sleep(_PAUSE)
    connection.sendall(wire.hello(protocol, secret))
    return connection


def _edits(connection: socket.socket, ends: float) -> None:
    """An editor that greets and leaves."""
    daemon = _Daemon(connection, ends)
    daemon.welcome()
    params = {"processId": None, "rootUri": None, "capabilities": {}, "clientInfo": _INFO}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    connection.sendall(framed(json.dumps(request).encode()))
    if "capabilities" not in _answer(daemon.messages(Frames()), 1).get("result", {}):
        raise Failed("its daemon does not answer an editor")


def _runs(connection: socket.socket, ends: float) -> None:
    """An agent that runs a program."""
    daemon = _Daemon(connection, ends)
    daemon.welcome()
    params: dict[str, Any] = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": _INFO}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "boruna_run", "arguments": {"source": _PROGRAM}}},
    ]
    connection.sendall(b"".join(lined(json.dumps(message).encode()) for message in messages))
    answer = _answer(daemon.messages(Lines()), 2)
    if answer.get("result", {}).get("structuredContent", {}).get("result") != 42:
        raise Failed("its daemon does not run a program")


def _answer(messages: Iterator[dict[str, Any]], id_: int) -> dict[str, Any]:
    return next(message for message in messages if message.get("id") == id_ and "method" not in message)


class _Daemon:
    """What a daemon sends, read until a deadline."""

    def __init__(self, connection: socket.socket, ends: float) -> None:
        self._connection = connection
        self._ends = ends
        self._received = b""

    def welcome(self) -> None:
        """Reads the daemon's first line."""
        while (parts := wire.first_line(self._received)) is None:
            self._received += self._more()
        _object(parts[0])
        self._received = parts[1]

    def messages(self, cutter: Frames | Lines) -> Iterator[dict[str, Any]]:
        """The messages behind its first line, in the framing of a protocol."""
        data = self._received
        while True:
            for piece in cutter.feed(data):
                yield _object(piece.body or b"")
            data = self._more()

    def _more(self) -> bytes:
        self._connection.settimeout(max(self._ends - time.monotonic(), 0.001))
        try:
            data = self._connection.recv(_BLOCK)
        except TimeoutError:
            raise Failed(f"its daemon does not answer within {PATIENCE:g} seconds") from None
        if not data:
            raise Failed("its daemon ends while it serves its first clients")
        return data


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except ValueError:
        raise Failed("its daemon does not speak the protocol") from None
    if not isinstance(value, dict):
        raise Failed("its daemon does not speak the protocol")
    return value


def _last_words(process: subprocess.Popen[bytes]) -> str:
    written = process.stderr.read(_BLOCK).decode("utf-8", "replace").strip() if process.stderr is not None else ""
    return written.rpartition("\n")[2] or f"exit status {process.returncode}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the daemon and what it started."""
    process.terminate()
    try:
        process.wait(3)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stderr is not None:
        process.stderr.close()
