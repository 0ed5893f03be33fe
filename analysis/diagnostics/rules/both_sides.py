"""W602: `&&` and `||` evaluate both sides; a right side that fails where the left one was to protect it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.diagnostics.rules.useless import called_builtin
from analysis.semantics.certain_calls import certain_calls, certain_calls_in
from analysis.semantics.rule_context import TextContext
from analysis.syntax import tree as t
from analysis.text.edits import Confidence, Edit, Fix

_MOST_NODES: Final = 400
_LONGEST: Final = 1_000
"""Characters of a condition that is written another way."""
_UNWRAPPING: Final = frozenset(("option_unwrap", "result_unwrap"))


def check(context: TextContext) -> Iterator[Diagnostic]:
    """Every `&&` and `||`."""
    for item, nodes in context.walked:
        if any(use.name == item.name for use in context.summary.names):
            yield from _repeated(context, item)
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
    yield diagnostic(
        "W602",
        (failing.start, failing.end),
        f"this side of `{node.operator}` is evaluated even if the left side decides, and it can fail",
        help="write it with `if`, which evaluates one branch only",
        why=f"both sides of `{node.operator}` are always evaluated",
        # An `if` with a constant condition is no better.
        fixes=() if is_literal else nested_fix(context.text, node),
    )


def _repeated(context: TextContext, item: t.Function) -> Iterator[Diagnostic]:
    """`n == 0 || f(n - 1)` in `f`, where all ways lead to the call."""
    calls = certain_calls(item.body, context.names.uses)
    if item.name not in calls.all - calls.plain:
        return
    for node, right in right_sides(item.body):
        if item.name in certain_calls_in(right, context.names.uses).all:
            called = next(calls_of(right, item.name), right)
            yield diagnostic(
                "W602",
                (called.start, called.end),
                f"'{item.name}' calls itself here even if the left side decides",
                help="write it with `if`, which evaluates one branch only",
                why=f"both sides of `{node.operator}` are always evaluated: the recursion never ends",
                fixes=nested_fix(context.text, node),
            )
            return


def right_sides(body: t.Block) -> Iterator[tuple[t.Binary, t.Expr]]:
    """Each `&&` and `||` with its right side, the outer ones first."""
    for node in paced(t.walk(body), 1_000):
        if isinstance(node, t.Binary) and node.operator in ("&&", "||"):
            yield node, node.right


def calls_in_right_sides(body: t.Block, name: str) -> Iterator[t.Call]:
    """The calls of a function in the right sides of `&&` and `||`."""
    for _, right in right_sides(body):
        yield from calls_of(right, name)


def calls_of(node: t.Node, name: str) -> Iterator[t.Call]:
    for part in islice(t.walk(node), _MOST_NODES):
        if isinstance(part, t.Call) and isinstance(part.callee, t.Name) and part.callee.name == name:
            yield part


def nested_fix(text: str, node: t.Binary) -> tuple[Fix, ...]:
    """The same condition as an `if`. In a long chain it would repeat each part."""
    if node.end - node.start >= _LONGEST:
        return ()
    left, right = (text[part.start : part.end] for part in (node.left, node.right))
    written = f"if {left} {{ {right} }} else {{ false }}" if node.operator == "&&" else f"if {left} {{ true }} else {{ {right} }}"
    edit = Edit((node.start, node.end), f"({written})")
    rationale = "only the branch that is taken is evaluated"
    return (Fix("W602-nest", "write it with `if`", Confidence.MEDIUM, rationale, (edit,)),)


def _names(node: t.Node) -> set[str]:
    return {part.name for part in islice(t.walk(node), _MOST_NODES) if isinstance(part, t.Name)}


def _guarded(context: TextContext, left: t.Expr, lets: Mapping[int, t.Expr]) -> set[str]:
    """The names that a left side looks at, those in the values of its variables included: `let is_inside = i < n`."""
    names = set()
    waiting: list[t.Node] = [left]
    # In a long chain, the conditions next to the right side count.
    for _ in range(_MOST_NODES // 4):
        if not waiting:
            break
        part = waiting.pop()
        waiting += t.children(part)
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
