"""Sandboxes in namespaces of the kernel, made by bubblewrap through the Launcher: the default on Linux.

Everything that can be written lies in memory that belongs to the namespace, so that with its first process all is gone.
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
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final

from boruna_ls import data
from boruna_ls.isolation.launcher import Launch, Launcher, Limits, kill, python, shared_launcher
from boruna_ls.sandbox import identity
from boruna_ls.sandbox.backend import MIB, Closable, SandboxError, Spec

_PACKAGES: Final = ("boruna_ls", "analysis", "jsonschema_rs", "click")
_SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
_PATIENCE: Final = 10.0
_CERTIFICATES: Final = ("/etc/ssl", "/etc/ca-certificates", "/etc/pki")
_EXTRA: Final = ("/etc/localtime", "/opt")
_processors: Final = itertools.count()


class Namespaces:
    """The processes of one sandbox. `inner` is its first process as we see it, by number and by descriptor."""

    def __init__(self, process: subprocess.Popen[bytes], end: socket.socket, has_cgroup: bool, spec: Spec) -> None:
        self.process = process
        self.socket = end
        self.has_cgroup = has_cgroup
        self._spec = spec
        self.inner = 0
        self._inner_descriptor = -1
        self._proc = -1
        self._lock = threading.Lock()

    def _find_inner(self) -> None:
        """The first process, once it has answered; before that bubblewrap is still at work."""
        children = _children(self.process.pid)
        if len(children) != 1:
            raise SandboxError("the sandbox ended while it was made: call again")
        self.inner = children[0]
        try:
            self._inner_descriptor = os.pidfd_open(self.inner)
            self._proc = os.open(
                os.path.join("/proc", str(self.inner), "root", "proc"), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
            )
        except OSError:
            # Then only bubblewrap itself can be killed, which is enough, and the use is not measured from outside.
            return

    def begin(self, spec: Spec) -> dict[str, Any]:
        cpus = sorted(os.sched_getaffinity(0))
        first = next(_processors)
        chosen = [cpus[(first + n) % len(cpus)] for n in range(min(spec.vcpu_count, len(cpus)))]
        program = os.path.dirname(_interpreter())
        return {
            "limits": {
                "memory": spec.memory_mib * MIB,
                "disk": spec.disk_mib * MIB,
                "inodes": spec.inodes,
                "processes": spec.processes,
                "cpus": chosen,
            },
            "proxy": spec.network is not None,
            "watched": not self.has_cgroup,
            "languages": dict(spec.languages),
            "path": f"{program}:{_SYSTEM_PATH}",
        }

    def begun(self) -> None:
        self._find_inner()

    def proxy(self, listener: int, hosts: tuple[str, ...]) -> Closable:
        from boruna_ls.sandbox.network import Proxy  # now: most sandboxes have none

        return Proxy(listener, hosts)

    def facts(self) -> dict[str, Any]:
        return {"backend": "bubblewrap", "memory": "cgroup" if self.has_cgroup else "watched"}

    def usage(self) -> tuple[int, int] | None:
        from boruna_ls.sandbox.inside import measure

        with self._lock:
            if self._proc < 0:
                return None
            try:
                return tuple(measure.usage(self._proc, with_first=True))  # type: ignore[return-value]
            except OSError:
                return None

    def fits(self, spec: Spec) -> bool:
        # The bounds of a control group are set when the process starts.
        return self.process.poll() is None and (
            not self.has_cgroup or replace(spec, vcpu_count=1) == replace(self._spec, vcpu_count=1)
        )

    def destroy(self) -> None:
        with self._lock:
            if self._inner_descriptor >= 0:
                with contextlib.suppress(OSError):
                    signal.pidfd_send_signal(self._inner_descriptor, signal.SIGKILL)
                # Readable when it is gone, and the kernel lets it go after all other processes of its namespace.
                waiting = select.poll()
                waiting.register(self._inner_descriptor, select.POLLIN)
                waiting.poll(_PATIENCE * 1000)
                os.close(self._inner_descriptor)
                self._inner_descriptor = -1
            if self._proc >= 0:
                os.close(self._proc)
                self._proc = -1
            kill(self.process)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(_PATIENCE)


class Bubblewrap:
    """The backend. Processes are started by one thread that lives as long as ours: they end with the thread that started them."""

    name = "bubblewrap"
    has_spares = True

    def __init__(self, launcher: Launcher | None = None) -> None:
        self._launcher = launcher or shared_launcher()
        self._starter = ThreadPoolExecutor(1, "sandboxes")
        self._is_compiled = False

    def problem(self) -> str:
        found = self._launcher.isolation()
        if found.kind == "bubblewrap":
            return ""
        return f"{found.reason}. Install bubblewrap, and allow user namespaces (kernel.unprivileged_userns_clone = 1)"

    def start(self, spec: Spec) -> Namespaces:
        self._compile_once()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        launch = self._launch(spec)
        isolation = self._launcher.isolation()
        try:
            process = self._starter.submit(self._launcher.start, launch, theirs.fileno()).result()
        except OSError as error:
            ours.close()
            raise SandboxError(f"the sandbox cannot be started: {error.strerror or error}") from None
        finally:
            theirs.close()
        return Namespaces(process, ours, isolation.cgroups, spec)

    def _launch(self, spec: Spec) -> Launch:
        base = python("from boruna_ls.sandbox.inside.first import main; main()", _PACKAGES)
        extra = [*_EXTRA, *(_CERTIFICATES if spec.network is not None else ()), str(data.libraries_folder())]
        return replace(
            base,
            argv=[*base.argv, identity.mark()],
            readable=(*base.readable, *_there(extra)),
            limits=Limits(core_size=None),
            memory=(spec.memory_mib + spec.disk_mib) * MIB,
            processes=spec.processes + 8,
            first=True,
        )

    def _compile_once(self) -> None:
        """Has the bytecode of what runs inside written: behind isolation it cannot be, and each start would take longer."""
        if self._is_compiled or sys.dont_write_bytecode:
            return
        self._is_compiled = True
        modules = ("boruna_ls.sandbox.inside.first", "boruna_ls.cli.run")
        specs = [importlib.util.find_spec(modules[0])]
        if all(spec is not None and spec.cached and os.path.exists(spec.cached) for spec in specs):
            return
        line = [sys.executable, "-I", "-c", f"import {', '.join(modules)}"]
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(line, capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False)

    def sweep(self) -> int:
        """Ends first processes and bubblewraps whose daemon is gone, should the kernel not have."""
        found = [pid for pid, mark in identity.marked() if not identity.is_alive(mark)]
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return len(found)


def _interpreter() -> str:
    return getattr(sys, "_base_executable", "") or sys.executable


def _there(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if os.path.exists(path)]


def _children(pid: int) -> list[int]:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                return [int(word) for word in file.read().split()]
        except FileNotFoundError:
            return _children_by_parent(pid)
        except OSError:
            break
    return []


def _children_by_parent(pid: int) -> list[int]:
    """For kernels that do not list children."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, ValueError), open(f"/proc/{name}/stat", encoding="latin-1") as file:
            if int(file.read().rpartition(")")[2].split()[1]) == pid:
                found.append(int(name))
    return found
