"""A hundred random steps over the whole pipeline; `make test-properties` does ten thousand."""

from __future__ import annotations

from tests.properties.pipeline import machines

STEPS = 120


def test_whatever_happened_before_answers_are_those_of_a_fresh_database(seed: int) -> None:
    compared = sum(machine.compared for _, machine in machines(seed, STEPS, 50))
    assert compared > STEPS
