"""Result of `view` as a tree of nodes, for clients that draw it (spec chapter 13 section 11). Bounded: a view can have any
size."""

from __future__ import annotations

from typing import Final

from analysis.data_classes import dataclass, field
from boruna_ls.framework.records import Reader
from boruna_ls.runtime.values import Value, is_list, is_record, items_of

MOST_NODES: Final = 10_000
MOST_DEPTH: Final = 100
TOO_MUCH: Final = "left-out"
"""The tag of a node that stands for all that is not drawn."""


@dataclass(slots=True)
class Node:
    """A node; properties have the names of the record's fields where it has some."""

    tag: str
    properties: dict[str, Value] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)


def node_tree(value: Value, reader: Reader, most: int = MOST_NODES) -> Node:
    """The tree of a view: at most so many nodes, the rest stands as one node `left-out` where it would begin."""
    return _Builder(reader, most).node(value, 0)


class _Builder:
    def __init__(self, reader: Reader, most: int) -> None:
        self._reader = reader
        self._left = most

    def node(self, value: Value, depth: int) -> Node:
        self._left -= 1
        if is_record(value):
            return self._record(value)
        if not is_list(value):
            tag = "text" if type(value) in (str, int, bool) else "raw"
            return Node(tag, {"value": value})
        branch = Node("list")
        for item in items_of(value) if depth < MOST_DEPTH else (None,):
            if self._left <= 0 or depth >= MOST_DEPTH:
                branch.children.append(Node(TOO_MUCH))
                break
            branch.children.append(self.node(item, depth + 1))
        return branch

    def _record(self, value: Value) -> Node:
        names = self._reader.field_names(value)
        tag, rest = ("div", 0) if len(value) < 2 or type(value[1]) is not str else (value[1], 1)
        fields = value[1 + rest :]
        return Node(
            tag, {names[rest + at] if rest + at < len(names) else f"field_{rest + at}": part for at, part in enumerate(fields)}
        )
