"""The first fix that is offered for a diagnostic removes it and adds none: a sample; `tests.repair.first_fixes` tries all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.repair.first_fixes import LONGEST, STRICT, tried
from tests.support.checked import Checker
from tests.support.corpus import CONFORMANCE, tool

replay = tool(CONFORMANCE / "replay.py")


@pytest.mark.parametrize("area", ["diagnostics", "run"])
def test_the_first_fix_removes_and_adds_none(area: str, corpus: Callable[[str], Path]) -> None:
    checker = Checker()
    count = 0
    for program in sorted({text for _, _, made in replay.calls(corpus(area)) if isinstance(text := made.get("source"), str)}):
        if len(program) <= LONGEST:
            done = tried(checker, program, STRICT)
            count += done.number
            assert not done.faults, (program, done.faults)
    assert count > 20


def test_an_arm_for_a_payload_takes_all_that_are_left() -> None:
    program = "enum E { A(Int), B }\nfn main() -> Int { match E::A(4) { A(9) => 1, A(4) => 2, B => 3 } }\n"
    done = tried(Checker(), program, ("W201",))
    assert (done.number, done.faults) == (1, ())
