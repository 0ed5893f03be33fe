"""A loop of plain Python whose time says how fast this machine is, so that figures of two machines can be compared."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median


def calibration_ms(clock: Callable[[], float] = time.perf_counter) -> float:
    """Milliseconds of the loop (100,000 additions), the median of nine."""
    return median(_once(clock) for _ in range(9)) * 1e3


def _once(clock: Callable[[], float]) -> float:
    start = clock()
    total = 0
    for number in range(100_000):
        total += number & 7
    return clock() - start
