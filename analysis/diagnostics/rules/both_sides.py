"""W602: `&&` and `||` evaluate both sides; a right side that fails where the left one was to protect it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.diagnostics.rules.useless import called_builtin
from analysis.edits import Confidence, Edit, Fix
from analysis.semantics.rule_context import TextContext
from analysis.syntax import tree as t

_MOST_NODES: Final = 400
_LONGEST: Final = 1_000
"""Characters of a condition that is written another way."""
_UNWRAPPING: Final = frozenset(("option_unwrap", "result_unwrap"))


def check(context: TextContext) -> Iterator[Diagnostic]:
    """Every `&&` and `||`."""
    for _, nodes in context.walked:
        lets: dict[int, t.Expr] | None = None
        for node in paced(nodes.of(t.Binary), 1_000):
            if node.operator in ("&&", "||"):
                if lets is None:
                    lets = {each.at: each.value for each in nodes.of(t.Let) if not each.mutable}
                yield from _both_sides(context, node, lets)


def _both_sides(context: TextContext, node: t.Binary, lets: Mapping[int, t.Expr]) -> Iterator[Diagnostic]:
    failing = next(_failing(context, node.right), None)
    if failing is None:
        return
    is_literal = isinstance(node.left, t.BoolLiteral)
    if not is_literal and not (_names(failing) & _guarded(context, node.left, lets)):
        return
    # In a long chain the fix would repeat each part.
    is_short = node.end - node.start < _LONGEST
    left, right = (context.text[part.start : part.end] if is_short else "" for part in (node.left, node.right))
    written = f"if {left} {{ {right} }} else {{ false }}" if node.operator == "&&" else f"if {left} {{ true }} else {{ {right} }}"
    fix = Fix(
        "W602-nest",
        "write it with `if`",
        Confidence.MEDIUM,
        "only the branch that is taken is evaluated",
        (Edit((node.start, node.end), f"({written})"),),
    )
    # An `if` with a constant condition is no better.
    fixes = () if is_literal or not is_short else (fix,)
    yield diagnostic(
        "W602",
        (failing.start, failing.end),
        f"this side of `{node.operator}` is evaluated even if the left side decides, and it can fail",
        help="write it with `if`, which evaluates one branch only",
        why=f"both sides of `{node.operator}` are always evaluated",
        fixes=fixes,
    )


def _names(node: t.Node) -> set[str]:
    return {part.name for part in islice(t.walk(node), _MOST_NODES) if isinstance(part, t.Name)}


def _guarded(context: TextContext, left: t.Expr, lets: Mapping[int, t.Expr]) -> set[str]:
    """The names that a left side looks at, those in the values of its variables included: `let is_inside = i < n`."""
    names = set()
    for part in islice(t.walk(left), _MOST_NODES):
        if isinstance(part, t.Name):
            names.add(part.name)
            value = lets.get(context.names.uses.get(part.start, -1))
            if isinstance(value, (t.Binary, t.Unary, t.Call)):
                names |= _names(value)
    return names


def _failing(context: TextContext, node: t.Expr) -> Iterator[t.Expr]:
    """The parts that can fail. What stands in a branch has a condition of its own."""
    waiting: list[t.Node] = [node]
    for _ in range(_MOST_NODES):
        if not waiting:
            return
        part = waiting.pop()
        if isinstance(part, (t.If, t.Match)):
            continue
        waiting += reversed(t.children(part))
        if isinstance(part, t.Call):
            if called_builtin(context, part) == "list_get" or _is_unwrapping(context, part):
                yield part
        elif isinstance(part, t.Binary) and part.operator in ("/", "%") and not _is_constant(part.right):
            yield part


def _is_unwrapping(context: TextContext, call: t.Call) -> bool:
    callee = call.callee
    return isinstance(callee, t.Name) and callee.name in _UNWRAPPING and callee.start not in context.names.uses


def _is_constant(divisor: t.Expr) -> bool:
    while isinstance(divisor, t.Unary):
        divisor = divisor.operand
    return isinstance(divisor, (t.IntLiteral, t.FloatLiteral)) and float(divisor.text) != 0
