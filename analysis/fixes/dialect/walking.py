"""Walks over the tree of a program in any dialect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Final

from analysis.database import checkpoint
from analysis.fixes.dialect.nodes import Binding, Node, Pattern

_OFTEN: Final = 200
"""Nodes between two checkpoints of a walk."""
_names: dict[type[Node], tuple[str, ...]] = {}


def children(node: Node) -> Iterator[Node]:
    """The nodes right below a node."""
    kind = type(node)
    names = _names.get(kind)
    if names is None:
        names = _names[kind] = tuple(each.name for each in fields(kind))
    for name in names:
        yield from _nodes(getattr(node, name))


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _nodes(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _nodes(part)


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, parents first."""
    waiting, count = [node], 0
    while waiting:
        one = waiting.pop()
        count += 1
        if count % _OFTEN == 0:
            checkpoint()
        yield one
        waiting.extend(reversed(list(children(one))))


def bound_names(pattern: Pattern) -> list[str]:
    """The names that a pattern binds, in order."""
    return [node.name for node in walk(pattern) if isinstance(node, Binding)]
