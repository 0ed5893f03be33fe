"""Settings of a process that computes on one thread while its event loop moves messages."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import sys
import threading
import time
from typing import Any, Final

from analysis.database import checkpoints_passed
from analysis.database.caches import empty_caches
from boruna_ls.wire.allocator import keep_freed_memory

SWITCH_INTERVAL: Final = 0.0002
"""Seconds after which a computing thread lets the event loop run; the default of 5 ms is felt by clients.

Each thread that waits for the interpreter sets a timer for that long, which costs up to 0.1 ms on a virtual machine: with a
shorter one the waiting threads use up a processor, and the one whose turn it is waits for it.
"""
_YOUNG: Final = 3_000
"""Objects after which the collector looks for cycles among the new ones: a millisecond or two."""
_MANY: Final = 4 * _YOUNG
"""Number of new objects that is too large for a collection while a client may be waiting."""
_LONG_LOOP: Final = 32
"""Checkpoints between two collections that only a loop passes which makes few objects of many rows, some thousands at least."""
_FEW: Final = 400_000
"""Objects that the collector looks at in a tenth of a second or two."""
_NEVER: Final = 1_000_000_000
_TIDY_INTERVAL: Final = 30.0
_TIDY_AFTER: Final = 500
"""Looks of the collector after which it is worth to look at everything once."""
_QUIET: Final = 0.3
"""Seconds of computing in an interval in which the process counts as idle."""


_served: Final[list[bool]] = []


def prepare() -> None:
    """To be called once, after the imports of a server."""
    _served.append(True)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    sys.setswitchinterval(SWITCH_INTERVAL)
    keep_freed_memory()
    _Collector().start()


def serves_clients() -> bool:
    """True if this process was prepared for serving: a user may be typing, so long work belongs elsewhere."""
    return bool(_served)


def take_stdout() -> int:
    """The file descriptor for protocol output; from now on whatever else is printed goes to standard error."""
    sys.stdout.flush()
    output = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return output


def give_back() -> None:
    """Free unused memory and return it to the system; to be called while no job runs.

    Cached names, cycles and the interpreter's own free tuples lie all over the memory: each keeps a page of it.
    """
    empty_caches()
    if gc.get_freeze_count() < _FEW:
        gc.unfreeze()
    # Also of set aside objects only, since it empties the interpreter's lists of free objects.
    gc.collect()
    gc.freeze()
    trim()


def trim() -> None:
    """Returns free memory to the system, where the C library (glibc) keeps it otherwise. Takes up to 0.1 s for 500 MB."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


class _Collector:
    """Looks for cycles among new objects only; at all of them when no client is waiting.

    Trees and memos live long, are many, and are no cycles: with 200,000 lines in memory a look at the collector's second
    generation stops the process for a third of a second. So what was looked at once is set aside.
    """

    def __init__(self) -> None:
        self._looks = 0
        self._passed = checkpoints_passed()

    def start(self) -> None:
        """Begins with what is loaded now: all of it stays, so looking for what does not would only cost the first client time."""
        gc.freeze()
        gc.enable()
        gc.set_threshold(_YOUNG, _NEVER, _NEVER)
        gc.callbacks.append(self._looked)
        threading.Thread(target=self._tidy, name="collector", daemon=True).start()

    def _looked(self, phase: str, info: dict[str, Any]) -> None:
        if info["generation"] != 0:
            return
        if phase == "stop":
            self._looks += 1
            gc.freeze()
            return
        # While old objects are freed, very many new ones accumulate. They are only counted: code that lists them (`get_objects`)
        # holds tuples that another thread is making, which fails there with a SystemError.
        # A loop over very many rows probably fills a new container with them: the collector would look at each of those at once.
        passed, self._passed = self._passed, checkpoints_passed()
        if gc.get_count()[0] > _MANY or self._passed - passed >= _LONG_LOOP:
            gc.freeze()

    def _tidy(self) -> None:
        spent = time.process_time()
        while True:
            time.sleep(_TIDY_INTERVAL)
            spent, before = time.process_time(), spent
            if spent - before < _QUIET and self._looks >= _TIDY_AFTER:
                self._looks = 0
                gc.unfreeze()
                gc.collect()
                gc.freeze()
                trim()
