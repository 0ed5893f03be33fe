"""Builtins by the names that other languages give them: `len`, `toString`, `substring`. Look-ups, and calls rewritten."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Final

from analysis.semantics.builtins import BUILTINS, Builtin
from analysis.semantics.rule_context import RuleContext
from analysis.suggestions.lexicon import builtins_by_word
from analysis.suggestions.lost_results import GIVE_CHANGED, assigned_if_lost
from analysis.syntax.tree import Call, FieldAccess, path_to
from analysis.text.edits import Confidence, Edit, Fix

MOST_GUESSES: Final = 3
"""Of so many builtins a patch is made."""
TYPE_WORDS: Final = ("string_", "str_", "list_", "map_", "int_", "float_", "bool_")


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


@cache
def _by_alias() -> dict[str, tuple[Builtin, ...]]:
    index: defaultdict[str, list[Builtin]] = defaultdict(list)
    for builtin in BUILTINS.values():
        stem = builtin.name.removeprefix("__builtin_")
        keys = {_folded(stem)}
        keys.update(_folded(stem.removeprefix(word)) for word in TYPE_WORDS if stem.startswith(word))
        for key in keys:
            index[key].append(builtin)
    for word, name in builtins_by_word():
        builtin = BUILTINS[name]
        if builtin not in index[_folded(word)]:
            index[_folded(word)].append(builtin)
    return {key: tuple(rows) for key, rows in index.items()}


def builtins_called(name: str, types: Sequence[str | None]) -> list[str]:
    """The builtins that a call of an unknown function can mean, the likeliest first; `types` are those of its arguments."""
    ranked = []
    for order, builtin in enumerate(_by_alias().get(_folded(name), ())):
        if builtin.arity == len(types) and builtin.name != name:
            fits = [_fit(declared, held) for (_, declared), held in zip(builtin.parameters, types, strict=True)]
            if 0 not in fits:
                ranked.append((-sum(fits), order, builtin.name))
    return [builtin for _, _, builtin in sorted(ranked)]


def as_builtin(context: RuleContext, access: FieldAccess, held: str | None) -> tuple[Fix, ...]:
    """`xs.len()`, `s.length` as calls of builtins, for a value of type `held`."""
    if _folded(access.name) not in _by_alias():
        return ()
    call = _call_of(context, access)
    arguments = call.arguments if call is not None else ()
    types = [held, *map(context.type_of, arguments)]
    dot = context.text.rindex(".", 0, access.at)
    end = (dot, call.opening + 1) if call is not None else (dot, access.at + len(access.name))
    glue = ", " if arguments else "" if call is not None else ")"
    fixes = []
    for builtin in builtins_called(access.name, types)[:MOST_GUESSES]:
        meant = assigned_if_lost(context, call, access.object) if call is not None and builtin in GIVE_CHANGED else None
        declared, before, behind = meant if meant is not None else ((), "", "")
        edits = (*declared, Edit((access.start, access.start), f"{before}{builtin}("), Edit(end, glue))
        if call is not None and behind:
            edits += (Edit((call.end, call.end), behind),)
        rationale = "values have no methods: call a function"
        description = f"write `{before.removeprefix('{ ')}{builtin}(…)`"
        fixes.append(Fix(f"W107-call-{builtin}", description, Confidence.MEDIUM, rationale, edits))
    return tuple(fixes)


def called_operands(context: RuleContext, access: FieldAccess) -> list[str]:
    """The texts of a value and of the arguments of the method that is called on it."""
    call = _call_of(context, access)
    operands = [access.object, *(call.arguments if call is not None else ())]
    return [context.text[operand.start : operand.end] for operand in operands]


def _call_of(context: RuleContext, access: FieldAccess) -> Call | None:
    item = next(item for item in context.summary.items if item.start <= access.at <= item.end)
    return next((node for node in path_to(item, access.at) if isinstance(node, Call) and _is_callee(node, access)), None)


def _is_callee(call: Call, access: FieldAccess) -> bool:
    # By its place: the access can be a node of an earlier tree of the same text.
    return isinstance(call.callee, FieldAccess) and call.callee.at == access.at


def _fit(declared: str, held: str | None) -> int:
    """Three grades: the same type, nothing known, another type."""
    if held is None or len(declared) == 1:
        return 1
    return 2 if declared.split("<")[0] == held.split("<")[0] else 0
