"""Patterns against the type that they are matched with: W203 names that look like variants, W204 patterns of another type."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Set
from typing import TypeAlias

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.infer.result import CatchAll, PatternClash, Payload
from analysis.semantics.rule_context import RuleContext, TextContext
from analysis.semantics.spelling import distance
from analysis.semantics.ty import Ty, named
from analysis.suggestions.default_values import value_of_type
from analysis.syntax.tree import (
    Match,
    NamePattern,
    NonePattern,
    Pattern,
    VariantLiteral,
    VariantPattern,
    WildcardPattern,
    WrapPattern,
)
from analysis.text.edits import Confidence, Edit, Fix, Span

_MOST_NAMES = 50
"""Names in the arms of one match that are compared with all variants."""
_SHORTEST = 4
"""Letters of a name that one slip makes another one's."""
_DEEPEST = 24
"""Constructors around a pattern that are looked at."""
_Places: TypeAlias = dict[tuple[str, ...], list[Pattern]]


def concerns(context: TextContext) -> bool:
    """True if a text holds patterns or variants."""
    return any(nodes.of(Match, VariantLiteral) for _, nodes in context.walked)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Names that catch everything, then patterns and payloads that do not fit."""
    if context.inference.catch_alls:
        yield from _catch_alls(context)
    for clash in _clashes(context):
        yield diagnostic(
            "W204",
            (clash.node.start, clash.node.end),
            f"this pattern never matches: the value is {named(clash.type)}",
            severity=Severity.HINT if clash.is_caught else None,
            help=f"match {named(clash.type)}",
            why="a pattern of another type matches no value",
        )
    for payload in context.inference.payloads:
        yield from _payload(context, payload)


def _clashes(context: RuleContext) -> Iterator[PatternClash]:
    """The patterns that never match; of several arms of a match that are of one wrong type the first."""
    clashes = context.inference.clashes
    matches: dict[int, int] = {}
    if len(clashes) > 1:
        all_matches = (node for _, nodes in context.walked for node in nodes if isinstance(node, Match))
        matches = {id(arm.pattern): match_.start for match_ in all_matches for arm in paced(match_.arms, 1_000)}
    reported: set[tuple[int, str]] = set()
    for clash in clashes:
        if isinstance(clash.node, VariantPattern) and not context.enums_with(clash.node.name):
            continue
        key = matches.get(id(clash.node), -1), _kind(clash.node)
        if key[0] < 0 or key not in reported:
            reported.add(key)
            yield clash


def behind(context: RuleContext, names: Set[Span]) -> set[Span]:
    """The patterns of arms that stand behind one of these patterns in a match."""
    spans: set[Span] = set()
    starts = sorted(start for start, _ in names)
    for _, nodes in context.walked:
        for node in nodes:
            if isinstance(node, Match):
                is_behind = False
                for arm in paced(node.arms, 1_000):
                    if is_behind:
                        spans.add((arm.pattern.start, arm.pattern.end))
                    is_behind = is_behind or bisect_left(starts, arm.pattern.start) < bisect_left(starts, arm.pattern.end)
    return spans


def _kind(pattern: Pattern) -> str:
    if isinstance(pattern, WrapPattern):
        return "Option" if pattern.kind == "Some" else "Result"
    return "Option" if isinstance(pattern, NonePattern) else type(pattern).__name__


def _catch_alls(context: RuleContext) -> Iterator[Diagnostic]:
    places: dict[int, _Places] = {}
    looked_at: Counter[int] = Counter()
    read = {local.at for local in context.summary.locals if local.reads}
    for catch_all in context.inference.catch_alls:
        key = id(catch_all.match)
        looked_at[key] += 1
        if looked_at[key] > _MOST_NAMES:
            continue
        if key not in places:
            places[key] = _places(catch_all.match)
        yield from _catch_all(context, catch_all, places[key].get(catch_all.path, []), read)


def _places(match_: Match) -> _Places:
    """The patterns of a match by the constructors around them, in order."""
    places: _Places = {}
    for arm in paced(match_.arms, 1_000):
        pattern: Pattern | None = arm.pattern
        path: tuple[str, ...] = ()
        while pattern is not None and len(path) <= _DEEPEST:
            places.setdefault(path, []).append(pattern)
            path = (*path, _constructor(pattern))
            pattern = _inner(pattern)
    return places


def _constructor(pattern: Pattern) -> str:
    """The variant that a pattern names; an empty text for names and literals."""
    match pattern:
        case VariantPattern(name=name):
            return name
        case WrapPattern(kind=kind):
            return kind
        case NonePattern():
            return "None"
    return ""


def _inner(pattern: Pattern) -> Pattern | None:
    if isinstance(pattern, VariantPattern):
        return pattern.payload
    return pattern.inner if isinstance(pattern, WrapPattern) else None


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


def _variants(context: RuleContext, held: Ty) -> dict[str, bool]:
    """The variants of a type, and whether each has a payload."""
    if held.head == "Option":
        return {"Some": True, "None": False}
    if held.head == "Result":
        return {"Ok": True, "Err": True}
    fact = context.type(held.name)
    return {} if fact is None else {variant: payload is not None for variant, payload in fact.members}


def _catch_all(context: RuleContext, catch_all: CatchAll, here: list[Pattern], read: set[int]) -> Iterator[Diagnostic]:
    pattern, held = catch_all.pattern, catch_all.type
    variants = _variants(context, held)
    name = _folded(pattern.name)
    taken = {_constructor(each) for each in here}
    free = [variant for variant in variants if variant not in taken]
    intended = next((variant for variant in free if _folded(variant) == name), None)
    is_plain = held.head == "enum" and not catch_all.path
    if intended is None and is_plain and len(name) >= _SHORTEST and pattern.start not in read:
        intended = next((variant for variant in free if distance(name, _folded(variant)) == 1), None)
    if intended is None or not (is_plain or _is_mistaken(catch_all, here, set(variants) - {intended}, read)):
        return
    written = f"{intended}(_)" if variants[intended] else intended
    owner = held.name if held.head == "enum" else held.head
    rationale = f"'{intended}' is a variant of '{owner}'"
    edit = Edit((pattern.start, pattern.end), written)
    yield diagnostic(
        "W203",
        (pattern.start, pattern.end),
        f"'{pattern.name}' is a name that matches every value, not the variant '{intended}'",
        help=f"write `{written}`",
        why="in a pattern, a lower-case name matches any value; variants start with a capital letter",
        name=pattern.name,
        fixes=(Fix(f"W203-variant-{intended}", f"write `{written}`", Confidence.MEDIUM, rationale, (edit,)),),
    )


def _is_mistaken(catch_all: CatchAll, here: list[Pattern], others: set[str], read: set[int]) -> bool:
    """True unless the name means what it is called: the value behind it, or the one variant that is left."""
    pattern = catch_all.pattern
    is_read = pattern.start in read
    if (is_read and (catch_all.path or here[-1] is pattern)) or (catch_all.path and len(here) == 1):
        return False
    before = here[: next(place for place, each in enumerate(here) if each is pattern)]
    return not others <= {_constructor(each) for each in before if _takes_all(_inner(each))}


def _takes_all(payload: Pattern | None) -> bool:
    return payload is None or isinstance(payload, (NamePattern, WildcardPattern))


def _payload(context: RuleContext, payload: Payload) -> Iterator[Diagnostic]:
    node = payload.node
    whole = f"'{payload.enum}::{payload.variant}'"
    if isinstance(node, VariantLiteral):
        if node.payload is None:
            stub = value_of_type(payload.wanted, context.type)
            fix = Fix(
                "W204-add-payload",
                f"write `{payload.enum}::{payload.variant}({stub})`",
                Confidence.MEDIUM,
                f"the variant holds {payload.wanted}",
                (Edit((node.end, node.end), f"({stub})"),),
                is_placeholder=True,
            )
            help, why = f"give it one: `{payload.enum}::{payload.variant}(…)`", "reading the payload gives Unit"
            yield diagnostic("W204", (node.start, node.end), f"{whole} lacks its payload", help=help, why=why, fixes=(fix,))
        else:
            fix = _without_payload(node.at + len(node.variant), node.end)
            why = "nothing can read it"
            help = "remove it, or declare it"
            yield diagnostic("W204", (node.start, node.end), f"{whole} has no payload", help=help, why=why, fixes=(fix,))
    elif isinstance(node, VariantPattern) and node.payload is not None:
        fix = _without_payload(node.start + len(node.name), node.end)
        why = "names in the pattern are bound to Unit, and a literal in it matches nothing"
        yield diagnostic("W204", (node.start, node.end), f"{whole} has no payload", help="remove it", why=why, fixes=(fix,))
    else:
        edit = Edit((node.end, node.end), "(_)")
        fix = Fix("W204-any-payload", "add `(_)`", Confidence.MEDIUM, "the variant holds a payload", (edit,))
        yield diagnostic(
            "W204",
            (node.start, node.end),
            f"{whole} has a payload, which this pattern leaves out",
            severity=Severity.HINT,
            help="add `(_)`",
            fixes=(fix,),
        )


def _without_payload(start: int, end: int) -> Fix:
    edits = (Edit((start, end), ""),)
    return Fix("W204-drop-payload", "remove the payload", Confidence.MEDIUM, "the variant holds none", edits)
