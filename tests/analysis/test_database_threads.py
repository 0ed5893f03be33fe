"""Threads and the query database: edits cancel what runs, readers see some revision whole, nobody waits for long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

import pytest

from analysis.database import Cancelled, Database, input, query

PARTS = 40
T = TypeVar("T")


@input
def part(db: Database, place: int) -> int:
    return 0


@input
def all_parts(db: Database) -> tuple[int, ...]:
    return (0,) * PARTS


@query
def at(db: Database, place: int) -> int:
    return all_parts(db)[place]


@query
def sum_one_by_one(db: Database) -> int:
    return sum(at(db, place) for place in range(PARTS))


@query
def both(db: Database) -> tuple[int, int]:
    return sum_one_by_one(db), sum(all_parts(db))


@query
def halves(db: Database) -> tuple[int, ...]:
    return tuple(at(db, place) // 2 for place in range(PARTS))


def patiently(question: Callable[[], T]) -> T:
    while True:
        try:
            return question()
        except Cancelled:
            continue


def test_every_answer_belongs_to_some_revision() -> None:
    db = Database(limits={"at": 10})
    stop = time.monotonic() + 1.5
    answers = 0
    wrong: list[object] = []

    def read() -> None:
        nonlocal answers
        while time.monotonic() < stop:
            values = patiently(lambda: both(db))
            if values[0] != values[1]:
                wrong.append(values)
            rounded = patiently(lambda: halves(db))
            if len(set(rounded)) != 1:  # every revision has the same number everywhere
                wrong.append(rounded)
            branch = patiently(db.branch)
            all_parts.set(branch, (3,) * PARTS)
            if patiently(partial(both, branch)) != (3 * PARTS, 3 * PARTS):
                wrong.append("branch")
            answers += 1

    def write() -> None:
        number = 0
        while time.monotonic() < stop:
            number += 1
            all_parts.set(db, (number,) * PARTS)
            time.sleep(0.0003)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(read), pool.submit(read), pool.submit(read), pool.submit(write)]:
            done.result()
    assert wrong == []
    assert answers > 0
    assert both(db)[0] == sum(all_parts(db))


def outcome(db: Database, asked: Callable[[Database], int]) -> int | str:
    try:
        return asked(db)
    except Cancelled:
        return "cancelled"


@pytest.mark.parametrize("way", ["call", "checkpoint"])
def test_an_edit_cancels_what_runs(way: str) -> None:
    started = threading.Event()

    @query
    def forever(db: Database) -> int:
        part(db, 0)
        started.set()
        while part(db, 0) == 0:
            if way == "call":
                at(db, 1)
            else:
                db.checkpoint()
        return part(db, 0)

    db = Database()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(outcome, db, forever)
        assert started.wait(60)
        part.set(db, 0, 7)
        assert running.result(60) == "cancelled"
    assert forever(db) == 7


def test_cancel_stops_what_runs_and_nothing_else() -> None:
    started = threading.Event()

    @query
    def forever(db: Database) -> int:
        started.set()
        while True:
            at(db, 1)

    db = Database()
    db.cancel()
    assert at(db, 0) == 0
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(outcome, db, forever)
        assert started.wait(60)
        db.cancel()
        assert running.result(60) == "cancelled"
    assert at(db, 0) == 0


def test_a_body_cannot_swallow_a_cancellation() -> None:
    started = threading.Event()

    @query
    def stubborn(db: Database) -> int:
        started.set()
        try:
            while part(db, 0) == 0:
                at(db, 1)
        except BaseException:
            return -1
        return 1

    db = Database()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(outcome, db, stubborn)
        assert started.wait(60)
        part.set(db, 0, 1)
        assert running.result(60) == "cancelled"
    assert stubborn(db) == 1


def test_what_changes_nothing_cancels_nothing() -> None:
    started, go_on = threading.Event(), threading.Event()

    @query
    def patient(db: Database) -> int:
        part(db, 0)
        started.set()
        assert go_on.wait(60)
        return at(db, 1) + part(db, 0)

    db = Database()
    part.set(db, 0, 1)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(outcome, db, patient)
        assert started.wait(60)
        part.set(db, 0, 1)  # the same value
        part.set(db, 5, 9)  # an input that nobody has read
        go_on.set()
        assert running.result(60) == 1


def test_a_verified_answer_does_not_wait_for_what_runs() -> None:
    started, go_on = threading.Event(), threading.Event()

    @query
    def patient(db: Database) -> int:
        started.set()
        assert go_on.wait(60)
        return part(db, 0)

    db = Database()
    assert at(db, 0) == 0
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(outcome, db, patient)
        assert started.wait(60)
        assert at(db, 0) == 0
        go_on.set()
        assert running.result(60) == 0
    with db.record_events() as events:
        all_parts.set(db, (1,) * PARTS)
        patient(db)
    assert ("execute", "patient", ()) not in events, "what another thread read meanwhile is no dependency"


def test_an_edit_of_a_branch_cancels_nothing_outside_of_it() -> None:
    started = threading.Event()

    @query
    def long(db: Database) -> int:
        part(db, 0)
        started.set()
        for _ in range(2000):
            at(db, 1)
            time.sleep(0.0001)
        return part(db, 0)

    db = Database()
    part(db, 0)
    branch = db.branch()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(outcome, db, long)
        assert started.wait(60)
        part.set(branch, 0, 1)
        assert running.result(60) == 0
    assert (part(branch, 0), part(db, 0)) == (1, 0)


def test_an_edit_gets_through_while_many_ask_again_and_again() -> None:
    db = Database()
    done = threading.Event()

    @query
    def slow(db: Database, place: int) -> int:
        for _ in range(200):
            at(db, place)
        return part(db, place)

    def keep_asking(place: int) -> None:
        while not done.is_set():
            try:
                slow(db, place)
            except Cancelled:
                continue

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(keep_asking, place) for place in range(4)]
        try:
            slow(db, 0)
            longest = 0.0
            for number in range(1, 20):
                start = time.monotonic()
                part.set(db, number % 4, number)
                longest = max(longest, time.monotonic() - start)
        finally:
            done.set()
        for asked in asking:
            asked.result(60)
    assert longest < 20, "a writer waits for one computation to notice, never for its turn among the readers"
    assert slow(db, 19 % 4) == 19


def test_an_edit_goes_before_a_question_that_waited_longer() -> None:
    started, go_on = threading.Event(), threading.Event()

    @query
    def patient(db: Database) -> int:
        started.set()
        assert go_on.wait(60)
        return part(db, 0)

    @query
    def doubled(db: Database) -> int:
        return 2 * part(db, 0)

    db = Database()
    part(db, 0)
    with ThreadPoolExecutor(3) as pool:
        running = pool.submit(outcome, db, patient)
        assert started.wait(60)
        asked = pool.submit(outcome, db, doubled)
        time.sleep(0.05)
        edited = pool.submit(part.set, db, 0, 21)
        while not db._gate._writers:
            time.sleep(0.001)
        go_on.set()
        edited.result(60)
        assert running.result(60) == "cancelled"
        assert asked.result(60) == 42


_in_the_middle: list[Callable[[], None]] = []


@query
def sum_with_a_break(db: Database) -> int:
    total = 0
    for place in range(PARTS):
        if place == PARTS // 2:
            for happens in _in_the_middle:
                happens()
        total += at(db, place)
    return total


def test_a_branch_gives_way_in_the_middle_and_goes_on_with_its_inputs() -> None:
    db = Database()
    all_parts.set(db, (1,) * PARTS)
    meanwhile: list[int] = []

    def give_way() -> None:
        all_parts.set(db, (len(meanwhile) + 2,) * PARTS)
        meanwhile.append(sum_one_by_one(db))

    branch = db.branch(give_way)
    _in_the_middle[:] = [db.cancel]
    try:
        assert sum_with_a_break(branch) == PARTS
    finally:
        _in_the_middle.clear()
    assert meanwhile == [2 * PARTS]
    assert (sum_one_by_one(branch), sum_one_by_one(db)) == (PARTS, 2 * PARTS)
    # Also between two questions, and in branches of the branch.
    inner = branch.branch()
    db.cancel()
    assert both(inner) == (PARTS, PARTS)
    assert meanwhile == [2 * PARTS, 3 * PARTS]


def test_what_is_raised_while_giving_way_ends_the_computation() -> None:
    db = Database()
    all_parts.set(db, (1,) * PARTS)

    def give_way() -> None:
        raise Cancelled

    branch = db.branch(give_way)
    db.cancel()
    with pytest.raises(Cancelled):
        sum_one_by_one(branch)
    assert (sum_one_by_one(branch), sum_one_by_one(db)) == (PARTS, PARTS)


def test_a_branch_is_made_while_another_thread_sets_inputs_for_the_first_time() -> None:
    def declared() -> Any:
        @input
        def another(db: Database, name: str) -> int:
            return 0

        return another

    inputs = [declared() for _ in range(2000)]
    failures: list[BaseException] = []

    def set_all(db: Database) -> None:
        try:
            for one in inputs:
                one.set(db, "a", 1)
        except BaseException as error:
            failures.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        # Without a lock, one round in three fails.
        for _ in range(12):
            db = Database()
            writer = threading.Thread(target=set_all, args=(db,))
            writer.start()
            while writer.is_alive():
                db.branch()
            writer.join()
            assert all(one(db, "a") == 1 for one in inputs)
    finally:
        sys.setswitchinterval(before)
    assert failures == []
