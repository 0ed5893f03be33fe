"""The types of operators (spec chapter 08 sections 5 and 6.2), and which of them could be given wrong operands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from analysis.database import checkpoint, paced, set_aside
from analysis.semantics.infer.result import Operation, Want
from analysis.semantics.ty import BOOL, FLOAT, INT, NEVER, STRING, UNKNOWN, Ty
from analysis.syntax.tree import Binary, Block, Expr, If, Match, Unary, walk

if TYPE_CHECKING:
    from analysis.semantics.infer.inferring import Engine

NUMBERS: Final = (INT, FLOAT)
_OFTEN: Final = 4096
"""Links of a chain between two checkpoints on the way down."""
ORDERED: Final = (INT, FLOAT, STRING)
_TAKEN: Final[dict[str, tuple[Ty, ...]]] = {
    **dict.fromkeys(("+", "-", "*", "/"), NUMBERS),
    "%": (INT,),
    "++": (STRING,),
    "&&": (BOOL,),
    "||": (BOOL,),
}
"""Operand types of operators that check each of their operands by itself."""
_FAILING: Final = frozenset(("+", "-", "*", "/", "%", "++"))
"""Operators that end the run if they refuse an operand."""
_RESULTS: Final = {
    "==": BOOL, "!=": BOOL, "<": BOOL, "<=": BOOL, ">": BOOL, ">=": BOOL, "&&": BOOL, "||": BOOL, "++": STRING, "%": INT,
}  # fmt: skip


def binary(engine: Engine, node: Binary, want: Want | None, used: bool) -> Ty:
    """The type of a binary operation."""
    if not isinstance(node.left, Binary):
        left, right = engine.synth(node.left), engine.synth(node.right)
        if not _fit(node.operator, left, right):
            engine.out.operations.append(Operation(node, left, right, (node,)))
            if node.operator in _FAILING:
                engine.failures += 1
        return _result(node.operator, left, right, engine.scope.likely)
    # Chains lean to the left and can be thousands long: down the spine in a loop.
    spine = [node]
    while isinstance(spine[-1].left, Binary):
        spine.append(spine[-1].left)
        if not len(spine) % _OFTEN:
            checkpoint()
    left = engine.synth(spine[-1].left)
    chain = tuple(spine)
    if len(chain) > _OFTEN:
        set_aside()
    for part in paced(reversed(spine)):
        right = engine.synth(part.right)
        if not _fit(part.operator, left, right):
            engine.out.operations.append(Operation(part, left, right, chain))
            if part.operator in _FAILING:
                engine.failures += 1
        left = _result(part.operator, left, right, engine.scope.likely)
        if part is not node:
            engine.out.note(part, left)
    return left


def unary(engine: Engine, node: Unary, want: Want | None, used: bool) -> Ty:
    """The type of a negation."""
    held = engine.synth(node.operand)
    if node.operator == "!":
        return BOOL
    if held.is_known and held not in NUMBERS:
        engine.out.operations.append(Operation(node, UNKNOWN, held))
        engine.failures += 1
        return NEVER
    return held


def is_evaluated_whole(node: Expr) -> bool:
    """True if an expression has no branches: `&&` and `||` evaluate both of their sides."""
    return not any(isinstance(part, (If, Match, Block)) for part in walk(node))


def _fit(operator: str, left: Ty, right: Ty) -> bool:
    """True if the operands of an operator fit, or are too little known to tell."""
    taken = _TAKEN.get(operator)
    if taken is not None:
        return (not left.is_known or left in taken) and (not right.is_known or right in taken)
    if not left.is_known or not right.is_known:
        return True
    return left is right and (operator in ("==", "!=") or left in ORDERED)


def _result(operator: str, left: Ty, right: Ty, likely: bool) -> Ty:
    fixed = _RESULTS.get(operator)
    if fixed is not None:
        return fixed
    if (left.is_known and left not in NUMBERS) or (right.is_known and right not in NUMBERS):
        # The run ends there.
        return UNKNOWN if likely else NEVER
    if left is FLOAT or right is FLOAT:
        return FLOAT
    is_int = left is INT or right is INT if likely else left is INT and right is INT
    return INT if is_int else UNKNOWN
