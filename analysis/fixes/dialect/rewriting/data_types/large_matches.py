"""Matches whose arms would be written too often, in parts: one that none of a part's arms fits goes on to the next part."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.loop_tails import block_of, with_tails
from analysis.fixes.dialect.tree.walking import rewritten, walk

TOO_LARGE: Final = "a match that grows too large"
"""Why such a match is refused as a whole."""
_PART: Final = 2
"""Arms of a part."""


def with_split_matches(items: list[n.Item]) -> list[n.Item]:
    """The items with large matches on lists in parts."""
    settled: list[n.Item] = []
    for item in items:
        split = rewritten(item, _split)
        assert isinstance(split, n.Item)
        settled.append(split)
    return settled


def _split(node: n.Node) -> n.Node:
    if not isinstance(node, n.Match) or len(node.arms) <= 2 * _PART:
        return node
    if not any(isinstance(part, n.ListPattern) for arm in node.arms for part in walk(arm.pattern)):
        return node
    start, end = node.start, node.end
    lets: list[n.Statement] = []
    names: list[n.Expr] = []
    values = node.value.items if isinstance(node.value, n.TupleOf) else [node.value]
    for place, value in enumerate(values):
        if isinstance(value, n.Name):
            names.append(value)
            continue
        name = f"matched_{place + 1}"
        lets.append(n.Let(n.Binding(name, start=start, end=start), None, value, start=start, end=start))
        names.append(n.Name(name, start=start, end=start))
    parts = [node.arms[at : at + _PART] for at in range(0, len(node.arms), _PART)]
    whole = _last(names, parts.pop(), node)
    for arms in reversed(parts):
        whole = _going_on(names, arms, whole, node)
    return n.Block([*lets, n.Evaluate(whole, start=start, end=end)], start=start, end=end) if lets else whole


def _value(names: list[n.Expr], node: n.Match) -> n.Expr:
    again: list[n.Expr] = [n.Name(each.name, start=each.start, end=each.end) for each in names if isinstance(each, n.Name)]
    is_tuple = isinstance(node.value, n.TupleOf)
    return n.TupleOf(again, start=node.value.start, end=node.value.end) if is_tuple else again[0]


def _last(names: list[n.Expr], arms: list[n.Arm], node: n.Match) -> n.Expr:
    return n.Match(_value(names, node), arms, start=arms[0].start, end=node.end)


def _going_on(names: list[n.Expr], arms: list[n.Arm], rest: n.Expr, node: n.Match) -> n.Expr:
    """The value of the arm that fits, or the rest."""
    start, end = arms[0].start, node.end
    for arm in arms:
        arm.body = with_tails(block_of(arm.body), _found)
    nothing = n.Literal("none", "None", start=start, end=start)
    first = n.Match(_value(names, node), [*arms, n.Arm(n.Wildcard(start=start, end=start), None, nothing)], start=start, end=end)
    some = n.VariantPattern("", "Some", [n.Binding("found_value", start=start, end=start)], start=start, end=start)
    none = n.VariantPattern("", "None", [], start=start, end=start)
    value = n.Name("found_value", start=start, end=start)
    return n.Match(
        first,
        [n.Arm(some, None, value, start=start, end=start), n.Arm(none, None, rest, start=start, end=end)],
        start=start,
        end=end,
    )


def _found(value: n.Expr) -> list[n.Statement]:
    if isinstance(value, n.Jump):
        return [n.Evaluate(value, start=value.start, end=value.end)]
    some = n.Call(n.Name("Some", start=value.start, end=value.start), [n.Argument(value)], start=value.start, end=value.end)
    return [n.Evaluate(some, start=value.start, end=value.end)]
