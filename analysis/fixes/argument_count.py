"""Calls with the wrong number of arguments: which one to drop, where one is missing and what to put there."""

from __future__ import annotations

from itertools import combinations

from analysis.semantics.builtins import BUILTINS
from analysis.semantics.declarations import TypeFact
from analysis.semantics.environment import Environment
from analysis.semantics.infer.result import Inference
from analysis.semantics.occurrences import Resolved
from analysis.semantics.ty import UNKNOWN, partial_text
from analysis.suggestions.default_values import value_of_type
from analysis.syntax.tree import Call, Name
from analysis.text.edits import Confidence, Edit, Fix

_MOST_FIXES = 3


def arity_fixes(text: str, call: Call, names: Resolved, around: Environment, types: Inference) -> tuple[Fix, ...]:
    """Patches for a direct call, with edits counted from the chunk's start, the likeliest first."""
    assert isinstance(call.callee, Name)
    name = call.callee.name
    fact = around.functions.get(name)
    parameters = fact.parameters if fact is not None else BUILTINS[name].parameters
    visible = names.visible_at(call.start)
    local_types = {name: partial_text(types.locals.get(local.at, UNKNOWN)) for name, local in visible.items()}
    held = [partial_text(types.of(argument)) for argument in call.arguments]
    if len(call.arguments) > len(parameters):
        return _fewer(text, call, parameters, held)
    return _more(call, parameters, held, local_types, around.types)


def _fits(declared: str, held: str | None) -> int:
    """Three grades: the same type, nothing known, another type."""
    if held is None or len(declared) == 1:
        return 1
    return 2 if declared.split("<")[0] == held.split("<")[0] else 0


def _fewer(text: str, call: Call, parameters: tuple[tuple[str, str], ...], held: list[str | None]) -> tuple[Fix, ...]:
    count, wanted = len(call.arguments), len(parameters)
    if count - wanted > 4:
        return ()
    choices = []
    for kept in combinations(range(count), wanted):
        fit = sum(_fits(kind, held[place]) for (_, kind), place in zip(parameters, kept, strict=True))
        # Of equals, the arguments written first stay.
        choices.append((-fit, sum(kept), kept))
    fixes = []
    for _, _, kept in sorted(choices)[:_MOST_FIXES]:
        dropped = [place for place in range(count) if place not in kept]
        edits = tuple(_without(call, place, kept) for place in dropped)
        shown = ", ".join(f"`{text[call.arguments[place].start : call.arguments[place].end]}`" for place in dropped)
        slug = "-".join(str(place + 1) for place in dropped)
        fixes.append(
            Fix(
                f"E009-drop-argument-{slug}",
                f"drop {shown}",
                Confidence.MEDIUM,
                "the call has too many arguments",
                edits,
            )
        )
    return tuple(fixes)


def _without(call: Call, place: int, kept: tuple[int, ...]) -> Edit:
    arguments = call.arguments
    if place > 0 and any(other < place for other in kept):
        return Edit((_end_with_parentheses(call, place - 1), _end_with_parentheses(call, place)), "")
    following = arguments[place + 1].start if place + 1 < len(arguments) else call.end - 1
    return Edit((arguments[place].start, following), "")


def _end_with_parentheses(call: Call, place: int) -> int:
    return call.arguments[place].end


def _more(
    call: Call,
    parameters: tuple[tuple[str, str], ...],
    held: list[str | None],
    local_types: dict[str, str | None],
    types: dict[str, TypeFact],
) -> tuple[Fix, ...]:
    count, wanted = len(call.arguments), len(parameters)
    if wanted - count > 3:
        return ()
    choices = []
    for places in combinations(range(wanted), count):
        fit = sum(_fits(parameters[place][1], kind) for place, kind in zip(places, held, strict=True))
        named = sum(
            isinstance(argument, Name) and argument.name == parameters[place][0]
            for place, argument in zip(places, call.arguments, strict=True)
        )
        choices.append((-fit, -named, sum(places), places))
    taken = {argument.name for argument in call.arguments if isinstance(argument, Name)}
    fixes = []
    for _, _, _, places in sorted(choices)[:_MOST_FIXES]:
        missing = [place for place in range(wanted) if place not in places]
        values = {place: _value(parameters[place], taken, local_types, types) for place in missing}
        edits = _insertions(call, places, values, wanted)
        listed = ", ".join(f"`{values[place]}` for '{parameters[place][0]}'" for place in missing)
        slug = "-".join(str(place + 1) for place in missing)
        why = "the call has too few arguments"
        fixes.append(Fix(f"E009-add-argument-{slug}", f"pass {listed}", Confidence.MEDIUM, why, edits, is_placeholder=True))
    return tuple(fixes)


def _insertions(call: Call, places: tuple[int, ...], values: dict[int, str], wanted: int) -> tuple[Edit, ...]:
    """One edit for each run of missing arguments: before the argument that follows it, or at the end."""
    edits: dict[int, list[str]] = {}
    for place in range(wanted):
        if place in values:
            following = next((index for index, taken in enumerate(places) if taken > place), None)
            edits.setdefault(len(places) if following is None else following, []).append(values[place])
    insertions = []
    for index, texts in sorted(edits.items()):
        if index < len(call.arguments):
            at = call.arguments[index].start
            insertions.append(Edit((at, at), "".join(f"{text}, " for text in texts)))
        else:
            at = call.end - 1
            insertions.append(Edit((at, at), (", " if call.arguments else "") + ", ".join(texts)))
    return tuple(insertions)


def _value(
    parameter: tuple[str, str],
    taken: set[str],
    local_types: dict[str, str | None],
    types: dict[str, TypeFact],
) -> str:
    """A local of the parameter's name or type, else a value of that type; `local_types` are those of the visible locals."""
    name, declared = parameter
    if name in local_types and name not in taken and local_types[name] in (declared, None):
        return name
    fitting = [local for local in local_types if local not in taken and local_types[local] == declared]
    return fitting[-1] if len(fitting) == 1 else value_of_type(declared, types.get)
