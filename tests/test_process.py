"""The settings of a process that serves clients."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from boruna_ls.process import _LONG, _MANY, _Collector


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.unfreeze()
    gc.enable()


def is_set_aside() -> bool:
    """Whether the collector, about to look at new objects, finds none."""
    before = gc.get_freeze_count()
    _Collector()._looked("start", {"generation": 0})
    return gc.get_freeze_count() > before


def test_the_collector_looks_at_few_new_objects() -> None:
    new: list[list[int]] = [[number] for number in range(1_000)]
    assert not is_set_aside()
    assert new


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset])
def test_the_collector_passes_over_what_is_very_long(kind: type) -> None:
    new = kind((number,) for number in range(_LONG + 1))
    assert is_set_aside()
    assert new


def test_the_collector_passes_over_very_many_objects() -> None:
    new = [[[number]] for number in range(_MANY)]
    del new[_LONG:]
    parts = [[[number] for number in range(100)] for _ in range(_MANY // 100)]
    assert is_set_aside()
    assert new
    assert parts
