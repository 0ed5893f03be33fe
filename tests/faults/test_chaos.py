"""A short session of `chaos.py`; the long one is a command of its own. And whether a session's figures are judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.chaos import KEY_LIMIT, session
from tests.faults.figures import AFTER_RESTART, ALONE, GROWTH, LONGEST_AFTER_RESTART, MANY, MEMORY_LIMIT, WARM, Figures, Key, Kill

BUSY = 20.0
"""How many times the limits of the command count here, beside other tests: what hangs is found, not what is slow."""


def test_everybody_at_once(place: Path, seed: int) -> None:
    figures = session(10.0, seed, Figures(KEY_LIMIT, BUSY))
    assert figures.wrong == [], figures.summary()
    assert figures.pauses >= 1
    assert figures.peak > 0
    # On a busy machine most of the time goes by until the daemon is there again.
    assert len(figures.keys) > 5


@pytest.mark.parametrize(("took", "is_wrong"), [(0.09, False), (0.11, True)], ids=["in time", "late"])
def test_each_key_is_judged(took: float, is_wrong: bool) -> None:
    figures = Figures(KEY_LIMIT, alone=[ALONE / 2])
    figures.keys.append(Key(10.0, 10.0 + took, took, is_shared=True))
    figures.judge()
    assert bool(figures.wrong) == is_wrong


@pytest.mark.parametrize(("waited", "is_wrong"), [(0.19 + AFTER_RESTART, False), (0.21 + AFTER_RESTART, True)])
def test_a_key_that_waits_for_a_new_daemon_is_judged(waited: float, is_wrong: bool) -> None:
    figures = Figures(KEY_LIMIT, kills=[Kill(9.9, 10.2)])
    figures.keys.append(Key(10.0, 10.0 + waited, waited - 0.001, is_shared=False))
    figures.judge()
    assert bool(figures.wrong) == is_wrong


@pytest.mark.parametrize(("waited", "is_wrong"), [(LONGEST_AFTER_RESTART, False), (LONGEST_AFTER_RESTART + 0.1, True)])
def test_a_key_that_is_typed_while_a_new_daemon_loads_is_judged(waited: float, is_wrong: bool) -> None:
    figures = Figures(KEY_LIMIT, kills=[Kill(9.9, 10.2)], keys=[Key(10.3, 10.3 + waited, waited, is_shared=False)])
    figures.judge()
    assert bool(figures.wrong) == is_wrong


@pytest.mark.parametrize(("late", "is_wrong"), [(MANY // 30, False), (MANY // 10, True)])
def test_keys_that_are_typed_soon_after_a_restart_are_judged_together(late: int, is_wrong: bool) -> None:
    took = [0.01] * MANY + [2 * KEY_LIMIT] * late
    keys = [Key(10.3, 10.3 + seconds, seconds, is_shared=False) for seconds in took]
    figures = Figures(KEY_LIMIT, kills=[Kill(9.9, 10.2)], keys=keys)
    figures.judge()
    assert bool(figures.wrong) == is_wrong


def test_memory_is_judged() -> None:
    warm = [100 << 20] * WARM
    for end, peak, is_wrong in ((GROWTH, 1, False), (GROWTH + 0.1, 1, True), (1.0, MEMORY_LIMIT + 1, True)):
        figures = Figures(KEY_LIMIT, memory=[*warm, *warm[1:], int(end * warm[0])], peak=peak)
        figures.judge()
        assert bool(figures.wrong) == is_wrong


def test_limits_grow_with_the_strain_on_the_machine() -> None:
    figures = Figures(KEY_LIMIT, alone=[4 * ALONE], keys=[Key(0.0, 1.0, 3.9 * KEY_LIMIT, is_shared=False)])
    figures.judge()
    assert figures.wrong == []
