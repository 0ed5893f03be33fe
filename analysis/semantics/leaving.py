"""Statements that never come to the one behind them."""

from __future__ import annotations

from itertools import islice
from typing import Final

from analysis.database import paced
from analysis.syntax import tree as t

_DEEPEST: Final = 60
_MOST_NODES: Final = 5_000
"""Nodes of a loop's body that are looked at."""


def leaves(node: t.Node | None, depth: int = 0) -> bool:
    """True if every way through a statement returns. A `while true` does if there is a `return` in it: else W505 reports it."""
    if depth > _DEEPEST:
        return False
    match node:
        case t.Return():
            return True
        case t.While(condition=t.BoolLiteral(value=True), body=body):
            parts = list(islice(t.walk(body), _MOST_NODES))
            # `break` is undefined, which is the mistake.
            is_left_otherwise = any(isinstance(part, t.Name) and part.name == "break" for part in parts)
            return not is_left_otherwise and any(isinstance(part, t.Return) for part in parts)
        case t.If(then_block=then_block, else_block=else_block):
            return else_block is not None and leaves(then_block, depth + 1) and leaves(else_block, depth + 1)
        case t.Match(arms=arms):
            return bool(arms) and all(leaves(arm.body, depth + 1) for arm in paced(arms, 1_000))
        case t.Block(statements=statements):
            return any(leaves(statement, depth + 1) for statement in paced(statements, 1_000))
    return False
