"""cgroup v2: bounds of a whole tree of processes, where a part of the hierarchy is delegated to us (systemd's user sessions)."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Sequence
from functools import cache
from typing import Final

_ROOT: Final = "/sys/fs/cgroup"
_NEEDED: Final = {"memory", "pids"}
_numbers: Final = itertools.count(1)


@cache
def delegated() -> str | None:
    """The folder below which we may make groups; None if there is none.

    A group with processes of its own cannot have groups that bound memory, so ours are beside us, not below us.
    """
    try:
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            line = next(line for line in file if line.startswith("0::"))
        above = os.path.dirname(_ROOT + line.strip()[3:])
        with open(os.path.join(above, "cgroup.subtree_control"), encoding="utf-8") as file:
            enabled = set(file.read().split())
    except (OSError, StopIteration):
        return None
    return above if enabled >= _NEEDED and os.access(above, os.W_OK) else None


def made(memory: int | None, processes: int | None) -> str | None:
    """A new group with these bounds; None if we cannot make any."""
    above = delegated()
    if above is None:
        return None
    _sweep(above)
    group = os.path.join(above, f"boruna-{os.getpid()}-{next(_numbers)}")
    try:
        os.mkdir(group)
        for name, limit in (("memory.max", memory), ("memory.swap.max", 0 if memory else None), ("pids.max", processes)):
            if limit is not None:
                with open(os.path.join(group, name), "w", encoding="utf-8") as file:
                    file.write(str(limit))
    except OSError:
        with contextlib.suppress(OSError):
            os.rmdir(group)
        return None
    return group


def inside(group: str, line: Sequence[str]) -> list[str]:
    """The command line of a process that enters a group before it becomes what is started."""
    return ["/bin/sh", "-c", 'echo 0 > "$0/cgroup.procs"; exec "$@"', group, *line]


def _sweep(above: str) -> None:
    """Removes groups whose processes are gone; one that has some cannot be removed."""
    for name in os.listdir(above):
        if name.startswith("boruna-"):
            with contextlib.suppress(OSError):
                os.rmdir(os.path.join(above, name))
