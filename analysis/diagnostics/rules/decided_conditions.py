"""W504: conditions that are the same for every value: `n != 1 || n != 2`, `list_len(xs) >= 0`, `n < n`.

`constants` knows those whose values are known. Here nothing is known of the values but that a local has one of them at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.diagnostics.rules.building import diagnostic
from analysis.diagnostics.rules.useless import called_builtin
from analysis.semantics.rule_context import RuleContext, TextContext
from analysis.semantics.ty import BOOL, INT, STRING
from analysis.syntax import tree as t

_LENGTHS: Final = frozenset(("list_len", "__builtin_list_len", "__builtin_string_len", "__builtin_map_len"))
_ORDERED: Final = {"<": False, ">": False, "<=": True, ">=": True}
"""Comparisons of a value with itself."""
_OTHER_WAY: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}
_NEGATED: Final = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}
_MOST: Final = 40
"""Parts of a condition that are compared with each other."""
_DEEPEST: Final = 60


class _Claim(NamedTuple):
    """That a local compares so with a literal; for a Bool `sign` is "==" and the value whether it is true."""

    local: int
    sign: str
    value: int | str | bool


def concerns(context: TextContext) -> bool:
    """True if a text holds a condition or an operator."""
    return any(nodes.of(t.If, t.While, t.Binary) for _, nodes in context.walked)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """The conditions of `if` and `while`, then chains of `&&` and `||` elsewhere."""
    for _, nodes in context.walked:
        until = -1
        for node in paced(nodes.of(t.If, t.While, t.Binary), 1_000):
            if not isinstance(node, t.Binary):
                until = max(until, node.condition.end)
                value = _decided(context, node.condition, 0)
                if value is not None and not isinstance(node.condition, t.BoolLiteral):
                    what = "if" if isinstance(node, t.If) else "while"
                    help = f"remove the `{what}`, or write the intended condition"
                    yield _always(node.condition, "condition", value, help)
            elif node.operator in ("&&", "||") and node.start >= until:
                # Nodes come parents first: parts of this chain are no chains of their own.
                until = node.end
                value = _joined(context, node, 0)
                if value is not None:
                    help = f"write `{'true' if value else 'false'}`, or the intended condition"
                    yield _always(node, "expression", value, help)


def _always(node: t.Expr, what: str, value: bool, help: str) -> Diagnostic:
    message = f"this {what} is always {'true' if value else 'false'}"
    return diagnostic("W504", (node.start, node.end), message, severity=Severity.HINT, help=help)


def _decided(context: RuleContext, node: t.Expr, depth: int) -> bool | None:
    """The value that a condition always has."""
    if depth > _DEEPEST:
        return None
    if isinstance(node, t.BoolLiteral):
        return node.value
    if isinstance(node, t.Unary) and node.operator == "!":
        value = _decided(context, node.operand, depth + 1)
        return None if value is None else not value
    if not isinstance(node, t.Binary):
        return None
    if node.operator in ("&&", "||"):
        return _joined(context, node, depth)
    return _compared(context, node)


def _joined(context: RuleContext, node: t.Binary, depth: int) -> bool | None:
    parts = _parts(node, node.operator)
    if len(parts) > _MOST:
        return None
    deciding = node.operator == "||"
    values = [_decided(context, part, depth + 1) for part in parts]
    if deciding in values:
        return deciding
    if all(value is not None for value in values):
        return not deciding
    # `a || b` is always true if `!a` and `!b` exclude each other.
    claims = [claim for part in parts if (claim := _claim(context, part, is_negated=deciding)) is not None]
    excluded = any(_exclude(one, other) for number, one in enumerate(claims) for other in claims[:number])
    return deciding if excluded else None


def _parts(node: t.Expr, operator: str) -> list[t.Expr]:
    """The operands of a chain of one operator."""
    parts: list[t.Expr] = []
    while isinstance(node, t.Binary) and node.operator == operator and len(parts) <= _MOST:
        parts.append(node.right)
        node = node.left
    return [*parts, node]


def _compared(context: RuleContext, node: t.Binary) -> bool | None:
    left, right, sign = node.left, node.right, node.operator
    if sign not in _NEGATED:
        return None
    if isinstance(left, t.Name) and isinstance(right, t.Name):
        uses = context.names.uses
        is_same = left.start in uses and uses[left.start] == uses.get(right.start)
        if is_same and sign in _ORDERED:
            return _ORDERED[sign]
        # NaN differs from itself.
        return sign == "==" if is_same and context.inference.of(left) in (INT, STRING, BOOL) else None
    if not isinstance(right, t.IntLiteral | t.Unary):
        left, right, sign = right, left, _OTHER_WAY[sign]
    number = _number(right)
    if number is None or not isinstance(left, t.Call) or called_builtin(context, left) not in _LENGTHS:
        return None
    if number < 0 or (number == 0 and sign in ("<", ">=")):
        return sign in (">", ">=", "!=")
    return None


def _claim(context: RuleContext, node: t.Expr, is_negated: bool) -> _Claim | None:
    """What a part says of one local."""
    while isinstance(node, t.Unary) and node.operator == "!":
        node, is_negated = node.operand, not is_negated
    uses = context.names.uses
    if isinstance(node, t.Name):
        return _Claim(uses[node.start], "==", not is_negated) if node.start in uses else None
    if not isinstance(node, t.Binary) or node.operator not in _NEGATED:
        return None
    left, right, sign = node.left, node.right, node.operator
    if not isinstance(left, t.Name):
        left, right, sign = right, left, _OTHER_WAY[sign]
    if not isinstance(left, t.Name) or left.start not in uses:
        return None
    value = right.raw if isinstance(right, t.StringLiteral) else _number(right)
    # With NaN neither `<` nor `>=` excludes the other.
    held = context.inference.of(left)
    if value is None or held is not (STRING if isinstance(value, str) else INT):
        return None
    return _Claim(uses[left.start], _NEGATED[sign] if is_negated else sign, value)


def _number(node: t.Expr) -> int | None:
    if isinstance(node, t.Unary) and node.operator == "-":
        number = _number(node.operand)
        return None if number is None else -number
    return int(node.text) if isinstance(node, t.IntLiteral) else None


def _exclude(one: _Claim, other: _Claim) -> bool:
    """True if two claims are never both right."""
    if one.local != other.local or type(one.value) is not type(other.value):
        return False
    if "==" not in (one.sign, other.sign):
        return isinstance(one.value, int) and isinstance(other.value, int) and _lies_apart(one, other)
    if one.sign != "==":
        one, other = other, one
    return not _holds(one.value, other.sign, other.value)


def _lies_apart(one: _Claim, other: _Claim) -> bool:
    """True if one claim is an upper bound below the lower bound that the other one is."""
    upper, lower = (one, other) if one.sign in ("<", "<=") else (other, one)
    if upper.sign not in ("<", "<=") or lower.sign not in (">", ">="):
        return False
    highest = int(upper.value) - (upper.sign == "<")
    lowest = int(lower.value) + (lower.sign == ">")
    return lowest > highest


def _holds(value: int | str | bool, sign: str, limit: int | str | bool) -> bool:
    if sign in ("==", "!="):
        return (value == limit) is (sign == "==")
    if not isinstance(value, int) or not isinstance(limit, int):
        return True
    return {"<": value < limit, "<=": value <= limit, ">": value > limit, ">=": value >= limit}[sign]
