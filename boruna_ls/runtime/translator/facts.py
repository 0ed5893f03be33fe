"""Static facts about a value: its kinds, the range of an Int, the heads of records and enums, the items of a list.

A `Fact` describes a set of values; facts form a lattice with `NOTHING` at the bottom and `ANYTHING` at the top.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.values import INT_MAX, INT_MIN, LIST_HEAD, NONE_HEAD, ActorId, AnonymousType, FnRef, Value

UNIT, BOOL, INT, FLOAT, TEXT, LIST, NONE, ENUM, RECORD, MAP, FUNCTION, ACTOR = (1 << bit for bit in range(12))
ALL: Final = (1 << 12) - 1
MAX_HEADS: Final = 12
MAX_DEPTH: Final = 3
"""Levels of lists in lists whose items are told apart."""


class Fact(NamedTuple):
    """`low` and `high` belong to INT, `heads` (None: any) to ENUM and RECORD, `items` (None: anything) to LIST."""

    kinds: int
    low: int = 0
    high: int = 0
    heads: frozenset[int] | None = frozenset()
    items: Fact | None = None


NOTHING: Final = Fact(0)
ANYTHING: Final = Fact(ALL, INT_MIN, INT_MAX, None, None)
SIZE: Final = Fact(INT, 0, 1 << 40)
NUMBER: Final = Fact(INT, INT_MIN, INT_MAX)
_PLAIN: Final = {type(None): UNIT, bool: BOOL, float: FLOAT, str: TEXT, Map: MAP, FnRef: FUNCTION, ActorId: ACTOR}


def only(kind: int) -> Fact:
    """Any value of one of the kinds without details."""
    return Fact(kind)


def integer(low: int, high: int) -> Fact:
    """An Int of a range, as far as it fits 64 bits."""
    return Fact(INT, max(low, INT_MIN), min(high, INT_MAX)) if low <= INT_MAX and high >= INT_MIN else NOTHING


def headed(kind: int, *heads: int) -> Fact:
    """A record or an enum with one of these heads."""
    return Fact(kind, heads=frozenset(heads))


def list_of(items: Fact | None) -> Fact:
    """A list of such items; lists that are nested too deep hold anything."""
    if items is not None and (items == ANYTHING or _depth(items) >= MAX_DEPTH):
        items = None
    return Fact(LIST, items=items)


def items_of(fact: Fact) -> Fact:
    """Fact about the items of a list."""
    return ANYTHING if fact.items is None else fact.items


def _depth(fact: Fact) -> int:
    depth = 0
    inner: Fact | None = fact
    while inner is not None and inner.kinds & LIST:
        depth += 1
        inner = inner.items
    return depth


def join(left: Fact, right: Fact) -> Fact:
    """Fact about a value that is one or the other."""
    if left is right or not right.kinds:
        return left
    if not left.kinds:
        return right
    kinds = left.kinds | right.kinds
    low, high = left.low, left.high
    if right.kinds & INT:
        if left.kinds & INT:
            low, high = min(low, right.low), max(high, right.high)
        else:
            low, high = right.low, right.high
    heads = None if left.heads is None or right.heads is None else left.heads | right.heads
    if heads is not None and len(heads) > MAX_HEADS:
        heads = None
    items = None
    if kinds & LIST:
        if not right.kinds & LIST:
            items = left.items
        elif not left.kinds & LIST:
            items = right.items
        elif left.items is not None and right.items is not None:
            items = join(left.items, right.items)
    return Fact(kinds, low, high, heads, items)


def joined(facts: Iterable[Fact]) -> Fact:
    """Fact about a value that is one of many."""
    result = NOTHING
    for fact in facts:
        result = join(result, fact)
    return result


def widened(old: Fact, new: Fact, stops: Sequence[int]) -> Fact:
    """`new`, with ranges that grew extended to the next of `stops`, so that growth terminates."""
    items = new.items
    if old.items is not None and items is not None and new.kinds & old.kinds & LIST:
        items = widened(old.items, items, stops)
    if not (old.kinds & INT and new.kinds & INT):
        return new._replace(items=items) if items is not new.items else new
    low, high = new.low, new.high
    if low < old.low:
        low = stops[bisect_right(stops, low) - 1]
    if high > old.high:
        high = stops[bisect_left(stops, high)]
    return new._replace(low=low, high=high, items=items)


def stops_of(numbers: Iterable[int]) -> list[int]:
    """Thresholds for widening: the program's own numbers, their neighbours, and the limits."""
    near = {number + change for number in numbers for change in (-1, 0, 1)}
    return sorted({stop for stop in near if INT_MIN < stop < INT_MAX} | {INT_MIN, -1, 0, 1, INT_MAX})


def of_value(value: Value) -> Fact:
    """Fact about a constant, without the content of its records and enums."""
    kind = type(value)
    if kind is int:
        return Fact(INT, value, value)
    if kind is not tuple:
        return Fact(_PLAIN[kind])
    head = value[0]
    if head == LIST_HEAD:
        items = value[1][: value[2]]
        return list_of(None if any(type(item) is tuple for item in items) else joined(map(of_value, items)))
    if head == NONE_HEAD:
        return Fact(NONE)
    if type(head) is AnonymousType:
        return Fact(RECORD, heads=None)
    return headed(RECORD if head >= 0 else ENUM, head)
