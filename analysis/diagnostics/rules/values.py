"""Values used against their kind: W106 branches of different types, W108 calls of what is no function, W110 contract clauses."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.diagnostics.diagnostic import Diagnostic, Related
from analysis.diagnostics.rules.building import diagnostic
from analysis.diagnostics.rules.constants import Constants
from analysis.semantics.infer.result import BadCall, Branches
from analysis.semantics.rule_context import RuleContext
from analysis.semantics.ty import BOOL, UNIT, named
from analysis.syntax.tree import If, Name

_CLAUSES = ("requires", "ensures")


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Branches, calls, clauses."""
    for branches in context.inference.branches:
        yield _branches(branches)
    for call in context.inference.bad_calls:
        yield _call(context, call)
    yield from _clauses(context)


def _branches(branches: Branches) -> Diagnostic:
    (first, given), (other, differs) = branches.first, branches.other
    if isinstance(branches.node, If) and branches.node.else_block is None:
        message = f"this `if` is {named(given)} when its condition is true, and Unit when it is false"
        help = f"add an `else` with {named(given)}"
    else:
        message = f"this branch is {named(differs)}, another one is {named(given)}"
        help = "let all branches have values of one type"
    node = branches.node if differs is UNIT and isinstance(branches.node, If) and branches.node.else_block is None else other
    return diagnostic(
        "W106",
        (node.start, node.end),
        message,
        help=help,
        why="code that uses the value gets either type",
        related=(Related(f"{named(given)} here", (first.start, first.end)),),
    )


def _call(context: RuleContext, bad_call: BadCall) -> Diagnostic:
    node, held = bad_call.node, bad_call.type
    name = f"'{node.callee.name}'" if isinstance(node.callee, Name) else "this value"
    span = node.callee.start, node.callee.end
    if held.head != "Fn":
        return diagnostic(
            "W108",
            span,
            f"{name} is {named(held)}, not a function",
            help="remove the parentheses, or call a function",
            why="calling it fails at run time: type error: expected function reference",
        )
    expected, given = len(held.arguments) - 1, len(node.arguments)
    return diagnostic(
        "W108",
        (node.callee.start, node.end),
        f"{name} takes {expected} argument{'' if expected == 1 else 's'}, not {given}",
        help=f"its type is {named(held)}",
        why="a missing argument is Unit, a surplus one is lost",
    )


def _clauses(context: RuleContext) -> Iterator[Diagnostic]:
    constants: Constants | None = None
    for condition in context.inference.conditions:
        if condition.keyword not in _CLAUSES:
            continue
        span = condition.node.start, condition.node.end
        if condition.type.is_known and condition.type is not BOOL:
            message = f"this `{condition.keyword}` is {named(condition.type)}, not a Bool"
            why = "only false, 0, empty texts, lists and maps, None, Err and Unit count as false"
            yield diagnostic("W110", span, message, help="compare it with something", why=why)
            continue
        constants = constants or Constants(context)
        if (value := constants.of(condition.node)) is not None:
            message = f"this `{condition.keyword}` is always {'true' if value else 'false'}"
            yield diagnostic("W110", span, message, help="write a condition", why="a clause that is constant checks nothing")
