"""Yield points of long computations: code that asks no query for more than a few milliseconds calls `checkpoint()`.

It needs no argument, so that code far below a query, a parser or a printer, has one as cheaply as a query body: a thread knows
the database for which it computes, and its job outside of all queries. Without an interruption it returns at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from analysis.database.engine import Database

_Row = TypeVar("_Row")
_OFTEN: Final = 128
"""Rows between two checkpoints; a row takes some microseconds."""


class Computing(threading.local):
    """Present computation of the thread."""

    database: Database | None = None
    """The database for which it computes, None outside of all queries."""
    job: Callable[[], None] | None = None
    """The checkpoint of its job, for what it does outside of queries."""


computing: Final = Computing()


def checkpoint() -> None:
    """Stops the computation of this thread (raises `Cancelled`) or lets others go first, if it has to: `Database.checkpoint`.

    Must not be called with a lock held that those others could want.
    """
    database = computing.database
    if database is not None:
        database.checkpoint()
    elif computing.job is not None:
        computing.job()


def discard(value: object) -> None:
    """A large value that the caller drops now: it is freed piece by piece where many wait for this thread (`debris.py`)."""
    database = computing.database
    if database is not None:
        database.debris.add(value)


def paced(rows: Iterable[_Row], often: int = _OFTEN) -> Iterator[_Row]:
    """The rows of a list, with a checkpoint before the first of so many."""
    if isinstance(rows, (list, tuple)) and len(rows) <= often:
        if rows:
            checkpoint()
        return iter(rows)
    return _paced(rows, often)


def _paced(rows: Iterable[_Row], often: int) -> Iterator[_Row]:
    for number, row in enumerate(rows):
        if number % often == 0:
            checkpoint()
        yield row


@contextmanager
def job_checkpoint(check: Callable[[], None]) -> Iterator[None]:
    """While the block runs, `check` is what a checkpoint outside of all queries calls in this thread."""
    outer, computing.job = computing.job, check
    try:
        yield
    finally:
        computing.job = outer
