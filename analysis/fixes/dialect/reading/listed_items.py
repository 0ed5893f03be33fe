"""Contents of list brackets: items, a repeated item, comprehensions with several loops, numbers in steps."""

from __future__ import annotations

from copy import deepcopy

from analysis.fixes.dialect.tree import nodes as n


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


def stepped(items: list[n.Expr]) -> n.Expr | None:
    """`[1, 3 .. 9]`: the numbers from the first one on, by the difference to the second; None for another list."""
    if len(items) != 2 or not isinstance(items[1], n.Range) or items[1].low is None or items[1].high is None:
        return None
    first, then, last = items[0], items[1].low, items[1].high
    step = n.Binary("-", then, deepcopy(first), start=then.start, end=then.end)
    member = n.Member(first, "counted_by", start=first.start, end=last.end)
    return n.Call(member, [n.Argument(step), n.Argument(last)], start=first.start, end=last.end)
