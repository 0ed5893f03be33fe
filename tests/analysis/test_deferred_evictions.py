"""The query database: evictions that wait for a turn of their own."""

from __future__ import annotations

from analysis.database import Database, query
from analysis.database.memo import CANCELLED
from tests.support.queries import count, words


@query
def counts_of(db: Database, names: tuple[str, ...]) -> list[int]:
    return [count(db, name) for name in names]


def test_deferred_evictions_cost_the_computation_nothing() -> None:
    queued: list[int] = []
    db = Database(limits={"count": 10})
    db.defer_sweeps(lambda: queued.append(1))
    counts_of(db, tuple(f"name{number}" for number in range(30)))
    statistics = db.statistics()["count"]
    assert (statistics.live, statistics.evicted, len(queued)) == (30, 0, 1)
    assert db.sweep()
    assert db.statistics()["count"].live <= 10
    count(db, "another")
    assert len(queued) == 1


def test_one_computation_does_not_grow_without_bounds_while_evictions_are_deferred() -> None:
    db = Database(limits={"count": 10})
    db.defer_sweeps(lambda: None)
    largest = 0
    for size in range(1, 100):
        counts_of(db, tuple(f"name{size} {number}" for number in range(size)))
        largest = max(largest, db.statistics()["count"].live)
    assert largest <= 10 * 4 + 9


def test_a_branch_evicts_what_it_gives_to_the_root_itself() -> None:
    db = Database(limits={"count": 10})
    db.defer_sweeps(lambda: None)
    branch = db.branch(lambda: None)
    counts_of(branch, tuple(f"name{number}" for number in range(100)))
    assert db.statistics()["count"].live <= 10 + 10 // 2 + 8


def test_a_deferred_eviction_stops_for_others_and_goes_on_later() -> None:
    db = Database(limits={"words": 10})
    db.defer_sweeps(lambda: None)
    for number in range(30):
        # Few are evicted at once, since what follows from a long text is large.
        words(db, f"{number} " + "x" * 30_000)

    def stop() -> None:
        db._now = CANCELLED

    db.debris.listen(stop)
    assert not db.sweep()
    assert 10 < db.statistics()["words"].live < 30
    db.debris.listen(None)
    assert db.sweep()
    assert db.statistics()["words"].live <= 10
