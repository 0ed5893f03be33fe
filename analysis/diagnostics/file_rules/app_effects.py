"""W403 for the data of an app: effects of unknown kinds or not allowed by its policies (spec chapter 13 sections 5 and 6).

Judged are the record literals of `update` and of what it calls, as far as they are written with constants.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from analysis.database import Database, paced
from analysis.diagnostics.diagnostic import Place
from analysis.diagnostics.file_rules.problem import FUNCTION, TEXT, FileContext, Problem
from analysis.diagnostics.file_rules.unused_capabilities import file_reached
from analysis.diagnostics.rules.capability_names import ALIASES
from analysis.inputs import FileId
from analysis.semantics.app_shapes import (
    CAPABILITIES,
    EFFECT,
    EFFECT_KINDS,
    POLICY_SET,
    UPDATE_RESULT,
    RecordShape,
    field_positions,
)
from analysis.semantics.declarations import Declarations, FunctionFact, TypeFact
from analysis.semantics.environment import environment
from analysis.semantics.imports import imported_files
from analysis.semantics.literal_values import Literal, file_literals
from analysis.semantics.spelling import closest
from analysis.syntax.tree import Function, Item, ListLiteral, RecordLiteral, StringLiteral, walk
from analysis.text.edits import Confidence, Edit, Fix, Span

_DENIED: Final = "the update fails with a policy violation, and its new state is lost"


class Policy(NamedTuple):
    """Result of `policies`: the names of capabilities and the most effects of one update (0: unlimited)."""

    capabilities: tuple[str, ...] | None
    most: int


def app_effect_problems(context: FileContext) -> Iterator[Problem]:
    """The effects and policies of an app, each problem once."""
    if context.is_app():
        yield from dict.fromkeys(_problems(context.db, context.file, context.facts))


def _problems(db: Database, file: FileId, facts: tuple[Declarations, ...]) -> Iterator[Problem]:
    places = _places(facts)
    literals = _by_function(db, file)
    types = environment(db, file).types
    policy = _policy(literals.get("policies", []), places, types)
    if policy is not None and "policies" in places:
        yield from _unknown_capabilities(policy, places["policies"][0])
    result = types.get(places["update"][1].result or "")
    effects = _names(UPDATE_RESULT, result)[1]
    effect = _element(result.member(effects)) if result is not None else ""
    for name, reached_from in _reached_from_update(db, file, places).items():
        place = places[reached_from][0]
        through = "" if name == reached_from else name
        for literal in literals.get(name, []):
            if _is_effect(types.get(literal.type), effect):
                kind = literal.value(_names(EFFECT, types.get(literal.type))[0])
                if isinstance(kind, str):
                    yield from _of_kind(kind, place, through, policy)
            elif result is not None and literal.type == result.name and policy is not None and policy.most:
                listed = literal.value(effects)
                if isinstance(listed, tuple) and len(listed) > policy.most:
                    message = f"'{name}' returns {len(listed)} effects at once, and 'policies' allows {policy.most}"
                    yield Problem("W403", place, message, "return fewer, or allow more: `max_effects`", _DENIED)


def policy_literal(literals: list[Literal], policy_type: TypeFact | None) -> Literal | None:
    """The record that `policies` returns, if it contains exactly one literal of that type."""
    matching = [literal for literal in literals if policy_type is not None and literal.type == policy_type.name]
    return matching[0] if len(matching) == 1 else None


def capabilities_field(policy_type: TypeFact | None) -> str:
    """The name of the field that holds the capabilities of a policy set, "" if there is none."""
    return _names(POLICY_SET, policy_type)[0]


def _places(facts: tuple[Declarations, ...]) -> dict[str, tuple[Place, FunctionFact]]:
    return {
        function.name: (Place(chunk, FUNCTION, number), function)
        for chunk, fact in enumerate(paced(facts))
        for number, function in enumerate(fact.functions)
    }


def _by_function(db: Database, file: FileId) -> Mapping[str, list[Literal]]:
    """The literals by function, the file's own function over a library's of the same name."""
    by_function: dict[str, list[Literal]] = {}
    for each in (*imported_files(db, file), file):
        own: defaultdict[str, list[Literal]] = defaultdict(list)
        for _, literal in file_literals(db, each):
            own[literal.function].append(literal)
        by_function |= own
    return by_function


def _names(shape: RecordShape, declared: TypeFact | None) -> tuple[str, ...]:
    """The names of a shape's fields in a type, "" for a missing one."""
    if declared is None or declared.is_enum or declared.broken:
        return ("",) * len(shape.fields)
    names = tuple(name for name, _ in declared.members)
    return tuple("" if at is None else names[at] for at in field_positions(shape, names))


def _element(kind: str | None) -> str:
    return kind[5:-1].strip() if kind is not None and kind.startswith("List<") else ""


def _is_effect(declared: TypeFact | None, effect: str) -> bool:
    if declared is None or declared.is_enum or declared.broken:
        return False
    return declared.name == effect or all(map(declared.has, EFFECT.names))


def _policy(
    literals: list[Literal], places: Mapping[str, tuple[Place, FunctionFact]], types: Mapping[str, TypeFact]
) -> Policy | None:
    """The policies; None if they are not constant. Without `policies` every effect is allowed."""
    if "policies" not in places:
        return Policy(None, 0)
    declared = types.get(places["policies"][1].result or "")
    literal = policy_literal(literals, declared)
    if literal is None:
        return None
    capabilities, most, _ = _names(POLICY_SET, declared)
    listed, number = literal.value(capabilities), literal.value(most)
    if not isinstance(listed, tuple):
        return Policy(None, number if isinstance(number, int) else 0)
    texts = tuple(name for name in listed if name is not None)
    return Policy(texts if len(texts) == len(listed) else None, number if isinstance(number, int) else 0)


def _unknown_capabilities(policy: Policy, place: Place) -> Iterator[Problem]:
    for name in dict.fromkeys(policy.capabilities or ()):
        if name not in CAPABILITIES:
            near = ALIASES.get(name) or closest(name, CAPABILITIES)
            near = near if near in CAPABILITIES else None
            help = f"did you mean '{near}'?" if near else f"the capabilities of effects are: {', '.join(CAPABILITIES)}"
            message = f"'policies' allows '{name}', which no effect needs"
            yield Problem("W403", _text(place, name), message, help, "it allows nothing", rename=near or "")


def _reached_from_update(db: Database, file: FileId, places: Mapping[str, tuple[Place, FunctionFact]]) -> dict[str, str]:
    """The functions that `update` reaches, itself included, each with the function of this file through which it is reached."""
    reached = file_reached(db, file)
    callers = {"update": "update"}
    todo = ["update"]
    while todo:
        caller = todo.pop()
        for name in reached.get(caller) or ():
            if name in reached and name not in callers:
                callers[name] = name if name in places else callers[caller]
                todo.append(name)
    return callers


def _of_kind(kind: str, place: Place, through: str, policy: Policy | None) -> Iterator[Problem]:
    """The problems of an effect of a kind; `through` is the library's function that makes it."""
    at = place if through else _text(place, kind)
    origin = f" of '{through}'" if through else ""
    effect = EFFECT_KINDS.get(kind)
    if effect is None:
        near = closest(kind, EFFECT_KINDS)
        help = f"did you mean '{near}'?" if near else f"the kinds are: {', '.join(EFFECT_KINDS)}"
        why = "the host drops effects of kinds that it does not know"
        yield Problem("W403", at, f"unknown effect kind '{kind}'{origin}", help, why, rename="" if through else near or "")
    elif policy is not None and policy.capabilities is not None and effect.capability not in policy.capabilities:
        message = f"the effect '{kind}'{origin} needs '{effect.capability}', which 'policies' does not allow"
        help = f"add '{effect.capability}' to the capabilities of 'policies'"
        yield Problem("W403", at, message, help, _DENIED, capability=effect.capability)


def _text(place: Place, text: str) -> Place:
    """The first text of a function's record literals."""
    return place._replace(kind=TEXT, member=text)


def app_effect_fixes(chunk: str, item: Item, span: Span, problem: Problem) -> tuple[Fix, ...]:
    """Writes another text wherever a function's record literals hold one."""
    if problem.place.kind != TEXT or not problem.rename or not isinstance(item, Function):
        return ()
    old, new = problem.place.member, problem.rename
    edits = tuple(Edit((part.start + 1, part.end - 1), new) for part in texts_of(item, old))
    return (Fix(f"W403-rename-{old}", f"write '{new}'", Confidence.MEDIUM, f"closest to '{old}' is '{new}'", edits),)


def texts_of(item: Function, text: str) -> list[StringLiteral]:
    """The strings of a text in the record literals of a function, in order."""
    literals = {
        part.start: part
        for record in walk(item.body)
        if isinstance(record, RecordLiteral)
        for given in record.fields
        for part in (given.value.items if isinstance(given.value, ListLiteral) else (given.value,))
        if isinstance(part, StringLiteral) and part.raw == text
    }
    return [literals[start] for start in sorted(literals)]
