"""Effect of an expression's plain code on the operand stack (chapter 07 section 11).

The generator asks for it before it emits code, so that every statement leaves the stack unchanged and every branch of a
value leaves one value (chapter 26, S3 and S4).
"""

from __future__ import annotations

from enum import Enum

from analysis.syntax.tree import Block, Expr, If, Match, Return, Send, Statement


class Leaves(Enum):
    """`NEVER`: the end is not reached. `MIXED`: some ways to the end leave a value, others none."""

    ONE = "one value"
    NONE = "no value"
    NEVER = "the end is never reached"
    MIXED = "depends on the way taken"


class Shapes:
    """Answers by identity of the node, each computed once: nested branches would be walked again at every level."""

    __slots__ = ("_leaves",)

    def __init__(self) -> None:
        self._leaves: dict[int, Leaves] = {}

    def of(self, node: Expr) -> Leaves:
        """Values that a node leaves on the stack."""
        leaves = self._leaves.get(id(node))
        if leaves is None:
            leaves = self._leaves[id(node)] = self._work_out(node)
        return leaves

    def _work_out(self, node: Expr) -> Leaves:
        if isinstance(node, Block):
            if any(self._leaves_block(statement) for statement in node.statements):
                return Leaves.NEVER
            last = node.statements[-1] if node.statements else None
            return self.of(last) if isinstance(last, Expr) else Leaves.NONE
        if isinstance(node, If):
            inner = self.of(node.then_block)
            if node.else_block is not None:
                return _joined({inner, self.of(node.else_block)})
            return Leaves.NONE if inner in (Leaves.NONE, Leaves.NEVER) else Leaves.MIXED
        if isinstance(node, Match) and node.arms:
            return _joined({self.of(arm.body) for arm in node.arms})
        return Leaves.NONE if isinstance(node, Send) else Leaves.ONE

    def _leaves_block(self, statement: Statement | Expr) -> bool:
        """True if code after a statement is unreachable."""
        return isinstance(statement, Return) or (isinstance(statement, Expr) and self.of(statement) is Leaves.NEVER)


def _joined(ways: set[Leaves]) -> Leaves:
    reached = ways - {Leaves.NEVER}
    if not reached:
        return Leaves.NEVER
    return reached.pop() if len(reached) == 1 else Leaves.MIXED
