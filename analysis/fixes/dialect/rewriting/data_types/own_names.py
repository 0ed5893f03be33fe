"""Names of fields, methods and constants of a class that its methods use alone, as what they stand for."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import bound_names, replace_below, walk


def settle_own_names(
    function: n.Function, held: frozenset[str], methods: frozenset[str], others: Mapping[str, n.Expr], called: Mapping[str, str]
) -> None:
    """Writes fields and properties (`held`) as those of `self`, `methods` as calls on it, constants as `others` says.

    `called` are functions of the class itself, by the class they belong to.
    """
    taken = {part.name for part in function.parameters}
    taken |= {name for node in walk(function.body) if isinstance(node, n.Pattern) for name in bound_names(node)}
    has_self = any(part.name == "self" for part in function.parameters)
    names = {id(node.function) for node in walk(function.body) if isinstance(node, n.Call)}

    def change(node: n.Node) -> n.Node:
        if not isinstance(node, n.Name) or node.name in taken:
            return node
        if id(node) in names:
            if has_self and node.name in methods:
                return _own(node)
            if node.name in called:
                owner = n.Name(called[node.name], start=node.start, end=node.start)
                return n.Member(owner, node.name, start=node.start, end=node.end)
        if has_self and node.name in held:
            return _own(node)
        if node.name in others:
            return others[node.name]
        return node

    replace_below(function, change)


def _own(node: n.Name) -> n.Member:
    return n.Member(n.Name("self", start=node.start, end=node.start), node.name, start=node.start, end=node.end)
