"""Identity of the process that owns a sandbox: a mark on the command line, by which the next process finds sandboxes left behind.

A mark holds the process's number and start time, since numbers are reused.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from typing import Final

_PREFIX: Final = "boruna-sandbox-of:"


@cache
def _start_of_boot() -> str:
    with contextlib.suppress(OSError), open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()[:8]
    return ""


def mark() -> str:
    """Mark of this process."""
    return f"{_PREFIX}{os.getpid()}:{_started(os.getpid())}:{_start_of_boot()}"


def is_alive(mark_text: str) -> bool:
    """True if the process of a mark lives; an unreadable mark counts as alive."""
    parts = mark_text.removeprefix(_PREFIX).split(":")
    if len(parts) != 3 or not parts[0].isdigit():
        return True
    return parts[2] == _start_of_boot() and _started(int(parts[0])) == parts[1]


def marked() -> Iterator[tuple[int, str]]:
    """Processes of this user that carry a mark, each with it."""
    if sys.platform == "win32":
        return
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{name}").st_uid != os.getuid():
                continue
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read(65_536).rstrip(b"\0").split(b"\0")
        except OSError:
            continue
        if words and words[-1].startswith(_PREFIX.encode()):
            yield int(name), words[-1].decode("ascii", "replace")


def _started(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
