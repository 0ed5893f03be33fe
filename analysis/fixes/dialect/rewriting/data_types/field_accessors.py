"""`Person::name` of a record: a function that reads the field, as Java writes it for `stream().map(Person::name)`."""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import replace_below, walk


def settle_fields_as_functions(items: list[n.Item]) -> None:
    """Writes fields of records that stand for functions as closures."""
    fields = {item.name: item.fields for item in items if isinstance(item, n.Record)}
    if not fields:
        return
    called = {id(node.function) for item in items for node in walk(item) if isinstance(node, n.Call)}

    def closure(node: n.Node) -> n.Node:
        if not isinstance(node, n.Path) or id(node) in called or node.name not in fields.get(node.owner, {}):
            return node
        start, end = node.start, node.end
        held = n.Name("_arg0", start=start, end=end)
        return n.Lambda(
            [n.Binding("_arg0", start=start, end=end)], n.Member(held, node.name, start=start, end=end), start=start, end=end
        )

    for item in items:
        replace_below(item, closure)
