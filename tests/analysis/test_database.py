"""The query database, one property of the engine at a time; most tests assert exactly which queries ran."""

from __future__ import annotations

import gc
import weakref
from typing import Any, cast

import pytest

from analysis.database import Cancelled, Database, Durability, input, query
from tests.support.queries import count, happened, imported, lenient, library, linked, ran, shouted, strict, text, total, words

# -- inputs, revisions, early cut-off ---------------------------------------------------------------------------------


def test_an_input_has_its_default_until_it_is_set_and_after_it_is_removed() -> None:
    db = Database()
    assert library(db, "std") == "empty std"
    library.set(db, "std", "fn f() {}")
    assert imported(db, "std") == "FN F() {}"
    library.remove(db, "std")
    assert library(db, "std") == "empty std"
    assert imported(db, "std") == "EMPTY STD"


def test_a_second_question_runs_nothing() -> None:
    db = Database()
    text.set(db, "a", "x y")
    with db.record_events() as events:
        assert total(db, "a", "b") == 2
        asked = len(events)
        assert total(db, "a", "b") == 2
    assert ran(events) == [
        ("words", "a"),
        ("count", "a"),
        ("words", "b"),
        ("count", "b"),
        ("total", ("a", "b")),
    ]
    assert events[asked:] == [("reuse", "total", ("a", "b"))]


def test_an_edit_runs_only_what_depends_on_it() -> None:
    db = Database()
    text.set(db, "a", "x y")
    text.set(db, "b", "z")
    total(db, "a", "b")
    with db.record_events() as events:
        text.set(db, "b", "z z z")
        assert total(db, "a", "b") == 5
    assert ran(events) == [("words", "b"), ("count", "b"), ("total", ("a", "b"))]
    assert happened(events, "verify") == [("words", "a"), ("count", "a")]


def test_an_equal_answer_stops_the_change() -> None:
    db = Database()
    text.set(db, "a", "x y")
    total(db, "a", "b")
    with db.record_events() as events:
        text.set(db, "a", " x   y ")
        assert total(db, "a", "b") == 2
    assert ran(events) == [("words", "a")]
    assert happened(events, "cut_off") == [("words", "a")]


def test_a_cut_off_keeps_the_very_object() -> None:
    db = Database()
    text.set(db, "a", "x y")
    before = words(db, "a")
    text.set(db, "a", "x  y")
    assert words(db, "a") is before


def test_answers_of_another_type_are_other_answers() -> None:
    @input
    def number(db: Database, name: str) -> object:
        return 0

    @query
    def shown(db: Database, name: str) -> str:
        return repr(number(db, name))

    db = Database()
    number.set(db, "a", 1)
    assert shown(db, "a") == "1"
    number.set(db, "a", True)
    assert shown(db, "a") == "True"
    number.set(db, "a", 1.0)
    assert shown(db, "a") == "1.0"


def test_an_equal_value_is_no_new_revision() -> None:
    db = Database()
    text.set(db, "a", "x")
    count(db, "a")
    revision = db.revision
    text.set(db, "a", "".join(["", "x"]))
    assert db.revision == revision
    text.set(db, "a", "y")
    assert db.revision == revision + 1


def test_an_input_that_nobody_has_read_makes_nothing_outdated() -> None:
    db = Database()
    count(db, "a")
    revision = db.revision
    text.set(db, "unread", "x")
    assert db.revision == revision
    assert count(db, "unread") == 1


def test_setting_an_input_that_was_read_as_a_default() -> None:
    db = Database()
    assert count(db, "a") == 0
    text.set(db, "a", "x")
    assert count(db, "a") == 1


def test_removing_what_is_not_set_changes_nothing() -> None:
    db = Database()
    count(db, "a")
    revision = db.revision
    text.remove(db, "a")
    text.remove(db, "never seen")
    assert db.revision == revision


def test_a_removed_value_is_not_kept_alive_by_what_depended_on_it() -> None:
    class Big:
        pass

    @input
    def big(db: Database, name: str) -> Big | None:
        return None

    @query
    def present(db: Database, name: str) -> bool:
        return big(db, name) is not None

    db = Database()
    value = Big()
    seen = weakref.ref(value)
    big.set(db, "a", value)
    assert present(db, "a")
    big.remove(db, "a")
    del value
    gc.collect()
    assert seen() is None
    assert not present(db, "a")


def test_dependencies_follow_the_last_run() -> None:
    @query
    def chosen(db: Database) -> int:
        return count(db, text(db, "which"))

    db = Database()
    text.set(db, "which", "a")
    text.set(db, "a", "x")
    text.set(db, "b", "x y")
    assert chosen(db) == 1
    text.set(db, "which", "b")
    assert chosen(db) == 2
    with db.record_events() as events:
        text.set(db, "a", "x x x x")
        assert chosen(db) == 2
        assert ran(events) == []
        text.set(db, "b", "x x x x")
        assert chosen(db) == 4


def test_a_dependency_that_is_no_longer_needed_does_not_run() -> None:
    @query
    def divided(db: Database) -> int:
        return 10 // count(db, "divisor")

    @query
    def guarded(db: Database) -> int:
        return divided(db) if count(db, "divisor") else -1

    db = Database()
    text.set(db, "divisor", "x x")
    assert guarded(db) == 5
    with db.record_events() as events:
        text.set(db, "divisor", "")
        assert guarded(db) == -1
    assert ("divided", ()) not in ran(events)


def test_declarations_are_checked() -> None:
    with pytest.raises(TypeError, match="without defaults"):

        @query
        def bad(db: Database, name: str = "") -> str:
            return name

    for unfit in (lambda db, /, a: a, lambda db, *a: a, lambda db, *, a: a, lambda db, **a: a):
        with pytest.raises(TypeError, match="plain positional"):
            query(cast(Any, unfit))
    with pytest.raises(TypeError, match="first parameter"):
        query(cast(Any, lambda: 0))
    with pytest.raises(TypeError, match="plain function"):
        query(cast(Any, len))
    with pytest.raises(ValueError, match="cannot be constant"):
        input(durability=Durability.CONSTANT)
    with pytest.raises(ValueError, match="cannot be constant"):
        text.set(Database(), "a", "", durability=Durability.CONSTANT)


def test_a_query_is_known_by_its_function() -> None:
    assert (count.name, text.name) == ("count", "text")
    assert words.body.__name__ == "words"


def test_a_query_must_not_set_an_input() -> None:
    @query
    def meddling(db: Database) -> int:
        text.set(db, "a", "other")
        return 1

    db = Database()
    text.set(db, "a", "x")
    count(db, "a")
    with pytest.raises(RuntimeError, match="must not set"):
        meddling(db)
    assert count(db, "a") == 1


# -- durability, constants --------------------------------------------------------------------------------------------


def test_a_keystroke_does_not_walk_durable_dependencies() -> None:
    db = Database()
    library.set(db, "std", "fn")
    text.set(db, "a", "x")
    assert linked(db, "a") == "FNx"
    before = db.statistics()["library"].reused
    with db.record_events() as events:
        text.set(db, "a", "y")
        assert linked(db, "a") == "FNy"
    assert ran(events) == [("linked", "a")]
    assert happened(events, "verify") == [("imported", "std")]
    assert db.statistics()["library"].reused == before


def test_a_walk_looks_at_nothing_below_a_durable_dependency() -> None:
    @query
    def mixed(db: Database) -> int:
        return count(db, "a") + len(imported(db, "std"))

    db = Database()
    text.set(db, "a", "x")
    library.set(db, "std", "fn")
    assert mixed(db) == 3
    with db.record_events() as events:
        text.set(db, "a", " x")
        assert mixed(db) == 3
    assert ran(events) == [("words", "a")]
    assert happened(events, "verify") == [("count", "a"), ("imported", "std"), ("mixed", ())]


def test_the_durability_of_an_answer_is_its_least_durable_dependency() -> None:
    db = Database()
    library.set(db, "std", "fn")
    library.set(db, "other", "fn", durability=Durability.LOW)
    assert (imported(db, "std"), imported(db, "other")) == ("FN", "FN")
    library.set(db, "other", "enum", durability=Durability.LOW)
    assert (imported(db, "std"), imported(db, "other")) == ("FN", "ENUM")


def test_an_input_that_becomes_less_durable_takes_its_dependents_along() -> None:
    @query
    def twice(db: Database, name: str) -> str:
        return imported(db, name) * 2

    db = Database()
    library.set(db, "std", "fn")
    assert twice(db, "std") == "FNFN"
    library.set(db, "std", "fn", durability=Durability.LOW)
    assert twice(db, "std") == "FNFN"
    twice(db, "other")
    with db.record_events() as events:
        library.set(db, "std", "enum", durability=Durability.LOW)
        assert twice(db, "std") == "ENUMENUM"
        twice(db, "other")
    assert happened(events, "verify") == [("twice", "other")], "it is durable: nothing below it is looked at"


def test_an_answer_that_turns_to_less_durable_inputs_takes_its_dependents_along() -> None:
    @query
    def found(db: Database) -> str:
        return library(db, "std") or text(db, "fallback")

    @query
    def shown(db: Database) -> str:
        return f"<{found(db)}>"

    db = Database()
    library.set(db, "std", "same")
    text.set(db, "fallback", "same")
    assert shown(db) == "<same>"
    library.set(db, "std", "")
    assert shown(db) == "<same>"
    text.set(db, "fallback", "other")
    assert shown(db) == "<other>"


def test_constants_are_never_verified_and_never_dependencies() -> None:
    db = Database()
    text.set(db, "a", "x y")
    assert shouted(db, "a") == ("X", "Y")
    with db.record_events() as events:
        text.set(db, "a", "x z")
        library.set(db, "std", "other")
        assert shouted(db, "a") == ("X", "Z")
    assert ran(events) == [("words", "a"), ("shout", "z"), ("shouted", "a")]
    assert happened(events, "verify") == []
    assert db.statistics()["shout"].verified == 0


# -- exceptions -------------------------------------------------------------------------------------------------------


def test_an_exception_is_not_an_answer() -> None:
    db = Database()
    with db.record_events() as events:
        for _ in range(2):
            with pytest.raises(ValueError, match="a is empty"):
                strict(db, "a")
    assert ran(events) == [("words", "a")]
    assert db.statistics()["strict"].live == 0
    text.set(db, "a", "x")
    assert strict(db, "a") == 1


def test_who_handles_an_exception_depends_on_what_led_to_it() -> None:
    db = Database()
    assert lenient(db, "a") == -1
    with db.record_events() as events:
        text.set(db, "b", "x")
        text.set(db, "a", " ")
        assert lenient(db, "a") == -1
    assert ran(events) == [("words", "a")]
    text.set(db, "a", "x")
    assert lenient(db, "a") == 1
    text.set(db, "a", "")
    assert lenient(db, "a") == -1


def test_an_older_answer_survives_a_failure() -> None:
    db = Database()
    text.set(db, "a", "x y")
    assert total_of_strict(db) == 2
    text.set(db, "a", "")
    with pytest.raises(ValueError, match="a is empty"):
        total_of_strict(db)
    with db.record_events() as events:
        text.set(db, "a", "y x")
        assert total_of_strict(db) == 2
    assert ("strict", "a") in happened(events, "cut_off")
    assert ("total_of_strict", ()) not in ran(events)


def test_a_failure_deep_below_runs_each_body_a_bounded_number_of_times() -> None:
    runs: list[int] = []

    @query
    def step(db: Database, number: int) -> int:
        runs.append(number)
        return step(db, number - 1) if number else len(text(db, "a").split()) // count(db, "a")

    db = Database()
    text.set(db, "a", "x")
    assert step(db, 60) == 1
    text.set(db, "a", "")
    runs.clear()
    with pytest.raises(ZeroDivisionError):
        step(db, 60)
    assert max(runs.count(number) for number in range(61)) <= 2


@query
def total_of_strict(db: Database) -> int:
    return strict(db, "a")


# -- observing --------------------------------------------------------------------------------------------------------


def test_statistics_count_what_happened() -> None:
    db = Database()
    text.set(db, "a", "x")
    for _ in range(3):
        count(db, "a")
    text.set(db, "a", "y")
    count(db, "a")
    text.set(db, "b", "unread")
    counted = db.statistics()
    assert (counted["count"].executed, counted["count"].reused, counted["count"].cut_off) == (2, 2, 1)
    assert (counted["words"].executed, counted["words"].live) == (2, 1)
    assert counted["text"].live == 2


def test_events_are_recorded_only_inside_the_block() -> None:
    db = Database()
    with db.record_events() as outer:
        count(db, "a")
        with db.record_events() as inner:
            count(db, "b")
        recorded = len(outer)
    count(db, "c")
    assert len(outer) == recorded
    assert ran(inner) == [("words", "b"), ("count", "b")]
    assert ran(outer) == [("words", "a"), ("count", "a")]


def test_cancelled_is_not_an_ordinary_exception() -> None:
    assert not issubclass(Cancelled, Exception)
