"""A ceiling on memory that a run meets as an exception, well before the system's own limit ends the process.

Python does not always survive a refused allocation: with many small objects it can abort. So a thread looks at the size of the
process every few milliseconds and raises MemoryError in the thread that runs the program.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
import time
from typing import Final

from boruna_ls import lock_order

_INTERVAL: Final = 0.02
"""Seconds between two looks: at most some megabytes of small objects."""


_PATIENCE: Final = 2.0
"""Seconds that a run has to end."""


class MemoryWatch:
    """Watches the runs of the thread that makes it."""

    def __init__(self, limit: int) -> None:
        """`limit` in bytes of resident memory."""
        self._limit = limit
        self._thread = threading.get_ident()
        self._lock = lock_order.leaf()
        self._armed = threading.Event()
        threading.Thread(target=self._look, name="memory", daemon=True).start()

    def arm(self) -> None:
        """A run begins: from now on MemoryError may be raised anywhere in this thread."""
        self._armed.set()

    def disarm(self) -> None:
        """The run is over: what was raised is delivered before this returns."""
        with self._lock:
            self._armed.clear()
        # An exception from another thread is delivered between two turns of a loop.
        for _ in range(100):
            pass

    def _look(self) -> None:
        nap = threading.Event()
        again = 0.0
        while self._armed.wait():
            nap.wait(_INTERVAL)
            with self._lock:
                if self._armed.is_set() and resident_bytes() > self._limit and time.monotonic() > again:
                    # Again after a while: an exception can get lost where Python ignores them.
                    again = time.monotonic() + _PATIENCE
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(MemoryError))


class WindowsCounters(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS: sizes in bytes."""

    working_set: int
    peak_private: int
    _fields_ = (
        ("size", ctypes.c_uint32),
        ("page_faults", ctypes.c_uint32),
        ("peak_working_set", ctypes.c_size_t),
        ("working_set", ctypes.c_size_t),
        ("peak_paged_pool", ctypes.c_size_t),
        ("paged_pool", ctypes.c_size_t),
        ("peak_other_pool", ctypes.c_size_t),
        ("other_pool", ctypes.c_size_t),
        ("private", ctypes.c_size_t),
        ("peak_private", ctypes.c_size_t),
    )


def windows_counters() -> WindowsCounters:
    """Memory counters of this process on Windows; all 0 if they are unavailable, or elsewhere."""
    counters = WindowsCounters(size=ctypes.sizeof(WindowsCounters))
    if sys.platform == "win32":
        system = ctypes.WinDLL("kernel32")
        system.GetCurrentProcess.restype = ctypes.c_void_p
        system.K32GetProcessMemoryInfo.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32)
        system.K32GetProcessMemoryInfo(system.GetCurrentProcess(), ctypes.byref(counters), counters.size)
    return counters


def resident_bytes() -> int:
    """The most memory that this process has had."""
    if sys.platform == "win32":
        return windows_counters().peak_private
    # Not `ru_maxrss` on Linux: there a process starts with the figure of the one that started it.
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/self/status", "rb") as status:
        return int(status.read().partition(b"VmHWM:")[2].split(maxsplit=1)[0]) * 1024
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
