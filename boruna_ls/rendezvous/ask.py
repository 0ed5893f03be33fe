"""Asks a daemon that runs for something; never starts one. What the command line knows of a daemon, it knows from here."""

from __future__ import annotations

import socket
from typing import Any

from boruna_ls.rendezvous import endpoint, wire

_BLOCK = 1 << 18


def ask(folder: str, command: str, timeout: float = 10.0, **arguments: Any) -> dict[str, Any] | None:
    """The daemon's answer to a control command; None if none runs. Raises OSError if it does not answer in time (seconds)."""
    try:
        connection, secret = endpoint.connect(folder)
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    with connection:
        connection.settimeout(timeout)
        connection.sendall(wire.hello("control", secret, command=command, **arguments))
        return wire.decoded(line) if (line := _line(connection)) else None


def _line(connection: socket.socket) -> bytes:
    """What the daemon says until its line or the connection ends."""
    pieces = []
    while piece := connection.recv(_BLOCK):
        pieces.append(piece)
        if piece.endswith(b"\n"):
            break
    return b"".join(pieces)
