"""Sandboxes in namespaces of the kernel, made by bubblewrap through the Launcher: the default on Linux.

Everything that can be written lies in memory that belongs to the namespace, so that all of it disappears with its first process.
"""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import contextlib
import importlib.util
import itertools
import os
import select
import signal
import socket
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from analysis.data_classes import replace
from boruna_ls import data, lock_order
from boruna_ls.isolation import cgroup
from boruna_ls.isolation.launcher import Launch, Launcher, Limits, kill, python, shared_launcher
from boruna_ls.sandbox import identity
from boruna_ls.sandbox.backend import MIB, Closable, SandboxError, Spec

_PACKAGES: Final = ("boruna_ls", "analysis", "jsonschema_rs", "click")
_SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
_PATIENCE: Final = 10.0
_CERTIFICATES: Final = ("/etc/ssl", "/etc/ca-certificates", "/etc/pki")
_EXTRA: Final = ("/etc/localtime", "/opt")
_processors: Final = itertools.count()


class Zygote:
    """The process that forks first processes (`inside/zygote.py`). Not for many threads at once.

    `groups` is the folder below which control groups for its sandboxes can be made, None if there is none.
    """

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket) -> None:
        self._process = process
        self._control = control
        control.settimeout(_PATIENCE)
        self.groups: str | None = None

    def fork(self, end: socket.socket) -> int:
        """Makes a first process that serves `end`; its descriptor. Raises OSError, SandboxError."""
        socket.send_fds(self._control, [b"fork"], [end.fileno()])
        answer, descriptors, _, _ = socket.recv_fds(self._control, 4096, 1)
        if self.groups is None:
            # Now bubblewrap has done its part.
            self.groups = cgroup.delegated() or cgroup.scope_of(self._process.pid)
        if descriptors:
            return descriptors[0]
        if answer:
            raise SandboxError(f"the sandbox cannot be created: {answer.decode('utf-8', 'replace')}")
        raise ConnectionError("the process that creates sandboxes has ended")

    def end(self) -> None:
        """Ends it and all that it has forked."""
        self._control.close()
        kill(self._process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)


class Namespaces:
    """The processes of one sandbox; `inner` is its first process as we see it, known by a descriptor."""

    def __init__(self, descriptor: int, end: socket.socket, groups: str | None) -> None:
        self.socket = end
        self.inner = _number(descriptor)
        self._descriptor = descriptor
        self._groups = groups
        self._group: str | None = None
        self._overran = 0
        self._kept: list[int] = []
        self._lock = lock_order.lock("zygote")

    def begin(self, spec: Spec) -> dict[str, Any]:
        cpus = sorted(os.sched_getaffinity(0))
        first = next(_processors)
        chosen = [cpus[(first + n) % len(cpus)] for n in range(min(spec.vcpu_count, len(cpus)))]
        program = os.path.dirname(_interpreter())
        group = (
            cgroup.new_group((spec.memory_mib + spec.disk_mib) * MIB, spec.processes + 8, self._groups) if self._groups else None
        )
        if group is not None and cgroup.enter(group, self.inner):
            self._group = group
        return {
            "limits": {
                "memory": spec.memory_mib * MIB,
                "disk": spec.disk_mib * MIB,
                "inodes": spec.inodes,
                "processes": spec.processes,
                "cpus": chosen,
            },
            "proxy": spec.network is not None,
            "languages": dict(spec.languages),
            "path": f"{program}:{_SYSTEM_PATH}",
        }

    def begun(self, descriptors: list[int]) -> None:
        # Its `/proc`, its home, and where programs inside ask for the network, opened before any code of others ran there.
        self._kept = list(descriptors)
        if len(descriptors) < 2:
            raise SandboxError("the sandbox ended while it was being created: call again")

    def proxy(self, hosts: tuple[str, ...]) -> Closable:
        from boruna_ls.sandbox.network import Proxy  # now: most sandboxes have none

        return Proxy(self._kept.pop(), hosts)

    @property
    def home(self) -> int:
        return self._kept[1] if self._kept else -1

    def facts(self) -> dict[str, Any]:
        return {"backend": "bubblewrap", "memory": "cgroup" if self._group is not None else "watched"}

    def usage(self, limit: int) -> tuple[int, int] | None:
        from boruna_ls.sandbox.inside import measure

        with self._lock:
            if not self._kept:
                return None
            try:
                return tuple(measure.usage(self._kept[0], limit, with_first=True))  # type: ignore[return-value]
            except OSError:
                return None

    def overran(self) -> bool:
        with self._lock:
            ended, self._overran = self._overran, cgroup.ended_over_memory(self._group) if self._group is not None else 0
            return self._overran > ended

    def destroy(self) -> None:
        with self._lock:
            if self._descriptor >= 0:
                with contextlib.suppress(OSError):
                    signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
                # Readable once it has ended, which the kernel reports after all other processes of its namespace have ended.
                waiting = select.poll()
                waiting.register(self._descriptor, select.POLLIN)
                waiting.poll(_PATIENCE * 1000)
                os.close(self._descriptor)
                self._descriptor = -1
            # An open folder of a file system keeps its files.
            for descriptor in self._kept:
                os.close(descriptor)
            self._kept = []
            if self._group is not None:
                cgroup.remove(self._group)


class Bubblewrap:
    """The backend. One thread that lives as long as ours starts zygotes, which end with it, and has them fork."""

    name = "bubblewrap"

    def __init__(self, launcher: Launcher | None = None) -> None:
        self._launcher = launcher or shared_launcher()
        self._starter = ThreadPoolExecutor(1, "sandboxes")
        self._zygotes: dict[bool, Zygote] = {}
        """Zygotes, by whether their sandboxes have a network."""
        self._is_compiled = False

    def problem(self) -> str:
        isolation = self._launcher.isolation()
        if isolation.kind == "bubblewrap":
            return ""
        return f"{isolation.reason}. Install bubblewrap, and allow user namespaces (kernel.unprivileged_userns_clone = 1)"

    def start(self, spec: Spec) -> Namespaces:
        try:
            return self._starter.submit(self._forked, spec.network is not None).result()
        except OSError as error:
            raise SandboxError(f"the sandbox cannot be started: {error.strerror or error}") from None

    def rest(self) -> None:
        try:
            self._starter.submit(self._end_zygotes).result()
        except RuntimeError:
            # The interpreter is ending, and has ended its threads.
            self._end_zygotes()

    def close(self) -> None:
        self.rest()
        self._starter.shutdown(wait=False)

    def _forked(self, with_network: bool) -> Namespaces:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            try:
                zygote = self._zygote(with_network)
                descriptor = zygote.fork(theirs)
            except OSError:
                # It has been killed: all its sandboxes have ended with it.
                self._end_zygotes(with_network)
                zygote = self._zygote(with_network)
                descriptor = zygote.fork(theirs)
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        return Namespaces(descriptor, ours, zygote.groups)

    def _zygote(self, with_network: bool) -> Zygote:
        zygote = self._zygotes.get(with_network)
        if zygote is None:
            self._compile_once()
            control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                process = self._launcher.start(_launch(with_network), theirs.fileno())
            zygote = self._zygotes[with_network] = Zygote(process, control)
        return zygote

    def _end_zygotes(self, *which: bool) -> None:
        for with_network in which or tuple(self._zygotes):
            if (zygote := self._zygotes.pop(with_network, None)) is not None:
                zygote.end()

    def _compile_once(self) -> None:
        """Has the bytecode of what runs inside written: behind isolation it cannot be, and each start would take longer."""
        if self._is_compiled or sys.dont_write_bytecode:
            return
        self._is_compiled = True
        modules = ("boruna_ls.sandbox.inside.zygote", "boruna_ls.cli.run")
        specs = [importlib.util.find_spec(modules[0])]
        if all(spec is not None and spec.cached and os.path.exists(spec.cached) for spec in specs):
            return
        line = [sys.executable, "-I", "-c", f"import {', '.join(modules)}"]
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(line, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False)

    def sweep(self) -> int:
        """End first processes and bubblewraps whose daemon has ended, should the kernel not have."""
        orphans = [pid for pid, mark in identity.marked() if not identity.is_alive(mark)]
        for pid in orphans:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return len(orphans)


def _launch(with_network: bool) -> Launch:
    base = python("from boruna_ls.sandbox.inside.zygote import main; main()", _PACKAGES)
    extra = [*_EXTRA, *(_CERTIFICATES if with_network else ()), str(data.libraries_folder())]
    return replace(
        base,
        argv=[*base.argv, identity.mark()],
        readable=(*base.readable, *_there(extra)),
        limits=Limits(core_size=None),
        first=True,
        scope=True,
    )


def _number(descriptor: int) -> int:
    """Of the process of a descriptor; raises OSError if it has ended."""
    with open(f"/proc/self/fdinfo/{descriptor}", encoding="ascii") as file:
        number = next((int(line.split()[1]) for line in file if line.startswith("Pid:")), -1)
    if number <= 0:
        raise OSError("the first process has ended")
    return number


def _interpreter() -> str:
    return getattr(sys, "_base_executable", "") or sys.executable


def _there(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if os.path.exists(path)]
