"""User and process at the other end of a Unix socket, where the system reports it."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    import socket

_SO_PEERCRED = 17
_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_SIZE = 0, 1, 76


def user_of(connection: socket.socket | _socket.socket) -> int | None:
    """The user id of the process that opened the other end; None if the system does not say."""
    # Not needed by a forwarder before it is connected.
    import _socket
    import struct

    if sys.platform == "win32" or connection.family != _socket.AF_UNIX:
        return None
    try:
        if sys.platform == "linux":
            data = connection.getsockopt(_socket.SOL_SOCKET, _SO_PEERCRED, struct.calcsize("3i"))
            return int(struct.unpack("3i", data)[1])
        data = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_SIZE)
        return int(struct.unpack_from("II", data)[1])
    except (OSError, struct.error):
        return None


def process_of(connection: socket.socket | _socket.socket) -> int | None:
    """The process that opened the other end; None if the system does not say, or it ran as another user."""
    import _socket
    import struct

    if sys.platform != "linux" or connection.family != _socket.AF_UNIX:
        return None
    try:
        data = connection.getsockopt(_socket.SOL_SOCKET, _SO_PEERCRED, struct.calcsize("3i"))
        process, user, _ = struct.unpack("3i", data)
        return int(process) if process > 0 and user == os.getuid() else None
    except (OSError, struct.error):
        return None


def is_us(connection: socket.socket | _socket.socket) -> bool:
    """True if the other end belongs to this process' user; where the system does not say, the folder's mode alone decides."""
    if sys.platform == "win32":
        return True
    user = user_of(connection)
    return user is None or user == os.getuid()
