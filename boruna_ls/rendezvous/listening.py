"""The daemon's side of its socket: listens, says where, notices when the files of it are no longer there."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import stat
import sys
from typing import Any

from boruna_ls.rendezvous import atomic, places
from boruna_ls.rendezvous.endpoint import can_have_socket

_BACKLOG = 512


class Listener:
    """Socket on which the daemon listens; `secret` is "" where the folder alone keeps others out."""

    def __init__(self, listening: socket.socket, secret: str, files: list[str]) -> None:
        self.socket = listening
        self.secret = secret
        self._files = {path: _identity(path) for path in files}

    def is_at_its_place(self) -> bool:
        """True if clients can find it: its files exist, and are ours."""
        return all(identity is not None and _identity(path) == identity for path, identity in self._files.items())

    def remove(self) -> None:
        """Removes the files, as far as they are ours."""
        for path, identity in self._files.items():
            if identity is not None and _identity(path) == identity:
                with contextlib.suppress(OSError):
                    os.unlink(path)


def listen(folder: str, about: dict[str, Any]) -> Listener:
    """Listens for clients; only the holder of the folder's lock may, since what is there is replaced. Raises OSError.

    `about` is written beside where we listen.
    """
    if can_have_socket(folder):
        # Not every file system has sockets.
        with contextlib.suppress(OSError):
            return _at_path(folder, about)
    return _at_port(folder, about)


def write_whole(path: str, content: dict[str, Any]) -> None:
    """Writes a JSON file whole or not at all, readable for its owner only."""
    atomic.write(path, json.dumps(content).encode())


def _at_path(folder: str, about: dict[str, Any]) -> Listener:
    path, endpoint = places.socket_path(folder), places.endpoint_path(folder)
    files = [path, endpoint]
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    if sys.platform == "win32":
        raise OSError("there are no Unix sockets")
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.bind(path)
        os.chmod(path, 0o600)
        listening.listen(_BACKLOG)
    except OSError:
        listening.close()
        raise
    try:
        write_whole(endpoint, about | {"path": path})
    except OSError:
        # A full disk: clients find the socket all the same.
        files.remove(endpoint)
    return Listener(listening, "", files)


def _at_port(folder: str, about: dict[str, Any]) -> Listener:
    path, secret = places.endpoint_path(folder), secrets.token_urlsafe(24)
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":
            # Otherwise another process may listen at the same port, and receive the secret.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        listening.bind(("127.0.0.1", 0))
        listening.listen(_BACKLOG)
        write_whole(path, about | {"port": listening.getsockname()[1], "secret": secret})
    except OSError:
        listening.close()
        raise
    return Listener(listening, secret, [path])


def _identity(path: str) -> tuple[int, ...] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    # A socket's times change with its use; a file that was written to is no longer what we wrote.
    content = (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else ()
    return status.st_dev, status.st_ino, stat.S_IFMT(status.st_mode), *content
