"""Statements that are nothing but values: what a repair leaves behind that made two statements of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.syntax import tree as t
from analysis.syntax.parser import ChunkTree

_IDLE: Final = (
    t.IntLiteral, t.FloatLiteral, t.StringLiteral, t.BoolLiteral, t.NoneLiteral, t.Name, t.Binary, t.Unary, t.FieldAccess,
    t.ListLiteral, t.Wrap,
)  # fmt: skip


_CHANGED: Final = frozenset(
    "list_push __builtin_list_append __builtin_list_concat __builtin_list_reverse __builtin_map_set __builtin_map_remove "
    "list_set list_insert list_remove_at list_sort".split()
)
"""Functions that return a changed value: if it is unused, an assignment was meant."""


def _lost(statement: t.Statement | t.Expr) -> Iterator[t.Expr]:
    """The changed values that a statement drops, also at the ends of its branches."""
    match statement:
        case t.Call(callee=t.Name(name=name)) if name in _CHANGED:
            yield statement
        case t.Block(statements=(*_, last)):
            yield from _lost(last)
        case t.If():
            yield from _lost(statement.then_block)
            if statement.else_block is not None:
                yield from _lost(statement.else_block)
        case t.Match():
            for arm in statement.arms:
                yield from _lost(arm.body)


def idle_statements(tree: ChunkTree) -> Iterator[t.Expr]:
    """The statements of a chunk that do nothing and whose value nothing uses."""
    for item in tree.items:
        for block in t.walk(item):
            if isinstance(block, (t.While, t.For)):
                yield from _lost(block.body)
            if isinstance(block, t.Block):
                for statement in block.statements[:-1]:
                    yield from _lost(statement)
                    if isinstance(statement, _IDLE) and all(isinstance(part, _IDLE) for part in t.walk(statement)):
                        yield statement
