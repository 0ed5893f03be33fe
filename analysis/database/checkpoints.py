"""Yield points of long computations: code that asks no query for more than a few milliseconds calls `checkpoint()`.

It needs no argument, so that code far below a query, a parser or a printer, has one as cheaply as a query body: a thread knows
the database for which it computes, and its job outside of all queries. Without an interruption it returns at once.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from analysis.database.engine import Database

_Row = TypeVar("_Row")
_OFTEN: Final = 128
"""Rows between two checkpoints; a row takes some microseconds."""
_LISTS: Final = (list, tuple)
_NOTHING: Final[Iterator[Any]] = iter(())
"""At its end, and so for all who ask."""
_RUN: Final = 4_000
"""Rows that are sorted in one go: a millisecond or two."""


class Computing(threading.local):
    """Present computation of the thread."""

    database: Database | None = None
    """The database for which it computes, None outside of all queries."""
    job: Callable[[], None] | None = None
    """The checkpoint of its job, for what it does outside of queries."""


computing: Final = Computing()
_passed = 0
"""Checkpoints that all threads have passed."""
_ahead = 0
"""Rows of short lists before the next checkpoint; what threads lose of each other's counts does not matter."""


def checkpoint() -> None:
    """Stops the computation of this thread (raises `Cancelled`) or lets others go first, if it has to: `Database.checkpoint`.

    Must not be called with a lock held that those others could want.
    """
    global _passed
    _passed += 1
    database = computing.database
    if database is not None:
        database.checkpoint()
    elif computing.job is not None:
        computing.job()


def checkpoints_passed() -> int:
    """Number of checkpoints that this process has come to: by it is seen that a loop over very many rows is under way."""
    return _passed


def discard(value: object) -> None:
    """A large value that the caller drops now: it is freed piece by piece where many wait for this thread (`debris.py`)."""
    database = computing.database
    if database is not None:
        database.debris.add(value)


def set_aside() -> None:
    """Keeps the garbage collector from a container of very many objects that was just made.

    It looks through a new container in one go, and all threads stop meanwhile: 20 ms for 250,000 objects. Where many wait for
    this thread, it does not look at what is new now before the process is idle.
    """
    database = computing.database
    if database is not None and database.debris.is_used:
        gc.freeze()


def paced(rows: Iterable[_Row], often: int = _OFTEN) -> Iterator[_Row]:
    """The rows of a list, with a checkpoint before the first of so many: of many short lists, before one of so many rows."""
    global _ahead
    # Most lists that rules look through are empty, and most others short.
    if not rows:
        return _NOTHING
    if isinstance(rows, _LISTS) and len(rows) <= often:
        _ahead -= _OFTEN if often < _OFTEN else len(rows)
        if _ahead <= 0:
            _ahead = _OFTEN
            checkpoint()
        return iter(rows)
    return _paced(rows, often)


def _paced(rows: Iterable[_Row], often: int) -> Iterator[_Row]:
    for number, row in enumerate(rows):
        if number % often == 0:
            checkpoint()
        yield row


def paced_sorted(rows: Iterable[_Row], key: Callable[[_Row], Any] | None = None) -> list[_Row]:
    """The rows in order, as of `sorted`, with checkpoints: twenty thousand texts in one go take ten milliseconds."""
    unsorted: list[Any] = list(rows)
    by: Any = key
    if len(unsorted) <= _RUN:
        return sorted(unsorted, key=by)
    # Few sorts are long: a process that checks one file does not wait for it.
    from heapq import merge

    runs = []
    for start in range(0, len(unsorted), _RUN):
        checkpoint()
        runs.append(sorted(unsorted[start : start + _RUN], key=by))
    set_aside()
    return list(_paced(merge(*runs, key=by), _OFTEN))


@contextmanager
def job_checkpoint(check: Callable[[], None]) -> Iterator[None]:
    """While the block runs, `check` is what a checkpoint outside of all queries calls in this thread."""
    outer, computing.job = computing.job, check
    try:
        yield
    finally:
        computing.job = outer
