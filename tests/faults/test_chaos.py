"""A short session of `chaos.py`; the long one is a command of its own."""

from __future__ import annotations

from pathlib import Path

from tests.faults.chaos import session


def test_everybody_at_once(place: Path, seed: int) -> None:
    figures = session(10.0, seed, key_limit=5.0)
    assert figures.wrong == [], figures.summary()
    assert figures.pauses >= 1
    # On a busy machine most of the time goes by until the daemon is there again.
    assert len(figures.keys) > 5
