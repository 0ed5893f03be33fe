"""Right programs in the forms of other languages come to the same after a repair (`same_meaning` makes them)."""

from __future__ import annotations

from random import Random

import pytest

from tests.fuzz.languages import LANGUAGES
from tests.fuzz.same_meaning import examine, made, rewritten


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_repair_is_verified_and_different(language: str) -> None:
    # The same programs each time: the command looks at others.
    for number in range(3):
        lie = examine(made(Random(f"{language}/{number}")), language, f"{language}/{number}")
        assert lie is None, lie


@pytest.mark.parametrize("language", LANGUAGES)
def test_programs_are_written_anew(language: str) -> None:
    used: set[str] = set()
    for number in range(10):
        anew = rewritten(made(Random(f"{language}/{number}")), language, Random(f"{language}/{number}"))
        assert anew is not None
        used |= anew[1]
    assert {"push", "declaration"} <= used
    assert len(used) > 10
