"""The way to a daemon: its Unix socket, or a loopback port and a secret where there are none or the path is too long for one."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import stat
from typing import Any

from boruna_ls.rendezvous import places

_LONGEST_SOCKET_PATH = 100
_BACKLOG = 512


class Listener:
    """Where the daemon listens; `secret` is "" where the folder alone keeps others out."""

    def __init__(self, folder: str, listening: socket.socket, secret: str) -> None:
        self.folder = folder
        self.socket = listening
        self.secret = secret
        self._socket_file = _identity(places.socket_path(folder)) if not secret else None
        self._endpoint_file = _identity(places.endpoint_path(folder))

    def is_at_its_place(self) -> bool:
        """Whether clients still find it: the files are there, and are ours."""
        is_published = _identity(places.endpoint_path(self.folder)) == self._endpoint_file is not None
        return is_published and (bool(self.secret) or _identity(places.socket_path(self.folder)) == self._socket_file)

    def remove(self) -> None:
        """Removes the files, as far as they are ours."""
        mine = [(places.endpoint_path(self.folder), self._endpoint_file)]
        mine += [] if self.secret else [(places.socket_path(self.folder), self._socket_file)]
        for path, identity in mine:
            if identity is not None and _identity(path) == identity:
                with contextlib.suppress(OSError):
                    os.unlink(path)


def connect(folder: str) -> tuple[socket.socket, str]:
    """A connection to the daemon of a folder, and the secret for its hello. Raises OSError; FileNotFoundError if there is none."""
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
    if not isinstance(port, int) or not isinstance(secret, str):
        raise FileNotFoundError("no daemon has said where it listens")
    return socket.create_connection(("127.0.0.1", port), 5.0), secret


def can_have_socket(folder: str) -> bool:
    """Whether the folder's daemon is found at a Unix socket."""
    return hasattr(socket, "AF_UNIX") and len(os.fsencode(places.socket_path(folder))) <= _LONGEST_SOCKET_PATH


def read(folder: str) -> dict[str, Any]:
    """What the daemon has written about itself: pid, version, port and secret; nothing if there is none or it is not readable."""
    try:
        with open(places.endpoint_path(folder), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def listen(folder: str, about: dict[str, Any]) -> Listener:
    """Listens for clients; only the holder of the folder's lock may, since what is there is replaced. Raises OSError.

    `about` is written beside where we listen.
    """
    secret = ""
    endpoint: dict[str, Any] = dict(about)
    if can_have_socket(folder):
        path = places.socket_path(folder)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o177)
        try:
            listening.bind(path)
        except OSError:
            listening.close()
            raise
        finally:
            os.umask(before)
        endpoint["path"] = path
    else:
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.bind(("127.0.0.1", 0))
        secret = secrets.token_urlsafe(24)
        endpoint |= {"port": listening.getsockname()[1], "secret": secret}
    listening.listen(_BACKLOG)
    write_whole(places.endpoint_path(folder), endpoint)
    return Listener(folder, listening, secret)


def write_whole(path: str, content: dict[str, Any]) -> None:
    """Writes a JSON file whole or not at all, readable for its owner only."""
    temporary = f"{path}.{os.getpid()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(content, file)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _identity(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, stat.S_IFMT(status.st_mode)
