"""Objects that begin empty and get their fields one by one, as in JavaScript and Lua: maps whose keys are the names."""

from __future__ import annotations

from collections.abc import Callable

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import replace_below, walk


def settle_open_objects(items: list[n.Item]) -> None:
    """`local t = {}`, `t.x = 1`: every field of such a name is an entry."""
    functions: list[n.Function] = []
    for item in items:
        functions += [item] if isinstance(item, n.Function) else item.functions if isinstance(item, n.Implementation) else []
    for function in functions:
        nodes = list(walk(function))
        begun = {
            node.pattern.name
            for node in nodes
            if isinstance(node, n.Let) and isinstance(node.pattern, n.Binding) and _is_open(node)
        }
        given = {parameter.name for parameter in function.parameters}
        named = {
            node.target.object.name
            for node in nodes
            if isinstance(node, n.Assign)
            and isinstance(node.target, (n.Member, n.Index))
            and isinstance(node.target.object, n.Name)
        }
        if open_names := (begun & named) - given:
            called = {id(node.function) for node in nodes if isinstance(node, n.Call)}
            replace_below(function, _entry(open_names, called))


def _is_open(let: n.Let) -> bool:
    value = let.value
    is_empty = isinstance(value, n.MapOf) and not value.pairs
    return let.type is None and (is_empty or (isinstance(value, n.Block) and not value.statements))


def _entry(names: set[str], called: set[int]) -> Callable[[n.Node], n.Node]:
    def change(node: n.Node) -> n.Node:
        owner = node.object if isinstance(node, n.Member) and id(node) not in called else None
        if not isinstance(node, n.Member) or not isinstance(owner, n.Name) or owner.name not in names or node.optional:
            return node
        key = n.Literal("string", f'"{node.name}"', start=node.start, end=node.end)
        return n.Index(owner, key, start=node.start, end=node.end)

    return change
