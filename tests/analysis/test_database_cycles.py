"""The query database: queries that ask for themselves, and chains deeper than any stack."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator

import pytest

from analysis.database import CycleError, Database, query
from tests.support.queries import alone, count, ran, reachable, text, words

# -- cycles -----------------------------------------------------------------------------------------------------------


@query
def endless(db: Database, name: str) -> int:
    return 1 + sum(endless(db, other) for other in words(db, name))


def test_all_participants_of_a_cycle_answer_with_their_fallback_wherever_it_was_entered() -> None:
    for order in itertools.permutations(["main", "a", "b", "c"]):
        db = Database()
        for name, imports in {"main": "a", "a": "b", "b": "c", "c": "a"}.items():
            text.set(db, name, imports)
        answers = {name: reachable(db, name) for name in order}
        assert answers == {
            "main": {"main", "cycle:a"},
            "a": {"cycle:a"},
            "b": {"cycle:b"},
            "c": {"cycle:c"},
        }


def test_a_cycle_that_is_opened_and_closed_again() -> None:
    db = Database()
    text.set(db, "a", "b")
    text.set(db, "b", "a")
    assert reachable(db, "a") == {"cycle:a"}
    text.set(db, "b", "")
    assert reachable(db, "a") == {"a", "b"}
    assert reachable(db, "b") == {"b"}
    text.set(db, "b", "a")
    assert reachable(db, "b") == {"cycle:b"}
    assert reachable(db, "a") == {"cycle:a"}


def test_a_cycle_that_an_edit_closes_while_older_answers_are_verified() -> None:
    db = Database()
    text.set(db, "a", "b")
    text.set(db, "b", "c")
    text.set(db, "c", "")
    assert reachable(db, "a") == {"a", "b", "c"}
    text.set(db, "c", "b")
    assert reachable(db, "a") == {"a", "cycle:b"}
    assert reachable(db, "b") == {"cycle:b"}
    assert reachable(db, "c") == {"cycle:c"}


def test_a_cycle_that_runs_through_two_verifications() -> None:
    db = Database()
    for name, imports in {"a": "b", "b": "c", "c": "d", "d": ""}.items():
        text.set(db, name, imports)
    assert reachable(db, "a") == {"a", "b", "c", "d"}
    text.set(db, "b", "c x")
    text.set(db, "d", "a")
    assert {name: reachable(db, name) for name in "abcd"} == {name: {f"cycle:{name}"} for name in "abcd"}
    text.set(db, "d", "")
    assert reachable(db, "a") == {"a", "b", "c", "d", "x"}


def test_the_answer_of_a_cycle_is_remembered() -> None:
    db = Database()
    text.set(db, "a", "b")
    text.set(db, "b", "a")
    reachable(db, "a")
    with db.record_events() as events:
        text.set(db, "unrelated", "x")
        reachable(db, "a")
        reachable(db, "b")
    assert ran(events) == []


def test_the_answers_of_a_cycle_are_evicted_together() -> None:
    db = Database(limits={"reachable": 1})
    text.set(db, "a", "b")
    text.set(db, "b", "a")
    for name in "abcab":
        assert reachable(db, name) == {name if name == "c" else f"cycle:{name}"}


def test_what_follows_from_a_cycle_is_verified_again_when_its_fallback_was_evicted() -> None:
    @query
    def indirect(db: Database, name: str) -> frozenset[str]:
        return direct(db, name) | {"indirect"}

    @query(limit=0, cycle=alone)
    def direct(db: Database, name: str) -> frozenset[str]:
        return indirect(db, name) | frozenset(words(db, name))

    for in_branch in (False, True):
        db = Database()
        for _ in range(3):
            assert indirect(db, "a") == {"cycle:a", "indirect"}
            db = db.branch() if in_branch else db
            assert direct(db, "a") == {"cycle:a"}


def test_a_fallback_learns_who_takes_part() -> None:
    def named(db: Database, name: str) -> str:
        return " -> ".join(str(key) for _, key in db.cycle)

    @query(cycle=named)
    def following(db: Database, name: str) -> str:
        return following(db, text(db, name)) if text(db, name) else ""

    db = Database()
    for name, other in {"a": "b", "b": "c", "c": "a"}.items():
        text.set(db, name, other)
    assert following(db, "c") == "c -> a -> b"
    assert following(db, "a") == "a -> b -> c"
    assert db.cycle == ()


def test_a_cycle_without_a_fallback_is_an_error_that_names_the_participants() -> None:
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
    assert messages == {"query cycle without a fallback: endless('a') -> endless('b') -> endless('c') -> endless('a')"}


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


def test_a_cycle_fallback_must_not_ask() -> None:
    def curious(db: Database, name: str) -> int:
        return asking(db, name)

    @query(cycle=curious)
    def asking(db: Database, name: str) -> int:
        return asking(db, name)

    with pytest.raises(RuntimeError, match="cycle fallback of a query asked"):
        asking(Database(), "a")


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
