"""Services of the daemon that last as long as the command that asked for them is connected: agents over HTTP, previews."""

from __future__ import annotations

import contextlib
import time

from boruna_ls.rendezvous import places, start, wire
from boruna_ls.rendezvous.ask import read_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from typing import Any

_ATTEMPTS = 20
_PAUSE = 0.25
"""Seconds between two attempts to have the port again, which the daemon before may still hold."""


class Refused(Exception):
    """The daemon does not serve this; `status` 2: because of the options, 1: because of the address."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


def begin(command: str, options: dict[str, Any], patient: bool) -> tuple[_socket.socket, dict[str, Any]]:
    """The connection that keeps a service, and the daemon's answer, which has its `port`. Raises Refused or NoDaemon.

    `patient` waits for the daemon that had the port before.
    """
    attempts = _ATTEMPTS if patient else 3
    while True:
        attempts -= 1
        connection, secret = start.connect(places.folder(), "mcp")
        try:
            connection.sendall(wire.hello("control", secret, options, command=command))
            answer = wire.decoded(line) if (line := read_line(connection)) else {}
        except OSError:
            answer = {}
        except BaseException:
            connection.close()
            raise
        if "port" in answer:
            return connection, answer
        connection.close()
        # No answer: the daemon has just ended, and the next one is asked.
        if attempts <= 0 or ("error" in answer and not patient):
            raise Refused(str(answer.get("error", "the daemon does not answer")), int(answer.get("status", 1)))
        time.sleep(_PAUSE)


def wait(connection: _socket.socket) -> None:
    """Until the daemon ends; the connection is closed then."""
    with contextlib.suppress(OSError), contextlib.closing(connection):
        while connection.recv(1 << 12):
            continue
