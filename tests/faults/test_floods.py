"""A short session of `floods.py`; the figures are those of the command."""

from __future__ import annotations

from pathlib import Path

from tests.faults.floods import FLOODS, MEMORY_LIMIT, session


def test_an_editor_is_served_beside_four_clients_that_flood(tmp_path: Path, place: Path) -> None:
    figures = session(tmp_path, 3.0)
    assert figures.most < MEMORY_LIMIT, figures.summary()
    assert len(figures.beside) > 5
    assert max(figures.beside) < 5.0, figures.summary()
    assert set(figures.sent) == set(FLOODS)
