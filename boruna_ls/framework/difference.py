"""Differences between two values of an application, as paths with field names: `cart.items[2].count`.

Parts that both share are skipped, so the cost follows the change and not the size of a state.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.data_classes import dataclass
from analysis.syntax.escaping import quoted
from boruna_ls.framework.rendering import Renderer
from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.values import Value, equal, is_list, is_record

ABSENT: Final = object()
"""Stands for a part that one of the two values does not have."""
_LOOKED_AT: Final = 20_000
"""Pairs of parts that are compared; behind them the whole values count as different."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A part that differs; ABSENT where one side has none. The path of the whole value is empty."""

    path: str
    old: Value
    new: Value


def differences(old: Value, new: Value, renderer: Renderer, most: int) -> tuple[list[Difference], int]:
    """The first `most` differences in order of position, and how many there are."""
    listed: list[Difference] = []
    count = 0
    todo: list[tuple[str, Value, Value]] = [("", old, new)]
    budget = _LOOKED_AT
    while todo:
        path, before, after = todo.pop()
        budget -= 1
        if before is after:
            continue
        if budget < 0:
            return [Difference("", old, new)], 1
        parts = None if before is ABSENT or after is ABSENT else _parts(path, before, after, renderer)
        if parts is not None:
            todo.extend(reversed(list(parts)))
        elif before is ABSENT or after is ABSENT or not equal(before, after):
            count += 1
            if len(listed) < most:
                listed.append(Difference(path, before, after))
    return listed, count


def _parts(path: str, old: Value, new: Value, renderer: Renderer) -> Iterator[tuple[str, Value, Value]] | None:
    """The parts of two values of the same make; None if they are compared as they are."""
    if is_record(old) and is_record(new) and old[0] == new[0] and len(old) == len(new):
        dot = "." if path else ""
        names = renderer.names(old)
        return ((f"{path}{dot}{name}", a, b) for name, a, b in zip(names, old[1:], new[1:], strict=True))
    if is_list(old) and is_list(new):
        return _items(path, old, new)
    if type(old) is Map and type(new) is Map:
        return _entries(path, old, new)
    return None


def _items(path: str, old: Value, new: Value) -> Iterator[tuple[str, Value, Value]]:
    # Versions of one list share their items.
    first = min(old[2], new[2]) if old[1] is new[1] else 0
    for index in range(first, max(old[2], new[2])):
        before = old[1][index] if index < old[2] else ABSENT
        after = new[1][index] if index < new[2] else ABSENT
        if before is not after:
            yield f"{path}[{index}]", before, after


def _entries(path: str, old: Map, new: Map) -> Iterator[tuple[str, Value, Value]]:
    before = dict(old.sorted_items())
    after = dict(new.sorted_items())
    for key in sorted(before.keys() | after.keys()):
        yield f"{path}[{quoted(key)}]", before.get(key, ABSENT), after.get(key, ABSENT)
