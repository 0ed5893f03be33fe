"""Detection of opening, reading and changing of files below a folder (Linux)."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ANY = 0x001 | 0x002 | 0x020 | 0x040 | 0x080 | 0x100 | 0x200 | 0x400
"""Read, changed, opened, moved, made, deleted."""
_NONBLOCK = 0o4000
_HEADER = struct.Struct("iIII")


@contextmanager
def touched(root: Path) -> Iterator[list[str]]:
    """A list that holds, after the block, the paths of what was touched; nothing may be added below the folder meanwhile."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(_NONBLOCK)
    assert descriptor >= 0, os.strerror(ctypes.get_errno())
    watched: dict[int, str] = {}
    for folder, _, names in os.walk(root):
        for path in (folder, *(os.path.join(folder, name) for name in names)):
            number = libc.inotify_add_watch(descriptor, os.fsencode(path), _ANY)
            assert number >= 0, path
            watched[number] = path
    # Walking through the folders has touched them.
    _read(descriptor, watched)
    found: list[str] = []
    try:
        yield found
        found += _read(descriptor, watched)
    finally:
        os.close(descriptor)


def _read(descriptor: int, watched: dict[int, str]) -> list[str]:
    found: list[str] = []
    while True:
        try:
            data = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            return sorted(set(found))
        at = 0
        while at < len(data):
            number, _, _, length = _HEADER.unpack_from(data, at)
            name = data[at + _HEADER.size : at + _HEADER.size + length].rstrip(b"\0")
            found.append(os.path.join(watched.get(number, "?"), os.fsdecode(name)))
            at += _HEADER.size + length
