"""Sessions are counted before they are made: many schedulers give each its own share of the processors (autogroups), so that
processes in sessions of their own would leave little to everybody outside. The kernel asks us about each call of `setsid`.
"""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import contextlib
import errno
import fcntl
import struct
from collections.abc import Container
from typing import Final

from boruna_ls.sandbox.inside import measure

MOST: Final = 16
_FEW: Final = 8
"""Processes that can be in as many sessions as they like."""
_RECEIVE: Final = 0xC0502100
_SEND: Final = 0xC0182101
_QUESTION: Final = 80
_GO_ON: Final = 1


def answer(questions: int, proc: int, own: Container[int]) -> None:
    """Answers one question at a descriptor that can be read: the call goes on, or it is refused. `own` processes are free."""
    asked = bytearray(_QUESTION)
    with contextlib.suppress(OSError):  # whoever asked has been killed
        fcntl.ioctl(questions, _RECEIVE, asked)
        number, pid = struct.unpack_from("QI", asked)
        allowed = pid in own or len(measure.processes(proc)) <= _FEW or measure.sessions(proc) < MOST
        fcntl.ioctl(questions, _SEND, struct.pack("QqiI", number, 0, 0 if allowed else -errno.EAGAIN, _GO_ON if allowed else 0))
