"""The query database: what is evicted, what is pure, what a branch sees."""

from __future__ import annotations

import gc
import itertools
import weakref

import pytest

from analysis.database import Database, ImpureQuery, Subject, query, retain
from tests.support.queries import count, happened, lenient, ran, shout, shouted, text, total, words

# -- eviction ---------------------------------------------------------------------------------------------------------


def test_the_least_recently_used_answers_are_evicted() -> None:
    db = Database(limits={"count": 2})
    for name in ("a", "b", "a", "c"):
        count(db, name)
    statistics = db.statistics()["count"]
    assert (statistics.live, statistics.evicted) == (2, 1)
    with db.record_events() as events:
        count(db, "a")
        count(db, "c")
        assert ran(events) == []
        count(db, "b")
    assert ran(events) == [("count", "b")]
    assert happened(events, "evict") == [("count", "a")]


def test_verifying_a_dependency_is_a_use_of_it() -> None:
    db = Database(limits={"words": 2})
    text.set(db, "a", "x")
    text(db, "unrelated")
    count(db, "a")
    for other in "bcd":
        text.set(db, "unrelated", other)
        count(db, "a")
        words(db, other)
    text.set(db, "a", "x ")
    with db.record_events() as events:
        count(db, "a")
    assert ran(events) == [("words", "a")]


def test_an_evicted_dependency_does_not_make_its_dependents_run() -> None:
    db = Database(limits={"words": 0})
    text.set(db, "a", "x y")
    text.set(db, "b", "x")
    assert count(db, "a") == 2
    assert db.statistics()["words"].live == 0
    with db.record_events() as events:
        text.set(db, "b", "y")
        count(db, "b")
        assert count(db, "a") == 2
    assert ("count", "a") not in ran(events)
    text.set(db, "a", "x y z")
    assert count(db, "a") == 3


def test_one_computation_alone_does_not_grow_without_bounds() -> None:
    @query(limit=10)
    def small(db: Database, number: int) -> int:
        return number

    @query
    def sums(db: Database) -> int:
        most = 0
        for number in range(500):
            small(db, number)
            most = max(most, db.statistics()["small"].live)
        return most

    assert sums(Database()) <= 10 + 10 // 2 + 8 + 1


def test_evicted_keys_and_values_are_freed() -> None:
    class Key:
        pass

    @query(limit=3)
    def about(db: Database, key: Key) -> list[Key]:
        text(db, "a")
        return [key]

    db = Database()
    keys = [Key() for _ in range(20)]
    seen = [weakref.ref(key) for key in keys]
    for key in keys:
        about(db, key)
    del keys, key
    gc.collect()
    assert sum(ref() is not None for ref in seen) <= 3


def test_defaults_that_were_read_are_bounded_and_values_that_were_set_stay() -> None:
    db = Database(limits={"text": 5})
    for number in range(5):
        text.set(db, f"set{number}", "x")
    for number in range(50):
        assert count(db, f"unset{number}") == 0
        assert count(db, f"set{number % 5}") == 1
    assert db.statistics()["text"].live <= 10
    for number in range(50):
        text.set(db, f"unset{number}", "x y")
    assert [count(db, f"unset{number}") for number in range(50)] == [2] * 50


def test_a_limit_can_be_changed() -> None:
    db = Database()
    for number in range(40):
        shout(db, str(number))
    db.set_limit(shout, 8)
    shout(db, "one more")
    assert db.statistics()["shout"].live <= 8


def test_ten_thousand_chunks_stay_resident() -> None:
    db = Database()
    for number in range(10_000):
        words(db, str(number))
    assert db.statistics()["words"].evicted == 0


# -- purity -----------------------------------------------------------------------------------------------------------


def test_an_untracked_read_is_found() -> None:
    settings = {"factor": 2}

    @query
    def scaled(db: Database, name: str) -> int:
        return count(db, name) * settings["factor"]

    @query
    def above(db: Database, name: str) -> int:
        return scaled(db, name) + 1

    db = Database(check_purity=True)
    text.set(db, "a", "x")
    assert above(db, "a") == 3
    settings["factor"] = 3
    with pytest.raises(ImpureQuery, match=r"query (scaled|above)\('a'\) is impure") as caught:
        above(db, "a")
    assert caught.value.name in {"scaled", "above"}


def test_an_untracked_read_of_a_constant_is_found() -> None:
    calls = itertools.count()

    @query
    def counted(db: Database, name: str) -> int:
        return next(calls)

    with pytest.raises(ImpureQuery, match="counted"):
        counted(Database(check_purity=True), "a")


def test_an_answer_modified_by_a_caller_is_found() -> None:
    @query
    def listed(db: Database, name: str) -> list[str]:
        return list(words(db, name))

    db = Database(check_purity=True)
    text.set(db, "a", "x")
    listed(db, "a").append("mine")
    with pytest.raises(ImpureQuery, match="listed"):
        listed(db, "a")


def test_pure_queries_pass_the_purity_check() -> None:
    db = Database(check_purity=True)
    text.set(db, "a", "b c")
    text.set(db, "b", "a")
    for _ in range(2):
        assert total(db, "a", "b") == 3
        assert shouted(db, "a") == ("B", "C")
        assert lenient(db, "none") == -1
        text.set(db, "unrelated", "x")


# -- branches ---------------------------------------------------------------------------------------------------------


def test_a_branch_sees_its_own_edits_and_nobody_else_does() -> None:
    db = Database()
    text.set(db, "a", "x")
    text.set(db, "b", "x y")
    assert total(db, "a", "b") == 3
    branch = db.branch()
    text.set(branch, "a", "x x x")
    text.remove(branch, "b")
    assert total(branch, "a", "b") == 3
    assert (count(branch, "a"), count(branch, "b")) == (3, 0)
    with db.record_events() as events:
        assert (count(db, "a"), count(db, "b"), total(db, "a", "b")) == (1, 2, 3)
    assert ran(events) == []


def test_a_branch_keeps_the_inputs_it_began_with() -> None:
    db = Database()
    text.set(db, "a", "x")
    text.set(db, "b", "x")
    count(db, "a")
    branch = db.branch()
    text.set(db, "a", "x y z")
    text.remove(db, "b")
    text.set(db, "new", "x")
    assert (count(db, "a"), count(db, "b"), count(db, "new")) == (3, 0, 1)
    assert (count(branch, "a"), count(branch, "b"), count(branch, "new")) == (1, 1, 0)


def test_a_branch_runs_only_what_its_edits_concern() -> None:
    db = Database()
    text.set(db, "a", "x")
    text.set(db, "b", "x y")
    total(db, "a", "b")
    shouted(db, "b")
    branch = db.branch()
    with branch.record_events() as events:
        text.set(branch, "a", "x x")
        assert total(branch, "a", "b") == 4
        assert shouted(branch, "b") == ("X", "Y")
    assert ran(events) == [("words", "a"), ("count", "a"), ("total", ("a", "b"))]


def test_constants_are_shared_with_branches_both_ways() -> None:
    db = Database()
    shout(db, "old")
    branch = db.branch().branch()
    with branch.record_events() as events:
        assert shout(branch, "old") == "OLD"
        assert shout(branch, "new") == "NEW"
    assert ran(events) == [("shout", "new")]
    with db.record_events() as events:
        assert shout(db, "new") == "NEW"
    assert ran(events) == []


def test_an_answer_the_parent_found_later_is_not_taken_over() -> None:
    db = Database()
    text.set(db, "a", "x")
    branch = db.branch()
    text.set(db, "b", "x y")
    assert total(db, "a", "b") == 3
    assert total(branch, "a", "b") == 1
    other = db.branch()
    text.set(other, "unseen", "x x")
    assert count(db, "unseen") == 0
    assert count(other, "unseen") == 2


def test_a_first_value_is_no_change_while_a_branch_lives() -> None:
    db = Database()
    text.set(db, "a", "x")
    assert count(db, "a") == 1
    branch = db.branch()
    revision = db.revision
    text.set(db, "inline", "x y")
    assert db.revision == revision
    with db.record_events() as events:
        assert (count(db, "a"), count(db, "inline")) == (1, 2)
    assert ran(events) == [("count", "inline"), ("words", "inline")] or ran(events) == [("words", "inline"), ("count", "inline")]
    assert count(branch, "inline") == 0, "what was set later is not the branch's"


def test_a_first_value_in_a_branch_is_no_change() -> None:
    db = Database()
    text.set(db, "a", "x")
    branch = db.branch()
    assert (count(db, "later"), count(branch, "a")) == (0, 1)
    revision = branch.revision
    text.set(branch, "later", "x y")
    assert branch.revision == revision
    assert (count(branch, "later"), count(db, "later")) == (2, 0)
    inner = branch.branch()
    text.set(branch, "latest", "x")
    assert (count(branch, "latest"), count(inner, "latest"), count(inner, "later")) == (1, 0, 2)


def test_what_a_branch_of_a_branch_asks_fills_no_table_between() -> None:
    db = Database(limits={"words": 1000})
    for number in range(300):
        text.set(db, f"n{number}", "x")
        words(db, f"n{number}")
    middle = db.branch()
    middle.set_limit(words, 10)
    leaf = middle.branch()
    with leaf.record_events() as events:
        for number in range(300):
            assert words(leaf, f"n{number}") == ("x",)
    assert ran(events) == []
    assert middle.statistics()["words"].live <= 10


def test_branches_of_branches() -> None:
    db = Database()
    text.set(db, "a", "x")
    total(db, "a", "b")
    middle = db.branch()
    text.set(middle, "b", "x")
    leaf = middle.branch()
    text.set(leaf, "a", "")
    text.set(middle, "b", "x y z")
    assert (total(db, "a", "b"), total(middle, "a", "b"), total(leaf, "a", "b")) == (1, 4, 1)


def test_a_query_that_uses_a_branch_runs_again_when_anything_changes() -> None:
    @query
    def longest_after_edit(db: Database, name: str) -> int:
        branch = db.branch()
        text.set(branch, name, text(branch, name) + " more")
        return count(branch, name)

    db = Database()
    text.set(db, "a", "x")
    assert longest_after_edit(db, "a") == 2
    text.set(db, "a", "x y")
    assert longest_after_edit(db, "a") == 3
    assert count(db, "a") == 2


def test_a_dropped_branch_is_freed() -> None:
    db = Database()
    text.set(db, "a", "x")
    branch = db.branch()
    text.set(branch, "a", "y")
    count(branch, "a")
    seen = weakref.ref(branch)
    del branch
    gc.collect()
    assert seen() is None


# -- retention --------------------------------------------------------------------------------------------------------

WORD = Subject("word", text, lambda name, value: value.split())


@query(subject=WORD)
def about_word(db: Database, word: str) -> str:
    return word.upper()


@query(subject=WORD)
def repeated(db: Database, word: str, number: int) -> str:
    return word * number


def test_answers_about_what_is_gone_are_evicted() -> None:
    db = Database()
    for number in range(50):
        text.set(db, "a", f"w{number}")
        about_word(db, f"w{number}")
        shout(db, f"w{number}")
    for _ in retain(db, recent=5):
        pass
    statistics = db.statistics()["about_word"]
    assert (statistics.live, statistics.evicted) == (6, 44)
    assert db.statistics()["shout"].live == 50, "it declares no subject"
    with db.record_events() as events:
        for number in (49, 48, 44):
            about_word(db, f"w{number}")
        assert ran(events) == []
        about_word(db, "w43")
    assert ran(events) == [("about_word", "w43")]


def test_of_answers_about_the_same_some_variants_stay() -> None:
    db = Database()
    text.set(db, "a", "x y")
    for number in range(30):
        repeated(db, "x", number)
        repeated(db, "y", number % 3)
    repeated(db, "x", 4)
    for _ in retain(db, recent=0, variants=5):
        pass
    statistics = db.statistics()["repeated"]
    assert (statistics.live, statistics.evicted) == (8, 25)
    with db.record_events() as events:
        for number in (26, 27, 28, 29, 4):
            repeated(db, "x", number)
        for number in range(3):
            repeated(db, "y", number)
        assert ran(events) == []
        repeated(db, "x", 25)
    assert ran(events) == [("repeated", ("x", 25))]


def test_what_an_answer_is_about_must_be_among_the_arguments() -> None:
    with pytest.raises(TypeError, match="more subjects than arguments"):

        @query(subject=(WORD, WORD))
        def single(db: Database, word: str) -> str:
            return word


def test_an_answer_that_a_crowded_branch_takes_over_is_not_the_first_to_go() -> None:
    names = [f"name{number}" for number in range(60)]

    @query
    def counts(db: Database) -> list[int]:
        return [count(db, name) for name in names]

    db = Database()
    for name in names:
        count(db, name)
    branch = db.branch()
    branch.set_limit(count, 10)
    words(branch, "an earlier computation")
    assert counts(branch) == [0] * 60
    assert branch.statistics()["count"].live < 30
