"""A loop of plain Python whose time says how fast this machine is, so that figures of two machines can be compared."""

from __future__ import annotations

import time
from statistics import median


def calibration_ms() -> float:
    """Milliseconds of the loop (100,000 additions), the median of nine."""
    return median(_once() for _ in range(9)) * 1e3


def _once() -> float:
    start = time.perf_counter()
    total = 0
    for number in range(100_000):
        total += number & 7
    return time.perf_counter() - start
