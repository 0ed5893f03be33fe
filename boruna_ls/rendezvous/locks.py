"""A lock on a file that ends with its process, however that ends; there is no stale one. The file goes when it is released."""

from __future__ import annotations

import contextlib
import os
import sys

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class Lock:
    """A lock that is held; `descriptor` may be handed to another process, which then holds it, too."""

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self.descriptor = descriptor

    def is_at_its_place(self) -> bool:
        """True if the path still names the locked file: the file may have been deleted, with its folder."""
        return _same_file(self.path, self.descriptor)

    def release(self) -> None:
        """Frees the lock and removes its file."""
        if self.descriptor < 0:
            return
        if sys.platform != "win32" and self.is_at_its_place():
            with contextlib.suppress(OSError):
                os.unlink(self.path)
        self.leave()
        if sys.platform == "win32":
            with contextlib.suppress(OSError):
                os.unlink(self.path)

    def leave(self) -> None:
        """Close our descriptor only: other processes with one keep the lock."""
        with contextlib.suppress(OSError):
            os.close(self.descriptor)
        self.descriptor = -1


def acquire(path: str) -> Lock | None:
    """The lock, or None if another process holds it. Raises OSError if the file cannot be made."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        if not _locked(descriptor):
            os.close(descriptor)
            return None
        # The previous holder may have removed the file between our opening and our locking it.
        if _same_file(path, descriptor):
            return Lock(path, descriptor)
        os.close(descriptor)


def is_held(path: str) -> bool:
    """True if a process holds the lock."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _locked(descriptor)
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _same_file(path: str, descriptor: int) -> bool:
    if sys.platform == "win32":
        # A file that is open cannot be removed or replaced there.
        return os.path.exists(path)
    try:
        named, held = os.stat(path), os.fstat(descriptor)
    except OSError:
        return False
    return (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino)
