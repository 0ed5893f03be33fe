"""Caches of pure functions about names and types, which can be emptied: each entry keeps alive what it was computed from.

A program with ten thousand names leaves entries all over the memory, after it was closed, and no page with one of them can be
given back to the system. What is computed from nothing that clients send (tables, schemas) is kept with `functools` instead.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

_Answer = TypeVar("_Answer")
_CACHES: Final[list[_lru_cache_wrapper[Any]]] = []


def cached(most: int) -> Callable[[Callable[..., _Answer]], _lru_cache_wrapper[_Answer]]:
    """Keeps the answers to the `most` latest arguments of a function of the module until `empty_caches`."""

    def keep(function: Callable[..., _Answer]) -> _lru_cache_wrapper[_Answer]:
        cache = lru_cache(maxsize=most)(function)
        _CACHES.append(cache)
        return cache

    return keep


def empty_caches() -> None:
    """Forgets all answers: some ten milliseconds if there are many."""
    for cache in _CACHES:
        cache.cache_clear()
