"""Runs a fuzzer for some seconds, and tells of a failure with what is needed to see it again.

`BORUNA_FUZZ_SECONDS` says how long each fuzzer looks (1 by default); the seed is that of the whole test run, printed in
pytest's header. A failing text is made smaller before it is shown.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from random import Random

from benchmarks.calibration import calibration_ms

SECONDS = float(os.environ.get("BORUNA_FUZZ_SECONDS", "1"))
_USUAL = 4.0
"""Milliseconds of the loop of `benchmarks.calibration` on a machine of usual speed."""
SLOWEST = 2.0 * (5 if sys.gettrace() else max(1.0, calibration_ms(time.process_time) / _USUAL))
"""Seconds of processor time that no case may take, as fast as this machine is; measuring coverage takes its own."""
_SHRINKING = 20.0
_LEAST = 20
"""Cases that are tried even if the time is over: a machine under load still tests something."""


class Found(AssertionError):
    """A case that failed."""


def fuzz(
    seed: int, name: str, make: Callable[[Random], str], examine: Callable[[str, Random], None], slowest: float = SLOWEST
) -> int:
    """Makes texts and examines them until the time is over; the number of cases. Raises Found for the first that fails."""
    deadline = time.monotonic() + SECONDS
    number = 0
    while time.monotonic() < deadline or number < _LEAST:
        key = f"{seed}/{name}/{number}"
        text = make(Random(key))
        problem = _problem(text, key, examine, slowest)
        if problem is not None:
            smaller, problem = _smallest(text, problem, partial(_problem, key=key, examine=examine, slowest=slowest))
            raise Found(f"{name}, case {number} of seed {seed}: {problem!r} on {smaller!r}") from problem
        number += 1
    return number


def _problem(text: str, key: str, examine: Callable[[str, Random], None], slowest: float = SLOWEST) -> BaseException | None:
    started = time.process_time()
    try:
        examine(text, Random(key))
    except Exception as error:
        return error
    took = time.process_time() - started
    return Found(f"took {took:.1f} s") if took > slowest else None


def _smallest(text: str, problem: BaseException, again: Callable[[str], BaseException | None]) -> tuple[str, BaseException]:
    """A part of a failing text that still fails with the same kind of problem."""
    deadline = time.monotonic() + _SHRINKING
    size = max(1, len(text) // 2)
    while size:
        position, shrunk = 0, False
        while position < len(text) and time.monotonic() < deadline:
            candidate = text[:position] + text[position + size :]
            found = again(candidate)
            if found is not None and type(found) is type(problem):
                text, problem, shrunk = candidate, found, True
            else:
                position += size
        size = size if shrunk and size == 1 else size // 2
        if time.monotonic() >= deadline:
            break
    return text, problem
