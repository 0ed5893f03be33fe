"""Large answers are freed piece by piece, and nothing is that somebody still uses."""

from __future__ import annotations

import weakref
from typing import Any

from analysis.database import Database, Debris, discard, query, retain
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.text.source import Source
from boruna_ls.workspace import Host, Priority
from boruna_ls.workspace.snapshot import ask

FILE = FileId("", "inline", "long.ax")
LONG = "fn f() -> Int { 1" + " + 1" * 6_000 + " }\n"


class Part:
    """Something whose end can be watched."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts


@query(limit=2)
def parts(db: Database, text: str) -> tuple[Part, ...]:
    return (Part(text), Part(text))


@query(limit=100)
def reader(db: Database, text: str) -> int:
    discard([Part(number) for number in range(10_000)])
    return len(text)


def cleared(debris: Debris) -> int:
    """Number of steps that clearing takes."""
    steps = 1
    while debris.clear():
        steps += 1
    return steps


def listened() -> tuple[Debris, list[str]]:
    debris, calls = Debris(), list[str]()
    debris.listen(lambda: calls.append("to do"))
    return debris, calls


def test_a_large_value_is_freed_in_many_steps_and_all_of_it() -> None:
    debris, calls = listened()
    deep = last = Part()
    for _ in range(5_000):
        deep = Part(deep)
    wide = [Part(number) for number in range(10_000)]
    table = {number: Part(number) for number in range(10_000)}
    watched = [weakref.ref(last), weakref.ref(wide[0]), weakref.ref(wide[-1]), weakref.ref(table[0])]
    for value in (deep, wide, table):
        debris.add(value)
    del deep, last, wide, table, value
    assert calls == ["to do"]
    assert all(part() is not None for part in watched)
    assert cleared(debris) > 50
    assert [part() for part in watched] == [None] * 4
    assert not debris


class Rows(list[Part]):
    """A list of a class of its own, as rules make them."""


def test_a_long_list_of_any_class_is_freed_in_steps() -> None:
    debris, _ = listened()
    debris.add(Rows(Part(number) for number in range(10_000)))
    debris.clear()
    # The list is still among what is left, shorter than it was.
    assert cleared(debris) > 20


def test_what_somebody_uses_stays_as_it_is() -> None:
    debris, _ = listened()
    used = [Part(number) for number in range(2_000)]
    inner = {number: Part(number) for number in range(2_000)}
    debris.add((used, [inner, Part(used)]))
    cleared(debris)
    assert [part.parts for part in used] == [(number,) for number in range(2_000)]
    assert list(inner) == list(range(2_000))
    part = Part(used)
    debris.add(part)
    cleared(debris)
    assert part.parts == (used,)


def test_without_a_listener_nothing_is_kept() -> None:
    debris = Debris()
    part = Part()
    watched = weakref.ref(part)
    debris.add(part)
    assert not debris
    del part
    assert watched() is None


def test_evicted_answers_about_long_texts_are_freed_in_pieces() -> None:
    db = Database()
    db.debris.listen(lambda: None)
    watched = weakref.ref(parts(db, "a" * 20_000)[0])
    for number in range(10):
        parts(db, str(number))
    assert db.statistics()["parts"].evicted
    assert watched() is not None
    cleared(db.debris)
    assert watched() is None
    assert parts(db, "a" * 20_000)[0].parts == ("a" * 20_000,)


def test_evicted_answers_about_short_texts_are_freed_at_once() -> None:
    db = Database()
    db.debris.listen(lambda: None)
    watched = weakref.ref(parts(db, "a")[0])
    for number in range(10):
        parts(db, str(number))
    assert watched() is None
    assert not db.debris


def test_what_a_query_drops_is_freed_outside_of_it() -> None:
    db = Database()
    db.debris.listen(lambda: None)
    assert reader(db, "abc") == 3
    assert cleared(db.debris) > 10


def test_an_evicted_answer_is_computed_again_and_equal() -> None:
    db = Database()
    db.debris.listen(lambda: None)
    source.set(db, FILE, Source.from_text(LONG))
    first = check_file(db, FILE)
    source.set(db, FILE, Source.from_text("fn f() -> Int { 1 }"))
    check_file(db, FILE)
    for _ in retain(db, 0):
        pass
    assert db.statistics()["chunk_tree"].evicted
    assert db.debris
    cleared(db.debris)
    source.set(db, FILE, Source.from_text(LONG))
    assert check_file(db, FILE) == first


def test_a_host_that_serves_frees_what_a_stopped_job_leaves() -> None:
    host = Host()
    host.free_in_pieces()
    watched: list[weakref.ref[Part]] = []

    def job(_: Host) -> None:
        large = [Part(number) for number in range(10_000)]
        watched.append(weakref.ref(large[0]))
        host.worker.interrupt(future)
        large[0].parts = (_,)
        host.worker.give_way()

    try:
        future = ask(host, job, Priority.REQUEST)
        assert future.exception(60) is not None
        # The worker's turn comes behind the pieces.
        for _ in range(1000):
            ask(host, lambda _: None, Priority.BACKGROUND).result(60)
            if not host.db.debris and watched[0]() is None:
                break
        assert watched[0]() is None
    finally:
        host.worker.stop()


def test_what_a_run_over_all_answers_has_listed_is_freed_piece_by_piece() -> None:
    db = Database()
    source.set(db, FILE, Source.from_text("".join(f"fn f{n}() -> Int {{ 1 }}\n" for n in range(5_000))))
    check_file(db, FILE)
    source.remove(db, FILE)
    db.debris.listen(lambda: None)
    for _ in retain(db, 0):
        pass
    # Half of it are the lists of the evicted answers' keys.
    assert cleared(db.debris) > 250
