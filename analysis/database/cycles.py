"""Handling of a query that needs its own answer: an error for all queries on the cycle, the same wherever it was entered.

Each unfinished query waits for exactly one other, the one that it is calling.  Those that wait for each other in a ring are the
same wherever evaluation began, and none of them can catch the error inside of the ring.  A query that has to follow cyclic data
(the imports of a file, say) walks acyclic facts in a loop of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from analysis.database.errors import CycleError, Unwind
from analysis.database.memo import Memo

if TYPE_CHECKING:
    from analysis.database.engine import Database

Reads = dict[Memo, None]
Frame = tuple[Memo, Reads]
"""A running query and what it has read so far."""
Entry = Frame | list[Memo]
"""An entry of the engine's stack: a running query, or the path of memos being verified."""


def reentered(db: Database, memo: Memo) -> NoReturn:
    """`memo` is busy and was asked for: unwind to the place that raises the error, or that runs what is only being verified."""
    stack = db._stack
    start = len(stack) - 1
    while not _holds(stack[start], memo):
        start -= 1
    frames: list[Frame] = []
    for entry in stack[start:]:
        if isinstance(entry, list):
            # Memos that are being verified take part, too.  Run them, and the ring will consist of running queries.
            db._unwinding = Unwind(entry)
            raise db._unwinding
        frames.append(entry)
    # That the ring exists follows from what all participants had read.
    reads: Reads = {}
    for _, own in frames:
        reads.update(own)
    db._unwinding = Unwind(frames[0][0], CycleError(_from_first([one for one, _ in frames])), tuple(reads))
    raise db._unwinding


def _holds(entry: Entry, memo: Memo) -> bool:
    if isinstance(entry, list):
        return any(one is memo for one in entry)
    return entry[0] is memo


def _from_first(participants: list[Memo]) -> tuple[tuple[str, Any], ...]:
    pairs = [(memo.name(), memo.key) for memo in participants]
    first = min(range(len(pairs)), key=lambda place: (pairs[place][0], repr(pairs[place][1])))
    return tuple(pairs[first:] + pairs[:first])
