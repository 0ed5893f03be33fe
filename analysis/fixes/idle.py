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


def idle_statements(tree: ChunkTree) -> Iterator[t.Expr]:
    """The statements of a chunk that do nothing and whose value nothing uses."""
    for item in tree.items:
        for block in t.walk(item):
            if isinstance(block, t.Block):
                for statement in block.statements[:-1]:
                    if isinstance(statement, _IDLE) and all(isinstance(part, _IDLE) for part in t.walk(statement)):
                        yield statement
