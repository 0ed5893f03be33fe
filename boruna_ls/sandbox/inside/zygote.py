"""The zygote: has everything imported and the view of the system made, and forks the first process of each sandbox.

It is process 1 of namespaces that hold no code of others and no file of the owner's. Each sandbox gets namespaces of its own
(mount, pid, ipc, uts, cgroup, network), a `/proc` and terminals of its own, and no descriptor but its socket; it cannot see the
zygote, which lives in the namespace of processes around it. With the zygote's end the kernel ends all sandboxes.
"""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import contextlib
import fcntl
import gc
import os
import select
import signal
import socket
import struct

from boruna_ls.sandbox.inside import place, system
from boruna_ls.sandbox.inside.commands import yield_session
from boruna_ls.sandbox.inside.first import First

_LONGEST = 16
_NICE = 10
"""Of the session of all sandboxes, beside the sessions of others: a tenth of a processor that an editor wants, too."""
_AGAIN = 0.02
"""Seconds until the share is asked for again: the kernel lets one session in a tenth of a second change its own."""
_GET_FLAGS, _SET_FLAGS, _IS_UP = 0x8913, 0x8914, 1


def main() -> None:
    """Serves the daemon at the socket that is standard input: a message with a sandbox's socket makes its first process.

    The answer is a descriptor of that process, or the reason why there is none.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)
    place.prepare()
    has_yielded, proc = False, os.open("/proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    # First processes whose parent has ended become our children, and their status is discarded.
    signal.signal(signal.SIGCHLD, lambda *_: _wait_for_children())
    # What is here now stays in memory that all share.
    gc.collect()
    gc.freeze()
    while True:
        while not has_yielded:
            has_yielded = yield_session(proc, "self", _NICE)
            if not has_yielded and select.select([control], [], [], _AGAIN)[0]:
                break
        message, descriptors, _, _ = socket.recv_fds(control, _LONGEST, 1)
        if not message:
            os._exit(0)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        between = os.fork()
        if not between:
            os.close(proc)
            _make(control, descriptors[0])
        os.waitpid(between, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        os.close(descriptors[0])


def _wait_for_children() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _make(control: socket.socket, end: int) -> None:
    """In a process between the zygote and the first one: a new namespace of processes begins with the next fork."""
    try:
        system.new_namespaces()
        first = os.fork()
        if not first:
            control.close()
            _be_first(end)
        descriptor = os.pidfd_open(first)
        socket.send_fds(control, [b"made"], [descriptor])
    except OSError as error:
        with contextlib.suppress(OSError):
            control.send(str(error).encode("utf-8", "replace"))
    finally:
        os._exit(0)


def _be_first(end: int) -> None:
    """Never returns. Any failure here ends the process, and so its socket, which notifies the daemon."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        system.make_mounts_private()
        system.mount("proc", "/proc")
        system.mount("devpts", "/dev/pts", "newinstance,ptmxmode=0666,mode=620")
        _bring_loopback_up()
        First(socket.socket(fileno=end)).serve()
    finally:
        os._exit(1)


def _bring_loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack("16xh22x", fcntl.ioctl(any_socket, _GET_FLAGS, asked))[0]
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh22x", b"lo", flags | _IS_UP))
