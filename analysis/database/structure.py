"""Comparing answers by what they are built of.

Nodes of syntax trees compare by identity, to prevent accidental comparisons. An answer that holds some inherits from
`ComparedByStructure`, so that the database (and its purity check) can tell whether two runs of a query gave the same answer.
"""

from __future__ import annotations

from typing import Any, Final

_BY_IDENTITY: Final[Any] = object.__eq__


class ComparedByStructure:
    """Equal to an object of the same class whose attributes are built alike; not hashable unless a subclass says how."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and same_structure(_parts(self), _parts(other)))

    __hash__ = None  # type: ignore[assignment]


def same_structure(left: Any, right: Any) -> bool:
    """True if two values have the same structure and equal parts; the order of dictionaries counts.

    Objects without an `__eq__` of their own are compared by their attributes. Written as a loop: trees can be thousands of nodes
    deep, and parts can refer back to what holds them.
    """
    waiting: list[tuple[Any, Any]] = [(left, right)]
    visited: set[tuple[int, int]] = set()
    while waiting:
        one, other = waiting.pop()
        if one is other:
            continue
        kind: Any = type(one)
        if kind is not type(other):
            return False
        if kind in (tuple, list):
            parts, others = one, other
        elif issubclass(kind, dict):
            parts, others = list(one.items()), list(other.items())
        elif kind.__eq__ is _BY_IDENTITY or issubclass(kind, ComparedByStructure):
            parts, others = _parts(one), _parts(other)
        elif isinstance(one, tuple):
            parts, others = tuple(one), tuple(other)
        elif one == other:
            continue
        else:
            return False
        if len(parts) != len(others):
            return False
        pair = (id(one), id(other))
        if pair not in visited:
            visited.add(pair)
            waiting += zip(parts, others, strict=True)
    return True


def _parts(value: Any) -> list[Any]:
    """The attributes of an object, in the order in which its class and the classes above declare them."""
    names = [name for kind in reversed(type(value).__mro__) for name in vars(kind).get("__slots__", ())]
    return [getattr(value, name) for name in names if name != "__weakref__"] + list(getattr(value, "__dict__", {}).items())
