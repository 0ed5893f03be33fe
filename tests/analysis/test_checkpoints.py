"""Checkpoints: where computing gives way, and that nobody is kept out by what has given way."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest

import analysis
from analysis.database import Cancelled, Database, checkpoint, job_checkpoint, paced, paced_sorted, query, set_aside
from analysis.database.lazily import lazily


class Sheet:
    def __init__(self, entered: threading.Event, go: threading.Event) -> None:
        self._entered, self._go = entered, go

    @lazily
    def value(self) -> int:
        self._entered.set()
        assert self._go.wait(10)
        return 7


def test_who_waits_inside_an_attribute_keeps_nobody_out_of_another_ones() -> None:
    entered, go, free = threading.Event(), threading.Event(), threading.Event()
    free.set()
    waiting = Sheet(entered, go)
    thread = threading.Thread(target=lambda: waiting.value)
    thread.start()
    assert entered.wait(10)
    found: list[int] = []
    other = threading.Thread(target=lambda: found.append(Sheet(threading.Event(), free).value))
    other.start()
    other.join(10)
    go.set()
    thread.join(10)
    assert found == [7]
    assert waiting.value == 7


def test_no_attribute_is_computed_under_a_lock() -> None:
    """Before Python 3.12 `functools.cached_property` holds one for all objects of a class."""
    root = Path(analysis.__file__).parent
    assert [path.name for path in root.rglob("*.py") if "import cached_property" in path.read_text("utf-8")] == []


@query
def long(db: Database, rows: int) -> int:
    return sum(1 for _ in paced(range(rows), 10))


def test_a_checkpoint_in_a_query_lets_others_go_first() -> None:
    root = Database()
    passed: list[int] = []

    def give_way() -> None:
        passed.append(1)
        root.make_way()

    branch = root.branch(give_way)
    root.make_way()
    assert long(branch, 100) == 100
    assert len(passed) == 11


def test_a_checkpoint_outside_of_queries_is_the_jobs() -> None:
    def stop() -> None:
        raise Cancelled

    checkpoint()
    with job_checkpoint(stop), pytest.raises(Cancelled):
        checkpoint()
    checkpoint()


def test_many_rows_are_sorted_with_checkpoints() -> None:
    rows = [f"{number * 7919 % 30_011}" for number in range(30_000)]
    looks: list[None] = []
    with job_checkpoint(lambda: looks.append(None)):
        assert paced_sorted(rows) == sorted(rows)
        assert paced_sorted(range(30_000), lambda index: rows[index]) == sorted(range(30_000), key=lambda index: rows[index])
    assert len(looks) > 100
    assert paced_sorted(rows[:10]) == sorted(rows[:10])


@query
def kept_from_the_collector(db: Database, length: int) -> int:
    """How many objects the making of a list has kept from the collector."""
    gc.disable()
    try:
        before = gc.get_freeze_count()
        made = [[number] for number in range(length)]
        set_aside()
        assert len(made) == length
        return gc.get_freeze_count() - before
    finally:
        gc.enable()


def test_a_long_container_is_kept_from_the_collector_where_many_wait() -> None:
    quiet, busy = Database(), Database()
    busy.debris.listen(lambda: None)
    try:
        assert kept_from_the_collector(quiet, 5_000) == 0
        assert kept_from_the_collector(busy, 5_000) >= 5_000
    finally:
        gc.unfreeze()
