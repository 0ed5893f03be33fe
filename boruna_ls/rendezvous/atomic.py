"""Atomic writing of files: a concurrent reader sees the old content or the new one, never a part of it."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time

_TRIES = 50
_PAUSE = 0.02
"""Number of tries, and seconds between two: on Windows a file cannot be replaced while another process reads it."""


def write(
    path: str | os.PathLike[str],
    data: bytes,
    mode: int | None = 0o600,
    is_durable: bool = False,
    is_new: bool = False,
    inside: int | None = None,
) -> None:
    """Replaces a file (not a link to it) by one with this content. Raises OSError, and then nothing has changed.

    `mode` None is the usual one of new files. With `is_durable` the content is on the disk before the old one is given up; with
    `is_new` there must be no file yet (FileExistsError). `path` is a name in the open folder `inside`, if that is given.
    """
    target = os.fspath(path)
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.{time.monotonic_ns()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(temporary, flags, 0o644 if mode is None else 0o600, dir_fd=inside)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if sys.platform != "win32" and mode is not None and mode != 0o600:
                os.fchmod(descriptor, mode)
            file.write(data)
            if is_durable:
                file.flush()
                os.fsync(file.fileno())
        if sys.platform == "win32" and mode is not None and mode != 0o600:
            os.chmod(temporary, mode)
        if is_new:
            _name(temporary, target, inside)
        else:
            _replace(temporary, target, inside)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=inside)
        raise


def _name(temporary: str, path: str, inside: int | None) -> None:
    """Gives a file a name that no other has."""
    if sys.platform != "win32":
        try:
            os.link(temporary, path, src_dir_fd=inside, dst_dir_fd=inside)
            os.unlink(temporary, dir_fd=inside)
            return
        except FileExistsError:
            raise
        except OSError:
            # A file system without hard links.
            with contextlib.suppress(FileNotFoundError):
                os.stat(path, dir_fd=inside, follow_symlinks=False)
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path) from None
    # On Windows this refuses to replace a file.
    os.rename(temporary, path, src_dir_fd=inside, dst_dir_fd=inside)


def _replace(temporary: str, path: str, inside: int | None) -> None:
    for _ in range(_TRIES if sys.platform == "win32" else 0):
        with contextlib.suppress(PermissionError):
            os.replace(temporary, path)
            return
        time.sleep(_PAUSE)
    os.replace(temporary, path, src_dir_fd=inside, dst_dir_fd=inside)
