"""The values that a block ends with, on every way, each replaced by statements: for loops that a value ends or carries on."""

from __future__ import annotations

from collections.abc import Callable

from analysis.fixes.dialect.tree import nodes as n

Change = Callable[[n.Expr], list[n.Statement]]


def with_tails(block: n.Block, change: Change) -> n.Block:
    """A block in which `change` has replaced what it ends with, in the branches of its last statement too."""
    if not block.statements:
        return block
    *before, last = block.statements
    if not isinstance(last, n.Evaluate):
        return block
    return n.Block([*before, *_changed(last.value, change)], start=block.start, end=block.end)


def _changed(value: n.Expr, change: Change) -> list[n.Statement]:
    start, end = value.start, value.end
    if isinstance(value, n.If) and value.otherwise is not None:
        then, otherwise = with_tails(value.then, change), with_tails(value.otherwise, change)
        return [n.Evaluate(n.If(value.condition, then, otherwise, start=start, end=end), start=start, end=end)]
    if isinstance(value, n.Match):
        for arm in value.arms:
            body = arm.body if isinstance(arm.body, n.Block) else block_of(arm.body)
            arm.body = with_tails(body, change)
        return [n.Evaluate(value, start=start, end=end)]
    if isinstance(value, n.Block):
        return [n.Evaluate(with_tails(value, change), start=start, end=end)]
    return change(value)


def block_of(value: n.Expr) -> n.Block:
    """A value as a block."""
    if isinstance(value, n.Block):
        return value
    return n.Block([n.Evaluate(value, start=value.start, end=value.end)], start=value.start, end=value.end)
