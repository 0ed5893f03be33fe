"""Closures that compare two values, told from those that take the parts of one."""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk


def compares_two(function: n.Lambda) -> bool:
    """True if a closure of two parameters compares parts of both: `|a, b| b.1.cmp(&a.1)`."""
    names = [part.name for part in function.parameters if isinstance(part, n.Binding)]
    if len(names) != 2 or len(function.parameters) != 2:
        return False
    parts = {
        node.object.name
        for node in walk(function.body)
        if isinstance(node, (n.Member, n.Index)) and isinstance(node.object, n.Name) and _is_part(node)
    }
    return set(names) <= parts


def _is_part(node: n.Member | n.Index) -> bool:
    return isinstance(node, n.Index) or node.name.isdigit() or node.name in ("first", "second", "key", "value")
