"""A short session of `floods.py`, judged by how many keys are answered; the figures are those of the command."""

from __future__ import annotations

from pathlib import Path

from tests.faults.floods import FLOODS, MEMORY_LIMIT, PAUSE, session

SECONDS = 4.0
LEAST = 0.2
"""Share of the keys of the same editor alone, in the same run: other tests compute beside it. The command has narrow limits."""


def test_an_editor_is_served_beside_four_clients_that_flood(tmp_path: Path, place: Path) -> None:
    figures = session(tmp_path, SECONDS)
    assert figures.most < MEMORY_LIMIT, figures.summary()
    rate_alone, rate_beside = (len(keys) / sum(keys, start=PAUSE * len(keys)) for keys in (figures.alone, figures.beside))
    assert rate_beside >= LEAST * rate_alone, figures.summary()
    # No key waits for as long as twenty keys of somebody who types on.
    assert max(figures.beside) < 20 * (PAUSE + max(figures.alone)), figures.summary()
    assert set(figures.sent) == set(FLOODS)
