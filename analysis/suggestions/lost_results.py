"""Calls that give a changed copy of their first argument which nothing uses: where they are, and the assignment that is meant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from analysis.database import paced
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.function_nodes import Nodes
from analysis.semantics.occurrences import LocalKind
from analysis.semantics.rule_context import TextContext
from analysis.syntax import tree as t
from analysis.text.edits import Edit, Span

SPEAKING: Final = frozenset(("__builtin_debug", "__builtin_debug_msg", "__builtin_guard"))
"""Builtins that do something besides giving a value."""
GIVE_CHANGED: Final = frozenset(
    name for name, builtin in BUILTINS.items() if builtin.parameters and builtin.parameters[0][1] == builtin.result
) - SPEAKING  # fmt: skip
"""Builtins that give a changed copy of their first argument."""


class Assigned(NamedTuple):
    """What makes an assignment of a call: edits where the variable is declared, and what stands before and behind the call."""

    declared: tuple[Edit, ...]
    before: str
    behind: str


def lost_calls(nodes: Nodes) -> Iterator[tuple[t.Call, bool]]:
    """Calls whose value is the last one of a branch or of a loop's body, where nothing uses it; true for an arm's body."""
    for node in nodes.of(t.Block, t.While, t.For):
        ends: list[tuple[t.Node | None, bool]] = []
        if not isinstance(node, t.Block):
            ends.append((node.body, False))
        else:
            ends += [(statement, False) for statement in paced(node.statements[:-1]) if isinstance(statement, (t.If, t.Match))]
        while ends:
            end, is_arm = ends.pop()
            match end:
                case t.Block(statements=statements):
                    ends += [(last, False) for last in statements[-1:]]
                case t.If(then_block=then_block, else_block=else_block):
                    ends += [(else_block, False), (then_block, False)]
                case t.Match(arms=arms):
                    ends += [(arm.body, True) for arm in paced(arms)]
                case t.Call():
                    yield end, is_arm


def assigned(context: TextContext, first: t.Name, is_arm: bool) -> Assigned | None:
    """The assignment of a call to its first argument; None if that is no variable."""
    at = context.names.uses.get(first.start)
    local = next((local for local in context.summary.locals if local.at == at), None)
    if local is None or local.declared.kind is not LocalKind.VARIABLE:
        return None
    declared = () if local.declared.mutable or local.writes else (Edit((local.at, local.at), "mut "),)
    # An arm takes an expression: the assignment stands in a block.
    return Assigned(declared, f"{'{ ' if is_arm else ''}{first.name} = ", " }" if is_arm else "")


def assigned_if_lost(context: TextContext, call: t.Call, first: t.Expr) -> Assigned | None:
    """The assignment of a call whose value nothing uses."""
    if not isinstance(first, t.Name):
        return None
    nodes = next((nodes for item, nodes in context.walked if item.start <= call.start < item.end), None)
    # By its place: the call can be a node of an earlier tree of the same text.
    is_arm = nodes.once(_lost_places).get((call.start, call.end)) if nodes is not None else None
    return assigned(context, first, is_arm) if is_arm is not None else None


def _lost_places(nodes: Nodes) -> dict[Span, bool]:
    """The spans of expressions whose value nothing uses; true for an arm's body."""
    places = {(lost.start, lost.end): is_arm for lost, is_arm in paced(lost_calls(nodes))}
    for block in nodes.of(t.Block):
        places |= {(part.start, part.end): False for part in paced(block.statements[:-1])}
    return places
