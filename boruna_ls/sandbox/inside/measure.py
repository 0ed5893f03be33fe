"""Usage of a sandbox's processes, read from its own `/proc`; used inside, and by the daemon through an open folder."""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import os
import time
from typing import Final, NamedTuple

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_SHARED_WORTH_A_LOOK: Final = (16 << 20) // _PAGE
_SIZE_WORTH_A_LOOK: Final = (256 << 20) // _PAGE
"""Of addresses: the tables of fewer are at most half a mebibyte."""
MOST_READ: Final = 2000
"""Processes that are looked at; more are far beyond every limit."""


FEW: Final = 16
"""Processes that are no crowd."""
_PATIENCE: Final = 0.5
"""Seconds in which memory is divided among the processes that share it; what is left then counts in full."""


class Usage(NamedTuple):
    """`memory` in bytes, without files in memory; `processes` without the first one."""

    memory: int
    processes: int


def processes(proc: int) -> list[str]:
    """Numbers of the processes, as texts, the first one not among them. `proc` is a descriptor of the folder `/proc`."""
    return [name for name in os.listdir(proc) if name.isdigit() and name != "1"]


def usage(proc: int, limit: int, with_first: bool = False) -> Usage:
    """Sum over the processes that live now; only if it is beyond `limit`, memory that several share is divided among them."""
    names = processes(proc)
    measured = [*names, "1"] if with_first else names
    memory = resident(proc, measured)
    return Usage(memory if memory <= limit else divided(proc, measured), len(names))


def resident(proc: int, names: list[str]) -> int:
    """Bytes of these processes; what several share counts for each of them."""
    return sum(_memory(proc, name) for name in names[:MOST_READ])


def divided(proc: int, names: list[str]) -> int:
    """Bytes of these processes; what several share counts once.

    The kernel walks through all their memory for it, and waits for those that are forking at the moment.
    """
    deadline = time.monotonic() + _PATIENCE
    return sum(_proportional(proc, name) if time.monotonic() < deadline else _memory(proc, name) for name in names[:MOST_READ])


def latest(proc: int) -> bytes:
    """The number of the process that was started last."""
    return _read(proc, "loadavg").rpartition(b" ")[2]


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
    return own - files + _field(proc, name, b"VmPTE:") if own >= 0 else _memory(proc, name)


def _memory(proc: int, name: str) -> int:
    words = _read(proc, f"{name}/statm").split()
    if len(words) < 3:
        return 0
    size, resident, shared = int(words[0]), int(words[1]), int(words[2])
    used = max(resident - shared, 0) * _PAGE
    if shared > _SHARED_WORTH_A_LOOK:
        # Memory that it shares with others; not files of programs.
        used += _field(proc, name, b"RssShmem:")
    if size > _SIZE_WORTH_A_LOOK:
        # Reading a page here and there of a wide space costs page tables only, which count for no process.
        used += _field(proc, name, b"VmPTE:")
    return used


def _field(proc: int, name: str, field: bytes) -> int:
    """Bytes of what the kernel tells in kibibytes about a process."""
    for line in _read(proc, f"{name}/status").splitlines():
        if line.startswith(field):
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


def sessions(proc: int) -> dict[int, int]:
    """The session of each process."""
    by_session = {}
    for name in processes(proc)[:MOST_READ]:
        words = _read(proc, f"{name}/stat").rpartition(b")")[2].split()
        if len(words) > 3:
            by_session[int(name)] = int(words[3])
    return by_session


def leader(proc: int, thread: int) -> int:
    """The process of a thread; 0 if it has ended."""
    for line in _read(proc, f"{thread}/status").splitlines():
        if line.startswith(b"Tgid:"):
            return int(line.split()[1])
    return 0


def disk(path: str) -> int:
    """Bytes of files in the sandbox."""
    status = os.statvfs(path)
    return (status.f_blocks - status.f_bfree) * status.f_frsize


def family(proc: int, root: int, mark: bytes) -> list[int]:
    """A process's group and descendants, as far as they are known, and every process with `mark` in its environment.

    Not for crowds: a process that forks all the time shows its environment late.
    """
    parents: dict[int, int] = {}
    groups: dict[int, int] = {}
    for name in processes(proc)[:MOST_READ]:
        words = _read(proc, f"{name}/stat").rpartition(b")")[2].split()
        if len(words) > 3:
            parents[int(name)], groups[int(name)] = int(words[1]), int(words[2])
    members = {root, *(process for process, group in groups.items() if group == root)}
    members |= {process for process in parents if mark in _read(proc, f"{process}/environ")}
    grown = True
    while grown:
        more = {process for process, parent in parents.items() if parent in members} - members
        grown = bool(more)
        members |= more
    return [process for process in members if process in parents]
