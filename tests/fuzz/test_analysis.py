"""Noise, token soup, damaged programs and random edits: nothing raises, nothing takes long, and what must hold, holds."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from tests.fuzz import cases
from tests.fuzz.invariants import examine, examine_edit, examine_repairs
from tests.fuzz.running import SLOWEST, fuzz
from tests.support.marked import opened


@pytest.mark.parametrize("make", [cases.noise, cases.soup, cases.damaged], ids=lambda make: make.__name__)
def test_any_text(make: Callable[[Random], str], seed: int) -> None:
    fuzz(seed, f"text-{make.__name__}", make, examine)


def test_repairs(seed: int) -> None:
    fuzz(seed, "repairs", cases.any_text, examine_repairs, slowest=3 * SLOWEST)


def test_edits(seed: int) -> None:
    fuzz(seed, "edits", cases.any_text, _edit_several_times)


def _edit_several_times(text: str, chosen: Random) -> None:
    db = opened(text)
    for start, end, new in cases.edits(text, chosen, 4):
        examine_edit(db, start, end, new)
