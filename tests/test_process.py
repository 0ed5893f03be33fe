"""The settings of a process that serves clients."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Iterator

import pytest

from analysis.database import paced
from boruna_ls import process
from boruna_ls.process import _MANY, _Collector, give_back


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.unfreeze()
    gc.collect()
    # As at the end of the collection of tests (`conftest.py`).
    gc.freeze()
    gc.enable()


def is_set_aside(collector: _Collector | None = None) -> bool:
    """True if the collector, about to look at new objects, finds none."""
    before = gc.get_freeze_count()
    (collector or _Collector())._looked("start", {"generation": 0})
    return gc.get_freeze_count() > before


def test_the_collector_looks_at_few_new_objects() -> None:
    new: list[list[int]] = [[number] for number in range(1_000)]
    assert not is_set_aside()
    assert new


def test_the_collector_passes_over_very_many_objects() -> None:
    new = [[number] for number in range(_MANY + 1)]
    assert is_set_aside()
    assert new


def test_the_collector_passes_over_a_container_that_a_long_loop_has_filled() -> None:
    """It would look at each of its objects, and all threads would wait meanwhile."""
    rows = [[number] for number in range(100_000)]
    gc.freeze()
    collector = _Collector()
    is_set_aside(collector)
    filled = [row for row in paced(rows)]  # noqa: C416  as rules do
    assert is_set_aside(collector)
    short = [row for row in paced(rows[:1_000])]  # noqa: C416
    assert not is_set_aside(collector)
    assert len(filled) > len(short)


class _Cyclic:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.own = self


def test_cycles_among_old_objects_are_freed_when_nobody_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of objects in a test process depends on its other tests."""
    monkeypatch.setattr(process, "_FEW", 1 << 40)
    freed = weakref.ref(_Cyclic())
    gc.freeze()
    gc.collect()
    assert freed() is not None
    give_back()
    assert freed() is None


def test_the_collector_holds_no_object_of_another_thread() -> None:
    """A tuple that is being made may have one reference only: `tuple` of a generator fails otherwise."""
    problems: list[SystemError] = []

    def make() -> None:
        try:
            for _ in range(20_000):
                tuple(number for number in range(40))
        except SystemError as error:
            problems.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        thread = threading.Thread(target=make)
        thread.start()
        while thread.is_alive():
            _Collector()._looked("start", {"generation": 0})
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert problems == []
