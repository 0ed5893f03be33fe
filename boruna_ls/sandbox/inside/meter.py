"""Memory used by a crowd of processes, measured as often as that is cheap; for the first process."""

from __future__ import annotations

import contextlib
import sys

assert sys.platform == "linux"

import time
from collections.abc import Callable
from typing import Final

from boruna_ls.sandbox.inside import measure
from boruna_ls.sandbox.inside.commands import frozen

_SHARE: Final = 5
"""So many times as long as it took to divide shared memory, it is not divided again."""
_LONGEST: Final = 0.5


class Meter:
    """Memory of the processes of the sandbox, in bytes; exact where it is beyond `limit`. `living` names them."""

    def __init__(self, proc: int, limit: int, living: Callable[[], list[str]]) -> None:
        self._proc = proc
        self._limit = limit
        self._living = living
        self._latest = b""
        self._divided = 0
        self._again = 0.0

    def memory(self, names: list[str]) -> int:
        """Of these processes. What several share counts for each of them as long as the sum is within the limit."""
        latest, self._latest = self._latest, measure.latest(self._proc)
        resident = measure.resident(self._proc, names)
        if resident <= self._limit:
            self._again = 0.0
            return resident
        began = time.monotonic()
        if began >= self._again:
            # Processes that fork all the time would keep us waiting for seconds, so they stand still meanwhile.
            forks = latest != self._latest and len(names) > measure.FEW
            with frozen() if forks else contextlib.nullcontext():
                self._divided = measure.divided(self._proc, self._living() if forks else names)
            now = time.monotonic()
            self._again = now + min(_SHARE * (now - began), _LONGEST)
        return self._divided
