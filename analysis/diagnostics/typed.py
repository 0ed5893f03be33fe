"""Diagnostics of the rules about types, kept with a chunk until something changes that its types depend on.

A signature changes in steps that mean nothing for the types in most callers: one more parameter, another name or capability.
What such a step does mean for them is told by the rules about names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from analysis.database import checkpoint, paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules import (
    bytecode_limits,
    decided_conditions,
    dropped_fractions,
    matches,
    mismatches,
    operators,
    patterns,
    records,
    tool_calls,
    traps,
    truth_values,
    values,
)
from analysis.diagnostics.rules import type_names as types
from analysis.semantics.environment import ItemScope
from analysis.semantics.infer.call_types import seen_by_calls
from analysis.semantics.infer.result import Role
from analysis.semantics.infer.scope_types import is_plain
from analysis.semantics.rule_context import RuleContext, TextContext
from analysis.semantics.uses import ROLE_CALL, Summary
from analysis.syntax.tree import Function

Rule = Callable[[RuleContext], Iterator[Diagnostic]]
TYPE_RULES: Final[tuple[tuple[Rule, Callable[[TextContext], bool] | None], ...]] = (
    (matches.check, matches.concerns),
    (records.check, records.concerns),
    (types.check, None),
    (truth_values.check, truth_values.concerns),
    (mismatches.check, None),
    (values.check, None),
    (patterns.check, patterns.concerns),
    (traps.check_typed, traps.concerns),
    (decided_conditions.check, decided_conditions.concerns),
    (dropped_fractions.check, dropped_fractions.concerns),
    (operators.check, operators.concerns),
    (bytecode_limits.check, bytecode_limits.concerns),
    (tool_calls.check, tool_calls.concerns),
)
"""The rules that read of a function of the program only whether it exists, and else what inference tells.

Beside a rule that few texts concern stands what tells by a text alone whether it can find anything there.
"""
LONG: Final = 2_000
"""Characters of a chunk at which one rule takes as long as may pass between two checkpoints."""


class _Typed(NamedTuple):
    """What the rules about types say of a chunk in a scope."""

    scope: ItemScope
    names_parameters: bool
    """A message may hold the name of a function's parameter."""
    diagnostics: tuple[Diagnostic, ...]


def typed_diagnostics(context: RuleContext) -> tuple[Diagnostic, ...]:
    """The diagnostics of the rules about types: those of before if all that they depend on is as it was."""
    walk = context.summary.walk
    before = walk.typed
    if isinstance(before, _Typed) and _is_seen_alike(before, context):
        return before.diagnostics
    diagnostics: list[Diagnostic] = []
    for rule in walk.once(_rules_for, context):
        if len(context.text) > LONG:
            checkpoint()
        diagnostics += rule(context)
    names_parameters = any(each.want.role is Role.ARGUMENT for each in paced(context.inference.mismatches))
    typed = _Typed(context.scope, names_parameters, tuple(diagnostics))
    walk.keep_types(typed)
    return typed.diagnostics


def _rules_for(context: TextContext) -> list[Rule]:
    """The rules that a text can concern, whatever the names in it mean: a changed signature elsewhere asks no others."""
    return [rule for rule, concerns in paced(TYPE_RULES, 1) if concerns is None or concerns(context)]


def _is_seen_alike(before: _Typed, context: RuleContext) -> bool:
    """True if the types of a chunk depend on nothing in which its scope differs from the one before."""
    old, scope = before.scope, context.scope
    if old is scope:
        return True
    if old[1:] != scope[1:]:
        return False
    changed = [place for place, pair in enumerate(zip(old.functions, scope.functions, strict=True)) if pair[0] is not pair[1]]
    if not changed:
        return True
    most_arguments, are_plain = context.summary.walk.once(_most_arguments, context.summary), is_plain(scope)
    for place in changed:
        fact, other = old.functions[place], scope.functions[place]
        if fact == other:
            continue
        most = most_arguments[place]
        if fact is None or other is None or most is None or before.names_parameters:
            return False
        seen = seen_by_calls(fact, most, are_plain)
        if seen is None or seen != seen_by_calls(other, most, are_plain):
            return False
    return True


def _most_arguments(summary: Summary) -> list[int | None]:
    """For each name that a chunk mentions the most arguments of its calls; None if it is used in other ways, or in contracts.

    Of a chunk that is more than one function nothing is said.
    """
    most: dict[str, int | None] = {}
    function = summary.items[0] if len(summary.items) == 1 else None
    if isinstance(function, Function):
        for use in paced(summary.names):
            is_called = use.role == ROLE_CALL and function.body.start <= use.start < function.body.end
            before = most.get(use.name, 0)
            most[use.name] = max(before, use.arguments) if is_called and before is not None else None
    return [most.get(name) for name in summary.free_names.values]
