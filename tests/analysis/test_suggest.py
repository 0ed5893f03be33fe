"""Edit distances, fast and slow, and the names that they suggest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.semantics.spelling import Distances, closest, did_you_mean, distance
from tests.support.checked import Checker

NAMES = st.text("abcxy_", max_size=12)


@given(NAMES, NAMES)
def test_the_fast_distance_is_the_slow_one(left: str, right: str) -> None:
    assert Distances(left).to(right, 100) == distance(left, right)


@given(NAMES, NAMES, st.integers(0, 4))
def test_a_limit_is_passed_only_by_greater_distances(left: str, right: str, limit: int) -> None:
    exact = distance(left, right)
    bounded = Distances(left).to(right, limit)
    assert bounded == exact if exact <= limit else bounded > limit


@given(NAMES, st.lists(NAMES, max_size=8))
def test_the_closest_is_the_first_of_the_nearest(name: str, candidates: list[str]) -> None:
    limit = max(1, len(name) // 3)
    near = [(distance(name, other), place) for place, other in enumerate(candidates) if other != name]
    best = min((pair for pair in near if pair[0] <= limit), default=None)
    if best is not None:
        assert closest(name, candidates) == candidates[best[1]]


@pytest.mark.parametrize(
    ("left", "right", "edits"),
    [("total", "total", 0), ("totl", "total", 1), ("toatl", "total", 1), ("ab", "", 2), ("kitten", "sitting", 3)],
)
def test_distances(left: str, right: str, edits: int) -> None:
    assert distance(left, right) == edits
    assert Distances(left).to(right, 10) == edits


def test_a_swap_counts_two_where_the_reference_says_so() -> None:
    assert distance("toatl", "total", swaps=False) == 2
    assert did_you_mean("toatl", ["total"]) == ""
    assert did_you_mean("totl", ["total"]) == "\n  did you mean: 'total'?"
    assert did_you_mean("ct", ["cat", "cut"]) == ""


def test_another_spelling_of_the_same_letters() -> None:
    assert closest("isReady", ["is_ready"]) == "is_ready"
    assert closest("int", ["Int"]) == "Int"
    assert closest("something", ["else"]) is None


def test_messages_name_only_what_the_reference_has() -> None:
    (told,) = Checker().check("fn main() -> Float { randm() }\n")
    assert (told.message, told.help) == ("undefined variable: randm", "did you mean 'random'?")
