"""The first process of a microVM: mounts what a kernel does not, listens at the vsock, and serves the one daemon that calls."""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import contextlib
import os
import socket

from boruna_ls.sandbox.inside import system
from boruna_ls.sandbox.inside.first import First

_PORT = 5252


def main() -> None:
    """Never returns: with the first process the machine ends."""
    for kind, place in (("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev")):
        with contextlib.suppress(OSError):
            system.mount(kind, place)
    listener = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
    listener.bind((socket.VMADDR_CID_ANY, _PORT))
    listener.listen(1)
    control, _ = listener.accept()
    listener.close()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    First(control).serve()
