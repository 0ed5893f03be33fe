"""A client's way to a daemon: its Unix socket; a loopback port and a secret where there are none or the path is too long."""

from __future__ import annotations

# `socket` adds what files and servers need, and takes longer to import than everything else that a forwarder begins with.
import _socket
import os
import sys

from boruna_ls.rendezvous import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from typing import Any

_LONGEST_SOCKET_PATH = 100
_SECONDS_TO_CONNECT = 5.0


def connect(folder: str) -> tuple[socket.socket, str]:
    """The same as `reach`, for callers that can afford to import the standard library's `socket`."""
    import socket

    connection, secret = reach(folder)
    return socket.socket(fileno=connection.detach()), secret


def reach(folder: str) -> tuple[_socket.socket, str]:
    """A connection to a folder's daemon, and the secret for its hello. Raises OSError; FileNotFoundError if there is none."""
    places.check(folder)
    if sys.platform == "win32" or not can_have_socket(folder):
        return _at_port(folder)
    try:
        return _ours(_connected(_socket.AF_UNIX, places.socket_path(folder)), folder), ""
    except PermissionError:
        raise
    except OSError as error:
        try:
            return _at_port(folder)
        except FileNotFoundError:
            raise error from None


def _at_port(folder: str) -> tuple[_socket.socket, str]:
    from boruna_ls.rendezvous import locks

    if not locks.is_held(places.lock_path(folder)):
        # The record may be that of a killed daemon, whose port may belong to another process by now.
        raise FileNotFoundError("no daemon holds the lock")
    address = read(folder)
    port, secret = address.get("port"), address.get("secret")
    if not isinstance(port, int) or not isinstance(secret, str) or not 0 < port < 65536:
        raise FileNotFoundError("no daemon has published its address")
    connection = _connected(_socket.AF_INET, ("127.0.0.1", port))
    connection.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
    return connection, secret


def _ours(connection: _socket.socket, folder: str) -> _socket.socket:
    """A connection to a process of this user. Raises PermissionError for another user's."""
    from boruna_ls.rendezvous import peer

    if not peer.is_us(connection):
        connection.close()
        raise PermissionError(f"another user listens in {folder}")
    return connection


def _connected(family: int, address: Any) -> _socket.socket:
    connection = _socket.socket(family, _socket.SOCK_STREAM)
    try:
        connection.settimeout(_SECONDS_TO_CONNECT)
        connection.connect(address)
        connection.settimeout(None)
    except OSError:
        connection.close()
        raise
    return connection


def can_have_socket(folder: str) -> bool:
    """True if the folder's daemon listens on a Unix socket."""
    return sys.platform != "win32" and len(os.fsencode(places.socket_path(folder))) <= _LONGEST_SOCKET_PATH


def read(folder: str) -> dict[str, Any]:
    """The daemon's record about itself: pid, version, port and secret; empty if there is none or it is not readable."""
    import json

    try:
        with open(places.endpoint_path(folder), encoding="utf-8") as file:
            data = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
