"""Short pauses of a process that computes for long while others wait for a processor.

A scheduler that shares by session first (Linux, autogroups) weighs a session anew at each tick, by its load on each processor.
While the weight of a session that computes changes again and again, Linux 6.18 sets back the time that it has used: it goes on,
and whatever else is to run on that processor waits for 60 to 150 ms (seen in /sys/kernel/debug/sched/debug), until the one that
computes sleeps. So it does, for a moment, whenever more threads can run than there are processors.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from typing import Final

INTERVAL: Final = 0.008
"""Seconds between two pauses."""
_PAUSE: Final = 1_000
"""Microseconds of a pause: what a forwarder needs to pass a message on, and the reader of it to begin."""
_BUSY: Final = 0.6
"""Share of an interval from which the process counts as computing."""
_GOES_ON: Final = 25
"""Intervals without a computation after which the thread waits for the next one."""
_LOADS: Final = "/proc/loadavg"
"""Its fourth field: threads that can run now, and all threads."""


class Pauses:
    """A thread that stops this whole process for a moment while it computes and others wait; nothing where there is no Linux."""

    def __init__(self) -> None:
        self.taken = 0
        """Number of pauses so far."""
        self._work = threading.Event()
        if sys.platform == "linux":
            threading.Thread(target=self._watch, name="pauses", daemon=True).start()

    def note_work(self) -> None:
        """A computation begins."""
        if not self._work.is_set():
            self._work.set()

    def _watch(self) -> None:
        with suppress(ImportError, OSError, AttributeError, ValueError, IndexError):
            import ctypes

            # It keeps the interpreter lock, other than time.sleep: no thread of this process computes meanwhile.
            stop = ctypes.PyDLL(None).usleep
            loads = os.open(_LOADS, os.O_RDONLY)
            processors = os.cpu_count() or 1
            while True:
                self._work.wait()
                self._work.clear()
                quiet = 0
                while quiet < _GOES_ON:
                    before = time.process_time()
                    time.sleep(INTERVAL)
                    if time.process_time() - before < _BUSY * INTERVAL:
                        quiet += 1
                        continue
                    quiet = 0
                    if _runnable(loads) > processors:
                        self.taken += 1
                        stop(_PAUSE)


def _runnable(loads: int) -> int:
    os.lseek(loads, 0, os.SEEK_SET)
    return int(os.read(loads, 100).split()[3].partition(b"/")[0])
