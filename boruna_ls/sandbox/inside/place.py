"""Makes the place: what can be written, what is hidden, and which rights are left. Runs once, before any code of others.

`bwrap` has made the namespaces and the read-only view of the system. We are its superuser until `close` is over.
"""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import contextlib
import os
import re
import resource
import socket
from typing import Final, NamedTuple

from boruna_ls.sandbox.inside import seccomp, system

HOME: Final = os.path.join("/home", "sandbox")
USER: Final = 1000
PROXY: Final = ("127.0.0.1", 3128)
_STAGE: Final = "/mnt"
_WRITABLE: Final = {HOME: "home", "/tmp": "tmp", "/var/tmp": "vartmp", "/dev/shm": "shm", "/run": "run"}
"""Folders that can be written; all are parts of one file system, so one size bounds them together."""
_READ_ONLY: Final = ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi", "/proc/driver")
_HIDDEN: Final = ("/proc/sysrq-trigger", "/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/timer_list", "/proc/kallsyms",
                  "/proc/sched_debug", "/proc/latency_stats", "/proc/kpagecount", "/proc/kpageflags", "/proc/kpagecgroup",
                  "/proc/slabinfo", "/proc/vmallocinfo", "/proc/kmsg", "/proc/mtrr", "/proc/sysrq")  # fmt: skip
_FILES: Final = {
    "/etc/passwd": f"root:x:0:0::/:/bin/false\nsandbox:x:{USER}:{USER}::{HOME}:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n",
    "/etc/group": f"root:x:0:\nsandbox:x:{USER}:\nnogroup:x:65534:\n",
    "/etc/hosts": "127.0.0.1 localhost sandbox\n::1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "/etc/hostname": "sandbox\n",
}
_OBJECTS: Final = {
    "shmall": "4096",
    "shmmni": "64",
    "msgmni": "32",
    "msgmnb": "16384",
    "sem": "250 2000 32 64",
    "shm_rmid_forced": "1",
}
"""Of System V: 16 MiB of shared memory, half a megabyte of messages, some semaphores. By default it is gigabytes each."""
_RESERVED_NUMBERS: Final = 300
"""Those below are given once, and never again when the numbers start anew."""
SPARE_PROCESSES: Final = 8


class Limits(NamedTuple):
    """Limits of the whole sandbox; sizes in bytes. `cpus` are the numbers of the processors that it may use, none for any."""

    memory: int
    disk: int
    inodes: int
    processes: int
    cpus: tuple[int, ...] = ()


class Made(NamedTuple):
    """Isolation in force: the filter of system calls, the kernel's bound of processes; the proxy's listener, if there is one;
    the descriptor that receives questions about new sessions, -1 if there is none."""

    filtered: bool
    processes_bounded: bool
    listener: socket.socket | None
    questions: int


def prepare() -> None:
    """Files and folders that all sandboxes of a zygote share and none can write; once, before the first `make`."""
    for path, text in _FILES.items():
        with contextlib.suppress(FileExistsError), open(path, "x", encoding="utf-8") as file:
            file.write(text)
    for path in (_STAGE, *_WRITABLE):
        os.makedirs(path, exist_ok=True)


def open_proc() -> int:
    """The folder `/proc` as it is before `make`, in which we alone can write afterwards."""
    try:
        return system.open_apart("/proc", _STAGE)
    except OSError:
        # The image of a virtual machine may have no such folder.
        return os.open("/proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def make(limits: Limits, with_proxy: bool, proc: int, is_guest: bool = False) -> Made:
    """Everything, in the one order that works. Raises OSError: then there is no sandbox. `proc` is what `open_proc` gave.

    `is_guest`: we run in a virtual machine of our own, whose image has the users and folders already.
    """
    listener = _listening() if with_proxy else None
    _make_writable(limits, USER if is_guest else 0)
    bounded = _bound_processes(limits.processes)
    _bound_objects()
    _hide_the_kernel()
    if not is_guest:
        system.remount("/dev", system.READ_ONLY | system.NO_SUID)
        system.remount("/", system.READ_ONLY | system.NO_SUID | system.NO_DEV)
        system.become_user(USER, proc)
    else:
        os.setgroups([])
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)
    os.chdir(HOME)
    if limits.cpus:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, limits.cpus)
    _bound_ourselves(limits)
    system.give_up_capabilities()
    filtered, questions = _filter_calls(os.uname().machine)
    system.hide_memory()
    return Made(filtered, bounded, listener, questions)


def _filter_calls(machine: str) -> tuple[bool, int]:
    """True if system calls are filtered, and the descriptor that receives questions about some of them, -1 if there is none."""
    program = seccomp.program(machine, asks=True)
    if not program:
        return False, -1
    try:
        return True, system.filter_and_ask(program)
    except OSError:
        # The kernel is too old (5.5), or an enclosing process already receives the questions.
        system.filter_calls(seccomp.program(machine, asks=False))
        return True, -1


def _make_writable(limits: Limits, owner: int) -> None:
    os.makedirs(_STAGE, exist_ok=True)
    system.mount_memory(_STAGE, limits.disk, limits.inodes)
    covered = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in _mounted_below(tuple(_WRITABLE))]
    for place, name in _WRITABLE.items():
        inner = os.path.join(_STAGE, name)
        os.mkdir(inner, 0o755)
        os.chmod(inner, 0o755 if place in (HOME, "/run") else 0o1777)
        os.chown(inner, owner, owner)
        os.makedirs(place, exist_ok=True)
        system.bind(inner, place, system.NO_SUID | system.NO_DEV)
    system.unmount(_STAGE)
    for path, descriptor in covered:
        source = f"/proc/self/fd/{descriptor}"
        if os.path.isdir(source):
            os.makedirs(path, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDONLY | os.O_CLOEXEC, 0o644))
        system.bind(source, path, system.READ_ONLY | system.NO_SUID | system.NO_DEV)
        os.close(descriptor)


def _mounted_below(places: tuple[str, ...]) -> list[str]:
    """Mount points that `bwrap` has made below these folders, outer ones first: an installation in a temporary folder."""
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        mounted = {re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), line.split()[4]) for line in file}
    return sorted(path for path in mounted if path.startswith(tuple(f"{place}/" for place in places)))


def _bound_processes(most: int) -> bool:
    """Has the kernel refuse more processes and threads in this namespace (Linux 6.14 and newer, for any user)."""
    release = tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2])
    if release < (6, 14):
        # There the number is one for the whole machine, and not ours to change.
        return False
    try:
        with open("/proc/sys/kernel/pid_max", "w", encoding="ascii") as file:
            file.write(str(_RESERVED_NUMBERS + most + SPARE_PROCESSES))
    except OSError:
        return False
    return True


def _bound_objects() -> None:
    """Bounds what the kernel keeps of this namespace's queues, semaphores and segments, which belong to no process."""
    for name, value in _OBJECTS.items():
        with contextlib.suppress(OSError), open(f"/proc/sys/kernel/{name}", "w", encoding="ascii") as file:
            file.write(value)


def _hide_the_kernel() -> None:
    for place in _READ_ONLY:
        if os.path.isdir(place):
            system.bind(place, place, system.READ_ONLY | system.NO_SUID | system.NO_DEV)
    for place in _HIDDEN:
        if os.path.exists(place):
            system.bind("/dev/null", place)
    # A process could change the share of the processors that all sandboxes have together.
    system.remount("/proc", system.READ_ONLY | system.NO_SUID | system.NO_DEV)


def _bound_ourselves(limits: Limits) -> None:
    """Limits that every process inherits and none can raise again."""
    # Numbers of the kernel, since not every Python knows the names.
    for which, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 512),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_FSIZE, limits.disk),
        (resource.RLIMIT_MEMLOCK, 65_536),
        (resource.RLIMIT_MSGQUEUE, 65_536),
        (resource.RLIMIT_SIGPENDING, 1024),
    ):
        hard = resource.getrlimit(which)[1]
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(which, (value, value))


def _listening() -> socket.socket:
    """Listener of the proxy for programs inside. The socket is passed to the daemon, which decides which hosts can be reached."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(PROXY)
    listener.listen(64)
    return listener
