"""cgroup v2: bounds of a whole tree of processes, where a part of the hierarchy is delegated to us.

Two ways lead there: systemd delegates its user sessions, and where ours is none, a scope that `systemd-run` makes for one process
(`in_scope`, then `scope_of`). Without either there are no groups, and the code that starts processes supervises them.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

CONTROLLERS: Final = ("memory", "pids")
_SYSTEMD_RUN: Final = ("/usr/bin/systemd-run", "/bin/systemd-run", "/run/current-system/sw/bin/systemd-run")
_PATIENCE: Final = 10.0
_TRIES: Final = 20
_LEAF: Final = "first"
_numbers: Final = itertools.count(1)


@cache
def hierarchy() -> str | None:
    """Mount point of cgroup v2; None if it is not mounted."""
    with contextlib.suppress(OSError), open("/proc/self/mounts", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if len(words) > 2 and words[2] == "cgroup2":
                return words[1]
    return None


@cache
def delegated() -> str | None:
    """The folder below which we may make groups; None if there is none.

    A group with processes of its own cannot have groups that bound memory, so ours are beside us, not below us.
    """
    ours = group_of("self")
    if ours is None:
        return None
    above = ours if ours == hierarchy() else os.path.dirname(ours)
    return above if _enabled(above) >= set(CONTROLLERS) and os.access(above, os.W_OK) else None


def group_of(process: int | str) -> str | None:
    """The folder of a process's group; None if unknown."""
    root = hierarchy()
    with contextlib.suppress(OSError), open(f"/proc/{process}/cgroup", encoding="utf-8") as file:
        for line in file:
            if line.startswith("0::") and root is not None:
                return os.path.normpath(root + line.strip()[3:])
    return None


def new_group(memory: int | None, processes: int | None, above: str | None = None) -> str | None:
    """A new group with these bounds below `above` (or what is delegated to us); None if we cannot make any."""
    above = above or delegated()
    if above is None:
        return None
    _sweep(above)
    group = os.path.join(above, f"boruna-{os.getpid()}-{next(_numbers)}")
    try:
        os.mkdir(group)
        for name, limit in (("memory.max", memory), ("memory.swap.max", 0 if memory else None), ("pids.max", processes)):
            if limit is not None:
                _write(os.path.join(group, name), str(limit))
    except OSError:
        remove(group)
        return None
    return group


def enter(group: str, process: int) -> bool:
    """Moves a process into a group; whether that worked. What it starts from then on is there, too."""
    try:
        _write(os.path.join(group, "cgroup.procs"), str(process))
    except OSError:
        return False
    return True


def remove(group: str) -> None:
    """Removes a group without processes; any other stays and is swept later."""
    with contextlib.suppress(OSError):
        os.rmdir(group)


def ended_over_memory(group: str) -> int:
    """Number of processes of a group that the kernel has killed because the group had used up its memory."""
    with contextlib.suppress(OSError), open(os.path.join(group, "memory.events"), encoding="ascii") as file:
        return next((int(line.split()[1]) for line in file if line.startswith("oom_kill ")), 0)
    return 0


def inside(group: str, line: Sequence[str]) -> list[str]:
    """The command line of a process that enters a group before it becomes what is started."""
    return ["/bin/sh", "-c", 'echo 0 > "$0/cgroup.procs"; exec "$@"', group, *line]


# ---- systemd ----------------------------------------------------------------------------------------------------


@cache
def in_scope() -> tuple[str, ...]:
    """The beginning of a command line that starts a process in a scope of its own, delegated to us; empty if that does not work.

    Tried out once. systemd-run becomes the process that it starts, so that parent and number stay what they are.
    """
    program = next((candidate for candidate in _SYSTEMD_RUN if os.access(candidate, os.X_OK)), "")
    if sys.platform == "win32" or not program or not os.path.isdir("/run/systemd/system") or hierarchy() is None:
        return ()
    whose = () if os.getuid() == 0 else ("--user",)
    line = (program, *whose, "--scope", "--quiet", "--collect", "-p", "Delegate=yes", "--")
    try:
        done = subprocess.run(
            (*line, "/bin/true"),
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            env=scope_environment(),
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return line if done.returncode == 0 else ()


def scope_environment() -> dict[str, str]:
    """Environment by which systemd-run finds the user's manager. Our own environment is not used: another user may have set
    it."""
    if sys.platform == "win32":
        return {}
    return {"XDG_RUNTIME_DIR": f"/run/user/{os.getuid()}"}


def scope_of(process: int, controllers: Iterable[str] = CONTROLLERS) -> str | None:
    """Makes groups possible below the group of a process that has one of its own, and gives its folder; None if that fails.

    Its processes move into a group below, since a group that bounds others has none.
    """
    above = group_of(process)
    if above is None or above in (hierarchy(), group_of("self")):
        return None
    if os.path.basename(above) == _LEAF:
        above = os.path.dirname(above)
    leaf = os.path.join(above, _LEAF)
    wanted = " ".join(f"+{controller}" for controller in controllers)
    try:
        os.makedirs(leaf, exist_ok=True)
        for _ in range(_TRIES):
            if _divided(above, leaf, wanted):
                return above
            time.sleep(0.01)
    except OSError:
        pass
    return None


def _divided(above: str, leaf: str, wanted: str) -> bool:
    """Moves all processes of a group into one below and divides it; False if others have been started there meanwhile."""
    with open(os.path.join(above, "cgroup.procs"), encoding="ascii") as file:
        members = file.read().split()
    for member in members:
        with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
            _write(os.path.join(leaf, "cgroup.procs"), member)
    try:
        if wanted:
            _write(os.path.join(above, "cgroup.subtree_control"), wanted)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        return False
    return True


def _enabled(group: str) -> set[str]:
    with contextlib.suppress(OSError), open(os.path.join(group, "cgroup.subtree_control"), encoding="utf-8") as file:
        return set(file.read().split())
    return set()


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _sweep(above: str) -> None:
    """Removes groups without processes; others cannot be removed."""
    for name in os.listdir(above):
        if name.startswith("boruna-"):
            remove(os.path.join(above, name))
