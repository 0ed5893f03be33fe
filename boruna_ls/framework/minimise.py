"""Delta debugging (Zeller's ddmin): the shortest part of a list that still fails, found by leaving out ever smaller pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def minimised(items: Sequence[T], fails: Callable[[Sequence[T]], bool], may_go_on: Callable[[], bool]) -> list[T]:
    """A part of `items`, in their order, that fails and from which no single item can be left out; the best so far if
    `may_go_on` says to stop. `items` themselves must fail."""
    kept = list(items)
    pieces = 2
    while len(kept) > 1:
        size = -(-len(kept) // pieces)
        for start in range(0, len(kept), size):
            if not may_go_on():
                return kept
            shorter = kept[:start] + kept[start + size :]
            if shorter and fails(shorter):
                kept, pieces = shorter, max(pieces - 1, 2)
                break
        else:
            if size == 1:
                break
            pieces = min(pieces * 2, len(kept))
    if len(kept) == 1 and may_go_on() and fails([]):
        return []
    return kept
