"""Atomic writing of files: a concurrent reader sees the old content or the new one, never a part of it."""

from __future__ import annotations

import contextlib
import os
import sys
import time

_TRIES = 50
_PAUSE = 0.02
"""Number of tries, and seconds between two: on Windows a file cannot be replaced while another process reads it."""


def write(path: str | os.PathLike[str], data: bytes, mode: int = 0o600, is_durable: bool = False) -> None:
    """Replaces a file (not a link to it) by one with this content. Raises OSError, and then nothing has changed.

    With `is_durable` the content is on the disk before the old one is given up.
    """
    target = os.fspath(path)
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.{time.monotonic_ns()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(temporary, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if is_durable:
                file.flush()
                os.fsync(file.fileno())
        if mode != 0o600:
            os.chmod(temporary, mode)
        _replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _replace(temporary: str, path: str) -> None:
    for _ in range(_TRIES if sys.platform == "win32" else 0):
        with contextlib.suppress(PermissionError):
            os.replace(temporary, path)
            return
        time.sleep(_PAUSE)
    os.replace(temporary, path)
