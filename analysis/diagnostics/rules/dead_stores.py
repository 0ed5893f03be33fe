"""W506: values that nothing reads: of a variable that only its own next value reads, and of one that is assigned again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.function_nodes import Nodes
from analysis.semantics.occurrences import LocalKind
from analysis.semantics.rule_context import TextContext
from analysis.syntax import tree as t

_MOST: Final = 60
"""Statements behind an assignment that are looked at for the next use."""


def check(context: TextContext) -> Iterator[Diagnostic]:
    """Each function by itself."""
    for item, nodes in context.walked:
        if not isinstance(item, t.Function):
            continue
        unread = list(_for_itself_only(context, nodes))
        yield from unread
        if not item.ensures:
            reported = {each.span[0] for each in unread}
            for node in paced(nodes.of(t.Block), 1_000):
                yield from _assigned_again(context, node.statements, node is item.body, reported)


def _for_itself_only(context: TextContext, nodes: Nodes) -> Iterator[Diagnostic]:
    """`count = count + 1` where nothing else reads `count`."""
    uses, own = context.names.uses, defaultdict[int, int](int)
    for node in paced(nodes.of(t.Assign), 1_000):
        if node.at in uses and _is_quiet(context, node.value):
            own[uses[node.at]] += _reads(context, node.value, uses[node.at])
    for local in paced(context.summary.locals):
        is_variable = local.declared.kind is LocalKind.VARIABLE and not local.name.startswith("_")
        if is_variable and local.writes and 0 < local.reads == own.get(local.at, 0):
            yield diagnostic(
                "W506",
                (local.at, local.at + len(local.name)),
                f"'{local.name}' is read for its own next value only",
                help="use its value, or remove it with its assignments",
                name=local.name,
            )


def _is_quiet(context: TextContext, value: t.Expr) -> bool:
    """False for a value that may be computed for an effect."""
    return not any(isinstance(part, (t.Emit, t.Send, t.Spawn, t.Receive, t.Return)) for part in t.walk(value))


def _reads(context: TextContext, node: t.Node, local: int) -> int:
    uses = context.names.uses
    return sum(isinstance(part, t.Name) and uses.get(part.start) == local for part in t.walk(node))


def _assigned_again(
    context: TextContext, statements: Sequence[t.Node], is_last: bool, reported: Set[int]
) -> Iterator[Diagnostic]:
    """Assignments whose value the next one replaces, or with which the function ends; `reported` are locals never read."""
    uses = context.names.uses
    for number, statement in enumerate(paced(statements)):
        local = uses.get(statement.at) if isinstance(statement, t.Assign) else None
        if not isinstance(statement, t.Assign) or local is None or local in reported:
            continue
        behind = statements[number + 1 : number + 1 + _MOST]
        following = next((each for each in behind if _mentions(context, each, local)), None)
        if following is None:
            is_lost = is_last and len(behind) < _MOST and _is_read(context, local) and _is_plain(context, local)
        else:
            is_lost = isinstance(following, t.Assign) and not _reads(context, following.value, local)
        if is_lost:
            yield diagnostic(
                "W506",
                (statement.at, statement.at + len(statement.name)),
                f"nothing reads this value of '{statement.name}'",
                help="remove the assignment, or use the value before the next one" if following else "remove the assignment",
                name=statement.name,
            )


def _mentions(context: TextContext, node: t.Node, local: int) -> bool:
    uses = context.names.uses
    for part in t.walk(node):
        if isinstance(part, (t.Name, t.Assign)):
            at = part.start if isinstance(part, t.Name) else part.at
            if uses.get(at) == local:
                return True
    return False


def _is_read(context: TextContext, local: int) -> bool:
    return any(each.at == local and each.reads for each in context.summary.locals)


def _is_plain(context: TextContext, local: int) -> bool:
    declared = context.names.locals.get(local)
    return declared is not None and declared.kind is LocalKind.VARIABLE
