"""Starts a process that may do little: its own environment, no inherited descriptors, limits, and namespaces where they work.

One way for everything that runs what others wrote. `bubblewrap.py` says how the file system, the network and the processes
around it vanish, `cgroup.py` bounds a whole tree of processes. Where neither works the process is started all the same, less
isolated, and `isolation()` says so.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from analysis.data_classes import dataclass, field, replace
from boruna_ls import lock_order
from boruna_ls.isolation import bubblewrap, cgroup

_FLAGS: Final[int] = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
"""On Windows: no window, and no key pressed in the terminal, is the process's."""
_ULIMITS: Final = {
    "address_space": ("-v", 1024),
    "cpu_seconds": ("-t", 1),
    "file_size": ("-f", 512),
    "open_files": ("-n", 1),
    "core_size": ("-c", 512),
}
"""The shell's letter for each limit, and its unit in bytes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that the system keeps, for each process by itself; None: as for us. Sizes in bytes."""

    address_space: int | None = None
    cpu_seconds: int | None = None
    file_size: int | None = None
    open_files: int | None = None
    core_size: int | None = 0


@dataclass(frozen=True, slots=True)
class Launch:
    """A process to start. It inherits nothing of our environment.

    `readable`: folders and files that it sees beside the system's programs, `writable` those that it may change, each at its
    own place. `memory` (bytes) and `processes` bound the whole tree, where cgroups are delegated to us. `first`: it is process 1
    of its namespaces and their superuser, and may mount and make namespaces there until it gives that up itself. `scope`: groups
    are wanted below its own, so where none are delegated to us systemd makes it a scope (`cgroup.scope_of`). `own_session`: it
    has no terminal of ours, and its own share of the processors (`priority.py`); else it is a group of processes in our session.
    """

    argv: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    readable: Iterable[str] = ()
    writable: Iterable[str] = ()
    folder: str = "/"
    network: bool = False
    limits: Limits = Limits()
    memory: int | None = None
    processes: int | None = None
    first: bool = False
    scope: bool = False
    own_session: bool = True


class Isolation(NamedTuple):
    """Isolation in force: `kind` "bubblewrap" or "process"; `reason` why it is not stronger; whether cgroups bound trees."""

    kind: str
    reason: str
    cgroups: bool


class Launcher:
    """`programs`: where bubblewrap is looked for; none at all means to do without."""

    def __init__(self, programs: Sequence[str] = bubblewrap.PROGRAMS) -> None:
        self._programs = programs
        self._lock = lock_order.leaf()
        self._sandbox: bubblewrap.Found | None = None

    def isolation(self) -> Isolation:
        """Isolation that `start` puts around a process; tried out once."""
        wrapper = self._bubblewrap()
        return Isolation("bubblewrap" if wrapper.program else "process", wrapper.reason, cgroup.delegated() is not None)

    def start(self, launch: Launch, stdin: Any = None, stdout: Any = None, stderr: Any = None) -> subprocess.Popen[bytes]:
        """The process; it is killed when the thread that called this ends, if bubblewrap is in force. Raises OSError.

        The number of a signal that ended it is 128 less than its exit status then: see `signal_of`.
        """
        wrapper = self._bubblewrap()
        line = _limited(launch)
        environment = dict(launch.environment)
        if wrapper.program:
            line = [wrapper.program, *bubblewrap.arguments(launch), "--", *line]
        if sys.platform == "win32":
            environment |= {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
        if launch.scope and wrapper.program and cgroup.delegated() is None and (scope := cgroup.in_scope()):
            line, environment = [*scope, *line], cgroup.scope_environment()
        group = cgroup.new_group(launch.memory, launch.processes) if launch.memory or launch.processes else None
        if group is not None:
            line = cgroup.inside(group, line)
        return subprocess.Popen(
            line,
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.DEVNULL if stdout is None else stdout,
            stderr=subprocess.DEVNULL if stderr is None else stderr,
            env=environment,
            cwd=None if wrapper.program or sys.platform == "win32" else launch.folder,
            close_fds=True,
            # A signal from the terminal is for us; the process has no terminal.
            start_new_session=launch.own_session,
            process_group=None if launch.own_session or sys.platform == "win32" else 0,
            creationflags=_FLAGS,
        )

    def _bubblewrap(self) -> bubblewrap.Found:
        with self._lock:
            if self._sandbox is None:
                self._sandbox = bubblewrap.find(self._programs)
            return self._sandbox


def kill(process: subprocess.Popen[bytes]) -> None:
    """Ends a process that was started here, and all that it has started.

    Bubblewrap alone is not enough: killed in its first moments, it leaves a child behind that it has not tied to itself yet.
    """
    if sys.platform != "win32" and process.returncode is None:
        # It leads a group of its own.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def signal_of(status: int | None) -> int:
    """The signal that ended a process, 0 if none did; bubblewrap and shells add 128 to the signal of what they ran."""
    if status is None:
        return 0
    return -status if status < 0 else status - 128 if status > 128 else 0


def shared_launcher() -> Launcher:
    """The launcher of this process."""
    return _SHARED


_SHARED: Final = Launcher()


def _limited(launch: Launch) -> list[str]:
    """The command line, begun by a shell that sets its limits: between fork and exec no code of ours may run."""
    limits = {name: getattr(launch.limits, name) for name in _ULIMITS}
    chosen = [(*_ULIMITS[name], limit) for name, limit in limits.items() if limit is not None]
    if not chosen or sys.platform == "win32":
        return list(launch.argv)
    # A limit that is lower already, or that this system does not know, is no reason not to start.
    script = "; ".join(f"ulimit {letter} {limit // unit} 2>/dev/null" for letter, unit, limit in chosen)
    return ["/bin/sh", "-c", f'{script}; exec "$0" "$@"', *launch.argv]


def python(code: str, packages: Iterable[str] = ()) -> Launch:
    """A Python process that runs `code`, without site packages and without anything from the environment.

    It can import the standard library and these packages, which must be importable here; it sees nothing else of the disk.
    """
    import importlib.util

    folders, parents = [], []
    for name in packages:
        spec = importlib.util.find_spec(name)
        for place in (spec.submodule_search_locations or ()) if spec is not None else ():
            folders.append(os.path.realpath(place))
            parents.append(os.path.dirname(folders[-1]))
    path = list(dict.fromkeys(parents))
    program: str = getattr(sys, "_base_executable", "") or sys.executable
    begin = f"import sys; sys.path += {path!r}; {code}"
    argv = (program, "-I", "-S", "-X", "utf8", *(("-B",) if sys.dont_write_bytecode else ()), "-c", begin)
    return replace(Launch(argv), readable=(*dict.fromkeys((sys.base_prefix, sys.base_exec_prefix)), *folders))
