"""Asks a daemon that runs for something; never starts one. What the command line knows of a daemon, it knows from here."""

from __future__ import annotations

from boruna_ls.rendezvous import endpoint, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from typing import Any

_BLOCK = 1 << 18


def ask(folder: str, command: str, timeout: float = 10.0, **arguments: Any) -> dict[str, Any] | None:
    """The daemon's answer to a control command; None if none runs, or it is about to end.

    Raises OSError if it does not answer in time (seconds).
    """
    try:
        connection, secret = endpoint.connect(folder)
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    with connection:
        connection.settimeout(timeout)
        try:
            connection.sendall(wire.hello("control", secret, command=command, **arguments))
            line = read_line(connection)
        except (BrokenPipeError, ConnectionResetError):
            return None
    answer = wire.decoded(line) if line else {}
    return None if not answer or answer.get("retiring") is True else answer


def read_line(connection: _socket.socket) -> bytes:
    """What the daemon says until its line or the connection ends."""
    pieces = []
    while piece := connection.recv(_BLOCK):
        pieces.append(piece)
        if piece.endswith(b"\n"):
            break
    return b"".join(pieces)
