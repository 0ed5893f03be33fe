"""A worker process: `python -m boruna_ls.runtime.worker`. Runs one program after another and ends with its parent.

Its memory and its processor time are limited by the system, so that whatever a program does ends as an answer or as the
death of this process, which the parent answers for.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import queue
import sys
import threading
from typing import Any, BinaryIO, Final, TextIO

from boruna_ls.runtime.frames import ANSWER, CALL, LAST_ANSWER, PROGRESS, REQUEST, Broken, read_frame, write_frame
from boruna_ls.runtime.memory import MemoryWatch

MEMORY_LIMIT: Final = 1024 * 1024 * 1024
"""Bytes that a run may take; the system allows the process twice as much."""
_UNREAD: Final = 10_000
"""Texts that may wait for standard error to be read."""
_GRACE: Final = 10
"""Seconds of processor time beyond the deadline, for a process whose parent does not stop it any more."""


def main() -> None:
    """Works until the input ends."""
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb")
    # Whatever else reads or prints here must not meet the messages.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.nice(5)
    limit_memory(MEMORY_LIMIT * 2)
    watch = MemoryWatch(MEMORY_LIMIT)
    sys.stderr = Background(sys.stderr)
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    results: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(requests, waiting, results), daemon=True).start()
    from boruna_ls.runtime.execute import execute_safely, out_of_memory  # now, so that the first run does not wait for it

    def ask(content: bytes) -> bytes:
        _send(answers, CALL, content)
        return results.get()

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
        _send(answers, LAST_ANSWER if exhausted else ANSWER, answer)
        if exhausted:
            # What the program did to the heap must not be felt by the next one.
            os._exit(0)


class Background(io.TextIOBase):
    """Writes on a thread of its own, and drops what nobody takes off: a client need not read our standard error."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._texts: queue.Queue[str] = queue.Queue(maxsize=_UNREAD)
        threading.Thread(target=self._work, daemon=True).start()

    def write(self, text: str) -> int:
        with contextlib.suppress(queue.Full):
            self._texts.put_nowait(text)
        return len(text)

    def _work(self) -> None:
        while True:
            with contextlib.suppress(OSError, ValueError):
                self._stream.write(self._texts.get())
                self._stream.flush()


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


def limit_memory(size: int) -> None:
    """Bounds the address space of this process, where the system can."""
    if sys.platform == "win32":
        return
    import resource

    for which, limit in ((resource.RLIMIT_AS, (size, resource.getrlimit(resource.RLIMIT_AS)[1])), (resource.RLIMIT_CORE, (0, 0))):
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


if __name__ == "__main__":
    main()
