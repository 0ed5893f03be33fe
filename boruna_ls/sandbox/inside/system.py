"""System calls that the standard library does not have, by the C library: mounts, namespaces, capabilities, prctl."""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import ctypes
import os
from typing import Final

READ_ONLY: Final = 1
NO_SUID: Final = 2
NO_DEV: Final = 4
_REMOUNT: Final = 32
_BIND: Final = 4096
_PRIVATE: Final = 1 << 18
_RECURSIVE: Final = 1 << 14
_NEW_USER: Final = 0x10000000
_NEW_OTHERS: Final = 0x00020000 | 0x20000000 | 0x08000000 | 0x04000000 | 0x40000000 | 0x02000000
"""Mount, pid, ipc, uts, network, cgroup."""
_SET_DUMPABLE: Final = 4
_SET_NO_NEW_PRIVS: Final = 38
_SET_SECCOMP: Final = 22
_FILTER: Final = 2
_SET_FILTER: Final = 1
_NEW_LISTENER: Final = 8
_CAPABILITIES_VERSION: Final = 0x20080522

_libc: Final = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount_memory(place: str, size: int, inodes: int, mode: str = "755") -> None:
    """A file system in memory, `size` in bytes."""
    options = f"size={size},nr_inodes={inodes},mode={mode}".encode()
    _checked(_libc.mount(b"sandbox", place.encode(), b"tmpfs", NO_SUID | NO_DEV, options), f"mount {place}")


def mount(kind: str, place: str, options: str = "") -> None:
    """A file system of the kernel's."""
    _checked(_libc.mount(kind.encode(), place.encode(), kind.encode(), NO_SUID, options.encode() or None), f"mount {place}")


def new_namespaces() -> None:
    """Namespaces of our own, but for users; that of processes is for the children from now on."""
    _checked(_libc.unshare(_NEW_OTHERS), "unshare")


def make_mounts_private() -> None:
    """Mounts made here or elsewhere are seen there only."""
    _checked(_libc.mount(None, b"/", None, _PRIVATE | _RECURSIVE, None), "make mounts private")


def bind(source: str, target: str, flags: int = 0) -> None:
    """Shows `source` at `target`, too; with flags such as READ_ONLY."""
    _checked(_libc.mount(source.encode(), target.encode(), None, _BIND, None), f"bind {target}")
    if flags:
        remount(target, flags)


def remount(place: str, flags: int) -> None:
    """Changes the flags of a mount."""
    _checked(_libc.mount(None, place.encode(), None, _BIND | _REMOUNT | flags, None), f"remount {place}")


def unmount(place: str) -> None:
    """Detach a mount; it is removed once it is unused."""
    _checked(_libc.umount2(place.encode(), 2), f"unmount {place}")


def open_apart(place: str, stage: str) -> int:
    """A descriptor of a mounted folder by a mount of its own, which no path leads to: it stays as it is now."""
    bind(place, stage)
    try:
        return os.open(stage, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    finally:
        unmount(stage)


def become_user(user: int, proc: int) -> None:
    """A user namespace in which we, the superuser of the one around it, are an ordinary user. `proc`: the folder `/proc`.

    What was mounted belongs to the namespace outside: from here on nothing of it can be changed.
    """
    _checked(_libc.unshare(_NEW_USER), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} 0 1"), ("gid_map", f"{user} 0 1")):
        descriptor = os.open(f"self/{name}", os.O_WRONLY, dir_fd=proc)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def give_up_capabilities() -> None:
    """Drop all capabilities for good: no executed program gets any back."""
    _checked(_libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    _checked(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def hide_memory() -> None:
    """Forbid other processes to trace this one and to read its memory or descriptors."""
    _checked(_libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0), "dumpable")


def show_memory() -> None:
    """The opposite of `hide_memory`."""
    _checked(_libc.prctl(_SET_DUMPABLE, 1, 0, 0, 0), "dumpable")


def filter_calls(program: bytes) -> None:
    """Has the kernel ask a BPF program about every system call from now on, here and in all children."""
    _checked(_libc.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(_Program.of(program)), 0, 0), "seccomp")


def filter_and_ask(program: bytes) -> int:
    """The same, where the program may have us asked: the descriptor at which questions arrive. Raises OSError."""
    number = {"x86_64": 317, "aarch64": 277}[os.uname().machine]
    listener = _libc.syscall(number, _SET_FILTER, _NEW_LISTENER, ctypes.byref(_Program.of(program)))
    if listener < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    return int(listener)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))

    @classmethod
    def of(cls, program: bytes) -> _Program:
        return cls(len(program) // 8, program)
