"""What happens when a query needs its own answer.

Each unfinished query waits for exactly one other: the one that it is calling.  Which one that is follows from the
answers it has had so far, so the queries that wait for each other in a ring are the same wherever evaluation began.
Every participant of the ring that declares a fallback answers with it and is done; the others run on with those
answers.  If no participant has a fallback, the ring is an error for all of them.  No iteration, no condition on the
bodies, and the answer cannot depend on where the cycle was entered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from analysis.database import computing
from analysis.database.errors import CycleError, CycleUnwind, Restart
from analysis.database.memo import Memo

if TYPE_CHECKING:
    from analysis.database.engine import Database

Reads = dict[Memo, None]
Frame = tuple[Memo, Reads]
"""A running query and what it has read so far."""
Entry = Frame | list[Memo]
"""An entry of the engine's stack: a running query, or the path of memos being verified."""


def reentered(db: Database, memo: Memo) -> NoReturn:
    """`memo` is busy and was asked for: resolve the cycle by unwinding to the place that can go on."""
    stack = db._stack
    if db._falling_back:
        raise RuntimeError(f"the cycle fallback of a query asked the database for {memo.name()}({memo.key!r})")
    start = len(stack) - 1
    while not _holds(stack[start], memo):
        start -= 1
    frames: list[Frame] = []
    for entry in stack[start:]:
        if isinstance(entry, list):
            # Memos that are being verified take part, too.  Run them, and the ring will consist of running queries.
            db._unwinding = Restart(entry)
            raise db._unwinding
        frames.append(entry)
    db._unwinding = _resolve(db, frames)
    raise db._unwinding


def _holds(entry: Entry, memo: Memo) -> bool:
    if isinstance(entry, list):
        return any(one is memo for one in entry)
    return entry[0] is memo


def _resolve(db: Database, frames: list[Frame]) -> CycleUnwind:
    participants = [memo for memo, _ in frames]
    able = tuple(memo for memo in participants if _declared(memo).cycle is not None)
    if not able:
        dependencies = _dependencies(frames, 0)
        return CycleUnwind(participants[0], CycleError(_from_first(participants)), dependencies)
    outer, db._falling_back = db._falling_back, True
    try:
        for place, memo in enumerate(participants):
            if memo not in able:
                continue
            declaration = _declared(memo)
            assert declaration.cycle is not None
            db._cycle = tuple((one.name(), one.key) for one in participants[place:] + participants[:place])
            answer = declaration.call(declaration.cycle, db, memo.key)
            db._event("cycle", memo)
            computing.settle(db, memo, answer, _dependencies(frames, place), ring=able)
    finally:
        db._falling_back = outer
        db._cycle = ()
    return CycleUnwind(able[0], None, ())


def _dependencies(frames: list[Frame], place: int) -> tuple[Memo, ...]:
    """That the ring exists follows from what all participants had read; a participant's own reads come first."""
    union: Reads = {}
    for _, reads in frames[place:] + frames[:place]:
        union.update(reads)
    return tuple(union)


def _declared(memo: Memo) -> Any:
    return memo.declaration


def _from_first(participants: list[Memo]) -> tuple[tuple[str, Any], ...]:
    pairs = [(memo.name(), memo.key) for memo in participants]
    first = min(range(len(pairs)), key=lambda place: (pairs[place][0], repr(pairs[place][1])))
    return tuple(pairs[first:] + pairs[:first])
