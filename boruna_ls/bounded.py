"""Calls of the system about absolute paths, which wait for a disk that may hang no longer than `mounts.LONGEST`.

Each raises what the function of `os` raises, and TimeoutError (an OSError) for a disk that does not respond; those that tell
whether something is there say no.
"""

from __future__ import annotations

import os
from contextlib import suppress

from boruna_ls.mounts import MOUNTS


def status(path: str) -> os.stat_result:
    """`os.stat`."""
    return MOUNTS.call(path, os.stat)


def link_status(path: str) -> os.stat_result:
    """`os.lstat`."""
    return MOUNTS.call(path, os.lstat)


def names_in(folder: str) -> list[str]:
    """`os.listdir`."""
    return MOUNTS.call(folder, os.listdir)


def target(path: str) -> str:
    """`os.readlink`."""
    return MOUNTS.call(path, os.readlink)


def real_path(path: str) -> str:
    """`os.path.realpath`; the path itself if a disk does not respond."""
    with suppress(TimeoutError):
        return MOUNTS.call(path, os.path.realpath)
    return path


def is_there(path: str) -> bool:
    """`os.path.exists`."""
    with suppress(TimeoutError):
        return MOUNTS.call(path, os.path.exists)
    return False


def is_regular(path: str) -> bool:
    """`os.path.isfile`."""
    with suppress(TimeoutError):
        return MOUNTS.call(path, os.path.isfile)
    return False


def is_folder(path: str) -> bool:
    """`os.path.isdir`."""
    with suppress(TimeoutError):
        return MOUNTS.call(path, os.path.isdir)
    return False


def is_link(path: str) -> bool:
    """`os.path.islink`."""
    with suppress(TimeoutError):
        return MOUNTS.call(path, os.path.islink)
    return False
