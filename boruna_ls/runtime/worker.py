"""A worker process, as `workers.py` starts it. Runs one program after another and ends with its parent.

Its memory and its processor time are limited by the system, so that whatever a program does ends as an answer or as the
death of this process, which the parent answers for.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import sys
import threading
import traceback
from typing import Any, BinaryIO, Final

from boruna_ls.runtime.frames import ANSWER, CALL, FAULT, LAST_ANSWER, PROGRESS, READY, REQUEST, Broken, read_frame, write_frame
from boruna_ls.runtime.memory import MemoryWatch

MEMORY_LIMIT: Final = 1024 * 1024 * 1024
"""Bytes that a run may take; the system allows the process twice as much, a control group, if we may have one, GROUP_LIMIT."""
GROUP_LIMIT: Final = MEMORY_LIMIT * 5 // 4
PRIORITY: Final = 5
"""Steps (`nice`) by which programs come after the process that runs them."""
_NO_NEW_PRIVILEGES: Final = 38
"""PR_SET_NO_NEW_PRIVS of prctl(2)."""
_GRACE: Final = 10
"""Seconds of processor time beyond the deadline, for a process whose parent does not stop it any more."""


def main() -> None:
    """Works until the input ends."""
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb")
    # Other code that reads or prints here must not mix with the messages; its output has no reader.
    os.dup2(2, 0)
    os.dup2(2, 1)
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.nice(PRIORITY)
    limit_memory(MEMORY_LIMIT * 2, for_good=True)
    watch = MemoryWatch(MEMORY_LIMIT)
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    results: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(requests, waiting, results), daemon=True).start()
    from boruna_ls.runtime.execute import execute_safely, out_of_memory  # now, so that the first run does not wait for it

    def ask(content: bytes) -> bytes:
        _send(answers, CALL, content)
        return results.get()

    _close_the_door()
    _send(answers, READY, b"")
    while True:
        job = pickle.loads(waiting.get())
        limit_time(job.deadline)
        watch.arm()
        try:
            answer, exhausted = execute_safely(job, lambda done: _send(answers, PROGRESS, done), ask)
            watch.disarm()
        except MemoryError:
            watch.disarm()
            answer, exhausted = out_of_memory(), True
        except Exception:
            _send(answers, FAULT, traceback.format_exc().encode("utf-8", "replace"))
            os._exit(1)
        _send(answers, LAST_ANSWER if exhausted else ANSWER, answer)
        if exhausted:
            # What the program did to the heap must not be felt by the next one.
            os._exit(0)


def _receive(requests: Any, waiting: queue.SimpleQueue[bytes], results: queue.SimpleQueue[bytes]) -> None:
    """Reads beside the run, so that the end of the parent is noticed in the middle of one."""
    while True:
        try:
            kind, content = read_frame(requests)
            (waiting if kind == REQUEST else results).put(content)
        except Broken:
            os._exit(0)


def _send(stream: BinaryIO, kind: bytes, content: bytes) -> None:
    try:
        write_frame(stream, kind, content)
    except Broken:
        os._exit(0)


def _close_the_door() -> None:
    """Forbid this process to start others and to gain rights, irreversibly."""
    if sys.platform == "win32":
        return
    import ctypes
    import resource

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def limit_memory(size: int, for_good: bool = False) -> None:
    """Bounds the address space of this process, where the system can; `for_good` if it must not be able to take that back."""
    if sys.platform == "win32":
        return
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    if for_good and (most == resource.RLIM_INFINITY or most > size):
        most = size
    for which, limit in ((resource.RLIMIT_AS, (size, most)), (resource.RLIMIT_CORE, (0, 0))):
        # macOS knows the first one and refuses it.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(which, limit)


def limit_time(seconds: float) -> None:
    """Bounds the processor time of this process, counted from now."""
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + seconds + _GRACE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
