"""What the processes of a sandbox use, read from its own `/proc`; used inside, and by the daemon through an open folder."""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import os
from typing import Final, NamedTuple

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_SHARED_WORTH_A_LOOK: Final = (16 << 20) // _PAGE
MOST_READ: Final = 2000
"""Processes that are looked at; more are far beyond every limit."""


FEW: Final = 16
"""Processes of which everything is asked."""


class Usage(NamedTuple):
    """`memory` in bytes, without files in memory; `processes` without the first one."""

    memory: int
    processes: int


def processes(proc: int) -> list[str]:
    """Numbers of the processes, as texts, the first one not among them. `proc` is a descriptor of the folder `/proc`."""
    return [name for name in os.listdir(proc) if name.isdigit() and name != "1"]


def usage(proc: int, limit: int, with_first: bool = False) -> Usage:
    """Sum over the processes that live now.

    What several share counts for each of them. Only if the sum is beyond `limit` and they are few, it is divided among them: the
    kernel tells that of a process when it has time for us, and of a crowd that forks not for seconds.
    """
    names = processes(proc)
    measured = ([*names, "1"] if with_first else names)[:MOST_READ]
    memory = sum(_memory(proc, name) for name in measured)
    if memory > limit and len(measured) <= FEW:
        memory = sum(_proportional(proc, name) for name in measured)
    return Usage(memory, len(names))


def _proportional(proc: int, name: str) -> int:
    """Bytes of a process, what it shares divided by those that share it; more costly to tell, the larger it is.

    A process that does not let itself be looked at counts whole.
    """
    own, files = -1, 0
    for line in _read(proc, f"{name}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            own = int(line.split()[1]) * 1024
        elif line.startswith(b"Pss_File:"):
            files = int(line.split()[1]) * 1024
    return own - files if own >= 0 else _memory(proc, name)


def _memory(proc: int, name: str) -> int:
    words = _read(proc, f"{name}/statm").split()
    if len(words) < 3:
        return 0
    resident, shared = int(words[1]), int(words[2])
    used = max(resident - shared, 0) * _PAGE
    return used + (_shared_memory(proc, name) if shared > _SHARED_WORTH_A_LOOK else 0)


def _shared_memory(proc: int, name: str) -> int:
    """Bytes of memory that a process shares with others, not counting files of programs."""
    for line in _read(proc, f"{name}/status").splitlines():
        if line.startswith(b"RssShmem:"):
            return int(line.split()[1]) * 1024
    return 0


def _read(proc: int, path: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=proc)
    except OSError:
        return b""
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def sessions(proc: int) -> int:
    """How many sessions the processes have; the kernel may share the processors by sessions, not by processes."""
    stats = (_read(proc, f"{name}/stat").rpartition(b")")[2].split() for name in processes(proc)[:MOST_READ])
    return len({words[3] for words in stats if len(words) > 3})


def disk(path: str) -> int:
    """Bytes of files in the sandbox."""
    found = os.statvfs(path)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def family(proc: int, root: int, mark: bytes) -> list[int]:
    """A process's session and descendants, as far as they can still be told, and whatever has `mark` in its environment.

    Not for crowds: a process that forks all the time shows its environment late.
    """
    parents: dict[int, int] = {}
    sessions: dict[int, int] = {}
    for name in processes(proc)[:MOST_READ]:
        words = _read(proc, f"{name}/stat").rpartition(b")")[2].split()
        if len(words) > 3:
            parents[int(name)], sessions[int(name)] = int(words[1]), int(words[3])
    found = {root, *(one for one, session in sessions.items() if session == root)}
    found |= {one for one in parents if mark in _read(proc, f"{one}/environ")}
    grown = True
    while grown:
        more = {one for one, parent in parents.items() if parent in found} - found
        grown = bool(more)
        found |= more
    return [one for one in found if one in parents]
