"""The query database: queries that ask for themselves, and chains deeper than any stack."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator

import pytest

from analysis.database import CycleError, Database, query
from tests.support.queries import count, ran, text, words

# -- cycles -----------------------------------------------------------------------------------------------------------


@query
def endless(db: Database, name: str) -> int:
    return 1 + sum(endless(db, other) for other in words(db, name))


def refused(db: Database, name: str) -> bool:
    """True if a name is on a cycle, or leads to one."""
    try:
        endless(db, name)
    except CycleError:
        return True
    return False


def test_a_cycle_is_an_error_for_all_who_lead_to_it_wherever_it_was_entered() -> None:
    for order in itertools.permutations(["main", "a", "b", "c"]):
        db = Database()
        for name, imports in {"main": "a", "a": "b", "b": "c", "c": "a"}.items():
            text.set(db, name, imports)
        assert all(refused(db, name) for name in order)


def test_a_cycle_that_is_opened_and_closed_again() -> None:
    db = Database()
    text.set(db, "a", "b")
    text.set(db, "b", "a")
    assert refused(db, "a")
    text.set(db, "b", "")
    assert (endless(db, "a"), endless(db, "b")) == (2, 1)
    text.set(db, "b", "a")
    assert refused(db, "b")
    assert refused(db, "a")


def test_a_cycle_that_an_edit_closes_while_older_answers_are_verified() -> None:
    db = Database()
    text.set(db, "a", "b")
    text.set(db, "b", "c")
    text.set(db, "c", "")
    assert endless(db, "a") == 3
    text.set(db, "c", "b")
    with pytest.raises(CycleError) as caught:
        endless(db, "a")
    assert caught.value.participants == (("endless", "b"), ("endless", "c"))
    text.set(db, "c", "")
    assert endless(db, "a") == 3


def test_a_cycle_that_runs_through_two_verifications() -> None:
    db = Database()
    for name, imports in {"a": "b", "b": "c", "c": "d", "d": ""}.items():
        text.set(db, name, imports)
    assert endless(db, "a") == 4
    text.set(db, "b", "c x")
    text.set(db, "d", "a")
    assert all(refused(db, name) for name in "abcd")
    assert endless(db, "x") == 1
    text.set(db, "d", "")
    assert endless(db, "a") == 5


def test_the_error_names_the_participants() -> None:
    messages = set()
    for entry in ("a", "b", "c"):
        db = Database()
        for name, other in {"a": "b", "b": "c", "c": "a"}.items():
            text.set(db, name, other)
        with pytest.raises(CycleError) as caught:
            endless(db, entry)
        assert caught.value.participants == (("endless", "a"), ("endless", "b"), ("endless", "c"))
        messages.add(str(caught.value))
        text.set(db, "c", "")
        assert endless(db, "a") == 3
    assert messages == {"query cycle: endless('a') -> endless('b') -> endless('c') -> endless('a')"}


def test_a_body_cannot_swallow_a_cycle() -> None:
    @query
    def stubborn(db: Database, name: str) -> int:
        try:
            return stubborn(db, text(db, name))
        except BaseException:
            return -1

    db = Database()
    text.set(db, "a", "b")
    text.set(db, "b", "a")
    for entry in ("a", "b"):
        with pytest.raises(CycleError):
            stubborn(db, entry)


def test_a_body_that_swallowed_a_cycle_cannot_go_on_asking() -> None:
    asked_on: list[str] = []

    @query
    def stubborn(db: Database, name: str) -> int:
        try:
            return stubborn(db, text(db, name))
        except BaseException:
            asked_on.append(name)
            return count(db, "new to it")

    db = Database()
    text.set(db, "a", "b")
    text.set(db, "b", "a")
    with pytest.raises(CycleError):
        stubborn(db, "a")
    assert asked_on == ["b", "a"]
    assert "count" not in db.statistics()
    assert count(db, "a") == 1


# -- deep chains ------------------------------------------------------------------------------------------------------


@query
def chain(db: Database, number: int) -> int:
    return chain(db, number - 1) + 1 if number else len(text(db, "start"))


@pytest.fixture
def shallow() -> Iterator[None]:
    """A limit of recursion that a chain exceeds before the oldest of its answers are evicted."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.usefixtures("shallow")
def test_a_deep_chain_is_verified_without_recursion() -> None:
    depth = sys.getrecursionlimit() * 5
    db = Database()
    for number in range(depth):
        chain(db, number)
    text.set(db, "start", "x")
    assert chain(db, depth - 1) == depth
    text.set(db, "start", "y")
    with db.record_events() as events:
        assert chain(db, depth - 1) == depth
    assert ran(events) == [("chain", 0)]


def test_a_chain_too_deep_to_run_is_an_exception_and_harms_nothing() -> None:
    depth = sys.getrecursionlimit()
    db = Database()
    with pytest.raises(RecursionError):
        chain(db, depth)
    for number in range(depth):
        chain(db, number)
    assert chain(db, depth) == depth
