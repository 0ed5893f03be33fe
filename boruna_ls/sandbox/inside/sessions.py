"""Sessions are counted before they are made: many schedulers give each its own share of the processors (autogroups), so that
processes in sessions of their own would leave little to processes outside. The kernel asks us about each call of `setsid`.
"""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import contextlib
import errno
import fcntl
import struct
from typing import Final

from boruna_ls.sandbox.inside import measure

MOST: Final = 16
_FEW: Final = 8
"""Processes that can be in as many sessions as they like."""
_RECEIVE: Final = 0xC0502100
_SEND: Final = 0xC0182101
_QUESTION: Final = 80
_GO_ON: Final = 1


class Sessions:
    """Answers the kernel's questions at a descriptor."""

    def __init__(self, questions: int, proc: int) -> None:
        self._questions = questions
        self._proc = proc
        self._granted: set[int] = set()
        """Processes whose call goes on, and that may not lead a session yet: it goes on when the scheduler lets it."""

    def answer(self) -> None:
        """Answers one question, which has arrived: the call goes on, or it is refused."""
        asked = bytearray(_QUESTION)
        with contextlib.suppress(OSError):  # the asking process has been killed
            fcntl.ioctl(self._questions, _RECEIVE, asked)
            number, thread = struct.unpack_from("QI", asked)
            allowed = self._allows(thread)
            reply = struct.pack("QqiI", number, 0, 0 if allowed else -errno.EAGAIN, _GO_ON if allowed else 0)
            fcntl.ioctl(self._questions, _SEND, reply)

    def _allows(self, thread: int) -> bool:
        sessions = measure.sessions(self._proc)
        self._granted = {session for session in self._granted if sessions.get(session, session) != session}
        if len(sessions) > _FEW and len({*sessions.values(), *self._granted}) >= MOST:
            return False
        self._granted.add(measure.leader(self._proc, thread))
        return True
