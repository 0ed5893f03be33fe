"""Keys, values or entries: the part of a map that a loop with one name iterates over, by language."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_IN: Final = re.compile(r"\bin\s{1,9}$")
_PARTS: Final = ("Key", "Value", "key", "value", "first", "second", "getKey", "getValue")
_AS: Final = re.compile(r"\s{0,9}\bas\b")


def part_of_map(loop: n.For | n.Comprehension, name: str, habit: str, text: str) -> str:
    """`keys`, `values`, `entries`, or "" where nothing says it."""
    source = loop.source
    if isinstance(loop, n.For) and _AS.match(text, source.end):
        return "values"
    is_in = _IN.search(text, max(0, source.start - 12), source.start) is not None
    body: list[n.Node] = [loop.body] if isinstance(loop, n.For) else [loop.value, *([loop.condition] if loop.condition else [])]
    if any(_takes_part(node, name) for part in body for node in walk(part)):
        return "entries"
    if habit == "python" or (habit == "javascript" and is_in):
        return "keys"
    return "keys" if is_in and any(_looks_up(node, name, source) for part in body for node in walk(part)) else ""


def _takes_part(node: n.Node, name: str) -> bool:
    """`entry.Value`, `entry.getKey()`: a part of an entry."""
    return isinstance(node, n.Member) and isinstance(node.object, n.Name) and node.object.name == name and node.name in _PARTS


def _looks_up(node: n.Node, name: str, source: n.Expr) -> bool:
    """True if a name is the key of an entry of the map that the loop goes through."""
    key: n.Expr | None = None
    owner: n.Expr | None = None
    match node:
        case n.Index():
            owner, key = node.object, node.index
        case n.Call(function=n.Member(name=("get" | "get_or" | "contains_key")), arguments=[first, *_]):
            assert isinstance(node.function, n.Member)
            owner, key = node.function.object, first.value
        case n.Call(function=n.Name(name="map_get"), arguments=[first, second]):
            owner, key = first.value, second.value
    is_own = isinstance(owner, n.Name) and isinstance(source, n.Name) and owner.name == source.name
    return is_own and isinstance(key, n.Name) and key.name == name
