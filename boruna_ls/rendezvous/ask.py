"""Asks a daemon that runs for something; never starts one. What the command line knows of a daemon, it knows from here."""

from __future__ import annotations

import time

from boruna_ls.rendezvous import endpoint, locks, places, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from typing import Any

_BLOCK = 1 << 18
_PAUSE = 0.02
_SECONDS_TO_COME_BACK = 3.0


def ask(folder: str, command: str, timeout: float = 10.0, **arguments: Any) -> dict[str, Any] | None:
    """The daemon's answer to a control command; None if none runs, or it is about to end.

    Raises OSError if it does not answer in time (seconds).
    """
    deadline = time.monotonic() + _SECONDS_TO_COME_BACK
    while True:
        answer = _ask_once(folder, command, timeout, arguments)
        # One that holds the lock and is not found is putting its socket in its place, or is the next one.
        if answer is not None or time.monotonic() > deadline or not locks.is_held(places.lock_path(folder)):
            return answer
        time.sleep(_PAUSE)


def _ask_once(folder: str, command: str, timeout: float, arguments: dict[str, Any]) -> dict[str, Any] | None:
    try:
        connection, secret = endpoint.reach(folder)
    except (FileNotFoundError, ConnectionRefusedError):
        return None
    try:
        connection.settimeout(timeout)
        connection.sendall(wire.hello("control", secret, command=command, **arguments))
        line = read_line(connection)
    except (BrokenPipeError, ConnectionResetError):
        return None
    finally:
        connection.close()
    answer = wire.decoded(line) if line else {}
    return None if not answer or answer.get("retiring") is True else answer


def read_line(connection: _socket.socket) -> bytes:
    """Bytes from the daemon up to the end of its line or of the connection."""
    pieces = []
    while piece := connection.recv(_BLOCK):
        pieces.append(piece)
        if piece.endswith(b"\n"):
            break
    return b"".join(pieces)
