"""Priorities of processes and threads, so that interactive work precedes the rest.

Linux often shares the processors by session first (autogroups): there `nice` counts among the processes of one session only, and
a process in a session of its own has as much as the one that started it, whatever its `nice` is. So the session gives way, too.

A thread that wakes up waits for the turn of the one that computes, several milliseconds, unless its own turns are shorter.
"""

from __future__ import annotations

import os
import struct
import sys
import threading
import time
from contextlib import suppress
from typing import Final

SESSION: Final = 5
"""`nice` of a session whose processes nobody types in: a third of the share of another one. With less, calls of tools would take
seconds while a compiler runs."""
_LEAST: Final = 19
_SET_ATTRIBUTES: Final = {"x86_64": 314, "aarch64": 274}
"""Number of the system call sched_setattr(2), by machine."""
_SHORT: Final = 100_000
"""Nanoseconds, the least that the kernel allows (Linux 6.12; older ones ignore it)."""
_NOT_CHILDREN: Final = 1
"""SCHED_FLAG_RESET_ON_FORK."""
_PAUSE: Final = 0.1
"""Seconds between two attempts: the kernel takes ten such changes a second, of all processes together."""
_ATTEMPTS: Final = 50


def give_way(pid: int, steps: int) -> None:
    """Lower the priority of a process, 0 for this one, among those of its session."""
    if sys.platform != "win32":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, pid, min(_LEAST, os.getpriority(os.PRIO_PROCESS, pid) + steps))


def leads_session(pid: int = 0) -> bool:
    """True for a process, 0 for this one, that has begun its session: it is on no terminal, unless it opened one."""
    return sys.platform != "win32" and os.getsid(pid) == (pid or os.getpid())


def lower_session(pid: int, nice: int) -> None:
    """Lower the share of the processors that the session of a process has, 0 for this one; nothing if it has not begun one."""
    if sys.platform != "linux":
        return
    pid = pid or os.getpid()
    with suppress(OSError):
        if not leads_session(pid):
            return
        # Opened once: the number may be another process's when the kernel takes the change.
        descriptor = os.open(f"/proc/{pid}/autogroup", os.O_WRONLY | os.O_CLOEXEC)
        wanted = str(nice).encode()
        try:
            os.write(descriptor, wanted)
        except BlockingIOError:
            threading.Thread(target=_lower, args=(descriptor, wanted), name="priority", daemon=True).start()
            return
        except OSError:
            pass
        os.close(descriptor)


def _lower(descriptor: int, wanted: bytes) -> None:
    with suppress(OSError):
        for _ in range(_ATTEMPTS):
            time.sleep(_PAUSE)
            with suppress(BlockingIOError):
                os.write(descriptor, wanted)
                break
    os.close(descriptor)


def take_short_turns(thread: int = 0) -> None:
    """A thread that works for moments, 0 for this one, gets the processor as soon as it wakes up, as far as it has not used more
    than its share. The threads and processes that it starts do not."""
    if sys.platform != "linux":
        return
    number = _SET_ATTRIBUTES.get(os.uname().machine)
    if number is None:
        return
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        nice = os.getpriority(os.PRIO_PROCESS, thread)
        attributes = struct.pack("=IIQiIQQQ", 48, os.SCHED_OTHER, _NOT_CHILDREN, nice, 0, _SHORT, 0, 0)
        if os.sched_getscheduler(thread) == os.SCHED_OTHER:
            ctypes.CDLL(None).syscall(number, thread, attributes, 0)
