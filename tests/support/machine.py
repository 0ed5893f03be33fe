"""Waiting as it is measured on a virtual machine, whose processors stand still now and then while others have them.

The kernel counts that time for each processor ("steal" in proc(5)); stretches of 0.14 s were seen on machines that do nothing
else. It says nothing of the program that is measured, so it is taken off what a waiting took.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

_STAT: Final = Path("/proc/stat")
_STEAL: Final = 8
"""Column of a processor's line, its name being the first."""


def stolen() -> list[float]:
    """Seconds for which each processor stood still since the machine was started; none where nobody counts them."""
    try:
        lines = _STAT.read_text().splitlines()
    except OSError:
        return []
    tick = os.sysconf("SC_CLK_TCK")
    rows = [line.split() for line in lines if line.startswith("cpu") and line[3].isdigit()]
    return [int(row[_STEAL]) / tick for row in rows]


class Waiting:
    """A waiting, from now on."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self._stolen = stolen()

    def took(self) -> float:
        """Seconds until now, without those of the processor that stood still longest.

        It is counted in ticks of 10 ms: one is left out, so that never too much is taken off.
        """
        took = time.monotonic() - self.began
        most = max((now - then for now, then in zip(stolen(), self._stolen, strict=True)), default=0.0)
        return took - min(max(most - 1 / os.sysconf("SC_CLK_TCK"), 0.0), took)
