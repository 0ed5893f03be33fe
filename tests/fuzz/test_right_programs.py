"""Programs that are right get no warning, and what inference is certain of them holds (`right_programs` makes them)."""

from __future__ import annotations

from random import Random

from tests.fuzz.right_programs import examine, program
from tests.support.checked import Checker


def test_right_programs_are_judged_right(seed: int) -> None:
    checker = Checker()
    for number in range(60):
        text = program(Random(f"{seed}/{number}"))
        assert examine(text, checker) == "", text
