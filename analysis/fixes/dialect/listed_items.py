"""Contents of list brackets: items, a repeated item, comprehensions with several loops."""

from __future__ import annotations

from analysis.fixes.dialect import nodes as n


def is_item(first: n.Expr, second: n.Expr) -> bool:
    """True if what stands behind a semicolon in a list is another item, not how often the first one is there."""
    if isinstance(second, n.Literal):
        return second.kind not in ("int",)
    if isinstance(second, (n.Interpolated, n.ListOf, n.TupleOf, n.RecordOf, n.Lambda, n.If, n.Match)):
        return True
    return isinstance(first, (n.Call, n.Member)) and type(first) is type(second)


def is_nested_loop(node: n.Expr) -> bool:
    """True if a value is a comprehension of several loops."""
    return (
        isinstance(node, n.Call)
        and isinstance(node.function, n.Member)
        and node.function.name == "flatten"
        and isinstance(node.function.object, n.Comprehension)
    )
