"""Fields as functions of records, as in Haskell: `name s` for `s.name`, `map name xs`; the values of a record in their order."""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import bound_names, replace_below, walk


def settle_accessors(items: list[n.Item], accessors: frozenset[str]) -> None:
    """Writes calls of fields as members, and fields that are handed on as functions of a record."""
    if not accessors:
        return
    own = {item.name for item in items if isinstance(item, n.Function)}
    for item in items:
        if isinstance(item, n.Verbatim) or not _mentions(item, accessors):
            continue
        nodes = list(walk(item))
        bound = {name for node in nodes if isinstance(node, n.Pattern) for name in bound_names(node)}
        bound |= {node.name for node in nodes if isinstance(node, n.Parameter)}
        bound |= {node.function.name for node in nodes if isinstance(node, n.Local)}
        _Fields(accessors - own, accessors - own - bound).settle(item)


def _mentions(item: n.Item, accessors: frozenset[str]) -> bool:
    return any(isinstance(node, n.Name) and node.name in accessors for node in walk(item))


class _Fields:
    """`called` are fields where a value stands behind them, `plain` those that no variable of the item hides."""

    def __init__(self, called: frozenset[str], plain: frozenset[str]) -> None:
        self.called = called
        self.plain = plain

    def settle(self, item: n.Item) -> None:
        replace_below(item, self._change)

    def _change(self, node: n.Node) -> n.Node:
        match node:
            case n.Call(function=n.OperatorFunction(operator=".") as function, arguments=[only]) if not only.name:
                return n.Member(only.value, function.name, start=node.start, end=node.end)
            case n.Call(function=n.Name() as function, arguments=[only]) if function.name in self.called and not only.name:
                return n.Member(only.value, function.name, start=node.start, end=node.end)
            case n.Name() if node.name in self.plain:
                return n.OperatorFunction(".", node.name, start=node.start, end=node.end)
        return node
