"""A client's way to a daemon: its Unix socket; a loopback port and a secret where there are none or the path is too long."""

from __future__ import annotations

import os
import socket

from boruna_ls.rendezvous import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LONGEST_SOCKET_PATH = 100
_SECONDS_TO_CONNECT = 5.0


def connect(folder: str) -> tuple[socket.socket, str]:
    """A connection to a folder's daemon, and the secret for its hello. Raises OSError; FileNotFoundError if there is none."""
    places.check(folder)
    if can_have_socket(folder):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(places.socket_path(folder))
        except OSError:
            connection.close()
            raise
        return connection, ""
    found = read(folder)
    port, secret = found.get("port"), found.get("secret")
    if not isinstance(port, int) or not isinstance(secret, str) or not 0 < port < 65536:
        raise FileNotFoundError("no daemon has said where it listens")
    connection = socket.create_connection(("127.0.0.1", port), _SECONDS_TO_CONNECT)
    connection.settimeout(None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection, secret


def can_have_socket(folder: str) -> bool:
    """Whether the folder's daemon is found at a Unix socket."""
    return hasattr(socket, "AF_UNIX") and len(os.fsencode(places.socket_path(folder))) <= _LONGEST_SOCKET_PATH


def read(folder: str) -> dict[str, Any]:
    """What the daemon has written about itself: pid, version, port and secret; nothing if there is none or it is not readable."""
    import json

    try:
        with open(places.endpoint_path(folder), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
