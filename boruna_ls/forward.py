"""The forwarder: standard input and output to the daemon and back, byte by byte.

Editors and agents start one each, so it imports next to nothing. It tells the daemon in one line who it is: the
protocol, the working directory from which relative paths count, and the secret where the connection has no owner.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final

ENDPOINT: Final = "endpoint.json"
_BLOCK: Final = 1 << 18
_PAUSE: Final = 0.05


def forward(protocol: str, folder: Path, wait: float) -> int:
    """Forwards until one side ends; the exit status. `wait`: seconds that the daemon has to appear."""
    try:
        connection = connect(folder, wait)
    except OSError as error:
        print(f"boruna-ls: no process serves at {folder}: {error}", file=sys.stderr)
        return 1
    hello = {"protocol": protocol, "cwd": os.getcwd(), "secret": _endpoint(folder).get("secret", "")}
    connection.sendall(json.dumps(hello).encode() + b"\n")
    threading.Thread(target=_pump_input, args=(connection,), daemon=True).start()
    while data := _received(connection):
        while data:
            data = data[os.write(1, data) :]
    return 0


def connect(folder: Path, wait: float = 0.0) -> socket.socket:
    """A connection to the daemon of a folder. Raises OSError."""
    deadline = time.monotonic() + wait
    while True:
        try:
            return _connected(_endpoint(folder))
        except OSError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(_PAUSE)


def _endpoint(folder: Path) -> dict[str, Any]:
    """Where the daemon listens, as it has written it."""
    try:
        found = json.loads((folder / ENDPOINT).read_text(encoding="utf-8"))
    except ValueError as error:
        raise OSError(f"{ENDPOINT} is not readable: {error}") from None
    if not isinstance(found, dict):
        raise OSError(f"{ENDPOINT} is not readable")
    return found


def _connected(endpoint: dict[str, Any]) -> socket.socket:
    if "path" in endpoint:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(endpoint["path"])
        except OSError:
            connection.close()
            raise
        return connection
    return socket.create_connection(("127.0.0.1", int(endpoint.get("port", 0))))


def _pump_input(connection: socket.socket) -> None:
    try:
        while data := os.read(0, _BLOCK):
            connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        # The daemon has closed the connection; the other direction notices, too.
        return


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(_BLOCK)
    except OSError:
        return b""
