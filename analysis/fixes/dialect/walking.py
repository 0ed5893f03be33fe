"""Walks over the tree of a program in any dialect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from analysis.fixes.dialect.nodes import Binding, Node, Pattern


def children(node: Node) -> Iterator[Node]:
    """The nodes right below a node."""
    for each in fields(node):
        yield from _nodes(getattr(node, each.name))


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
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(list(children(one))))


def bound_names(pattern: Pattern) -> list[str]:
    """The names that a pattern binds, in order."""
    return [node.name for node in walk(pattern) if isinstance(node, Binding)]
