"""The filter of system calls: a table of what is refused, compiled to BPF for the kernel.

Refused is what reaches beyond the sandbox or has a record of holes in kernels, and what ordinary programs do without: an error,
not a signal, so that they fall back. The rest is allowed; namespaces and lost capabilities bound it.
"""

from __future__ import annotations

import errno
import struct
from typing import Final, NamedTuple

_ARCHITECTURES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NUMBERS: Final = {
    "x86_64": {
        "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "pidfd_getfd": 438, "process_madvise": 440,
        "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "open_tree": 428, "move_mount": 429, "fsopen": 430,
        "fsconfig": 431, "fsmount": 432, "fspick": 433, "mount_setattr": 442, "unshare": 272, "setns": 308,
        "add_key": 248, "request_key": 249, "keyctl": 250, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323,
        "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "memfd_create": 319, "memfd_secret": 447,
        "init_module": 175, "finit_module": 313, "delete_module": 176, "kexec_load": 246, "kexec_file_load": 320,
        "reboot": 169, "swapon": 167, "swapoff": 168, "acct": 163, "quotactl": 179, "quotactl_fd": 443, "syslog": 103,
        "open_by_handle_at": 304, "name_to_handle_at": 303, "fanotify_init": 300, "settimeofday": 164, "adjtimex": 159,
        "clock_settime": 227, "clock_adjtime": 305, "sethostname": 170, "setdomainname": 171, "iopl": 172, "ioperm": 173,
        "sched_setaffinity": 203, "vhangup": 153, "personality": 135, "move_pages": 279, "migrate_pages": 256, "mbind": 237,
        "set_mempolicy": 238, "modify_ldt": 154, "lookup_dcookie": 212, "uselib": 134, "ustat": 136, "nfsservctl": 180,
        "clone": 56, "clone3": 435, "socket": 41, "socketpair": 53, "ioctl": 16, "setsid": 112,
    },
    "aarch64": {
        "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "pidfd_getfd": 438, "process_madvise": 440,
        "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "open_tree": 428, "move_mount": 429, "fsopen": 430,
        "fsconfig": 431, "fsmount": 432, "fspick": 433, "mount_setattr": 442, "unshare": 97, "setns": 268,
        "add_key": 217, "request_key": 218, "keyctl": 219, "bpf": 280, "perf_event_open": 241, "userfaultfd": 282,
        "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "memfd_create": 279, "memfd_secret": 447,
        "init_module": 105, "finit_module": 273, "delete_module": 106, "kexec_load": 104, "kexec_file_load": 294,
        "reboot": 142, "swapon": 224, "swapoff": 225, "acct": 89, "quotactl": 60, "quotactl_fd": 443, "syslog": 116,
        "open_by_handle_at": 265, "name_to_handle_at": 264, "fanotify_init": 262, "settimeofday": 170, "adjtimex": 171,
        "clock_settime": 112, "clock_adjtime": 266, "sethostname": 161, "setdomainname": 162,
        "sched_setaffinity": 122, "vhangup": 58, "personality": 92, "move_pages": 239, "migrate_pages": 238, "mbind": 235,
        "set_mempolicy": 237, "lookup_dcookie": 18, "nfsservctl": 42,
        "clone": 220, "clone3": 435, "socket": 198, "socketpair": 199, "ioctl": 29, "setsid": 157,
    },
}  # fmt: skip
_ABSENT: Final = frozenset(
    ("clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_create", "memfd_secret", "userfaultfd")
)
"""Answered as a kernel would that does not have them: programs then do it another way."""
_FAMILIES: Final = (1, 2, 10, 16)
"""AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. Others, such as AF_VSOCK, belong to no network namespace or have many holes."""
_NEW_NAMESPACES: Final = 0x7E020080
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME."""
_TERMINAL_INPUT: Final = (0x5412, 0x541C)
"""TIOCSTI, TIOCLINUX."""
_X32: Final = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
_ALLOW: Final = 0x7FFF0000
_ASK: Final = 0x7FC00000
_KILL: Final = 0x80000000


class _Step(NamedTuple):
    code: int
    value: int
    if_true: int = 0
    if_false: int = 0


def _refuse(number: int) -> _Step:
    return _Step(_RETURN, 0x00050000 | number)


def program(machine: str, asks: bool) -> bytes:
    """The filter for a machine as the kernel takes it; empty for a machine that we have no table for.

    `asks`: whether we are asked about new sessions (`sessions.py`); else they are allowed.
    """
    numbers = _NUMBERS.get(machine)
    if numbers is None:
        return b""
    steps = [
        _Step(_LOAD, _ARCHITECTURE_AT),
        # Calls of another architecture (32 bits) have other numbers.
        _Step(_EQUAL, _ARCHITECTURES[machine], 1, 0),
        _Step(_RETURN, _KILL),
        _Step(_LOAD, _NUMBER_AT),
    ]
    if machine == "x86_64":
        steps += [_Step(_AT_LEAST, _X32, 0, 1), _refuse(errno.ENOSYS)]
    by_argument = {"clone", "socket", "socketpair", "ioctl", "setsid"}
    if asks:
        steps += [_Step(_EQUAL, numbers["setsid"], 0, 1), _Step(_RETURN, _ASK)]
    for name, number in numbers.items():
        if name not in by_argument:
            steps += [_Step(_EQUAL, number, 0, 1), _refuse(errno.ENOSYS if name in _ABSENT else errno.EPERM)]
    clone = [_Step(_LOAD, _FIRST_ARGUMENT), _Step(_ANY_BIT, _NEW_NAMESPACES, 0, 1), _refuse(errno.EPERM)]
    family = [_Step(_LOAD, _FIRST_ARGUMENT)]
    for left, number in zip(range(len(_FAMILIES), 0, -1), _FAMILIES, strict=True):
        family.append(_Step(_EQUAL, number, left, 0))
    family.append(_refuse(errno.EAFNOSUPPORT))
    terminal = [_Step(_LOAD, _SECOND_ARGUMENT)]
    for request in _TERMINAL_INPUT:
        terminal += [_Step(_EQUAL, request, 0, 1), _refuse(errno.EPERM)]
    for name, block in (("clone", clone), ("socket", family), ("socketpair", family), ("ioctl", terminal)):
        # Each block ends the judgement of its call.
        whole = [*block, _Step(_RETURN, _ALLOW)]
        steps += [_Step(_EQUAL, numbers[name], 0, len(whole)), *whole]
    steps.append(_Step(_RETURN, _ALLOW))
    return b"".join(struct.pack("=HBBI", step.code, step.if_true, step.if_false, step.value) for step in steps)
