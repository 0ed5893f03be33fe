"""Patterns against the type that they are matched with: W203 names that look like variants, W204 patterns of another type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.diagnostics.rules.building import diagnostic
from analysis.edits import Confidence, Edit, Fix
from analysis.semantics.infer.result import CatchAll, Payload
from analysis.semantics.rule_context import RuleContext
from analysis.semantics.spelling import distance
from analysis.semantics.ty import named
from analysis.suggestions.default_values import value_of_type
from analysis.syntax.tree import NamePattern, VariantLiteral, VariantPattern

_MOST_NAMES = 50
"""Names in the arms of one match that are compared with all variants."""
_SHORTEST = 4
"""Letters of a name that one slip makes another one's."""


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Names that catch everything, then patterns and payloads that do not fit."""
    if context.inference.catch_alls:
        yield from _catch_alls(context)
    for clash in context.inference.clashes:
        if isinstance(clash.node, VariantPattern) and not context.enums_with(clash.node.name):
            continue
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


def _catch_alls(context: RuleContext) -> Iterator[Diagnostic]:
    taken: dict[int, frozenset[str]] = {}
    looked_at: Counter[int] = Counter()
    read = {local.at for local in context.summary.locals if local.reads}
    for catch_all in context.inference.catch_alls:
        names = taken.get(id(catch_all.match))
        if names is None:
            arms = [arm.pattern for arm in catch_all.match.arms]
            names = frozenset([pattern.name for pattern in arms if isinstance(pattern, VariantPattern)])
            taken[id(catch_all.match)] = names
        looked_at[id(catch_all.match)] += 1
        if looked_at[id(catch_all.match)] > _MOST_NAMES:
            continue
        yield from _catch_all(context, catch_all, names, read)


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


def _catch_all(context: RuleContext, catch_all: CatchAll, taken: frozenset[str], read: set[int]) -> Iterator[Diagnostic]:
    pattern = catch_all.arm.pattern
    enum = context.type(catch_all.enum.name)
    if enum is None or not isinstance(pattern, NamePattern):
        return
    name = _folded(pattern.name)
    free = [variant for variant, _ in enum.members if variant not in taken]
    intended = next((variant for variant in free if _folded(variant) == name), None)
    if intended is None and len(name) >= _SHORTEST and pattern.start not in read:
        intended = next((variant for variant in free if distance(name, _folded(variant)) == 1), None)
    if intended is None:
        return
    written = f"{intended}(_)" if enum.member(intended) is not None else intended
    rationale = f"'{intended}' is a variant of '{enum.name}'"
    edit = Edit((pattern.start, pattern.end), written)
    yield diagnostic(
        "W203",
        (pattern.start, pattern.end),
        f"'{pattern.name}' is a name that matches every value, not the variant '{intended}'",
        help=f"write `{written}`",
        why="variants begin with a capital letter; a name in a pattern binds whatever value comes",
        name=pattern.name,
        fixes=(Fix(f"W203-variant-{intended}", f"write `{written}`", Confidence.MEDIUM, rationale, (edit,)),),
    )


def _payload(context: RuleContext, payload: Payload) -> Iterator[Diagnostic]:
    node = payload.node
    whole = f"'{payload.enum}::{payload.variant}'"
    if isinstance(node, VariantLiteral):
        if node.payload is None:
            stub = value_of_type(payload.wanted, context.type)
            fix = Fix(
                "W204-add-payload",
                f"write `{payload.enum}::{payload.variant}({stub})`",
                Confidence.LOW,
                f"the variant holds {payload.wanted}",
                (Edit((node.end, node.end), f"({stub})"),),
                is_placeholder=True,
            )
            help, why = f"give it one: `{payload.enum}::{payload.variant}(…)`", "reading the payload gives Unit"
            yield diagnostic("W204", (node.start, node.end), f"{whole} lacks its payload", help=help, why=why, fixes=(fix,))
        else:
            name_end = node.at + len(node.variant)
            fix = Fix(
                "W204-drop-payload",
                "remove the payload",
                Confidence.MEDIUM,
                "the variant holds none",
                (Edit((name_end, node.end), ""),),
            )
            why = "nothing can read it"
            help = "remove it, or declare it"
            yield diagnostic("W204", (node.start, node.end), f"{whole} has no payload", help=help, why=why, fixes=(fix,))
    elif isinstance(node, VariantPattern) and node.payload is not None:
        name_end = node.start + len(node.name)
        fix = Fix(
            "W204-drop-payload",
            "remove the payload",
            Confidence.MEDIUM,
            "the variant holds none",
            (Edit((name_end, node.end), ""),),
        )
        why = "what the pattern binds is Unit, and a literal in it matches nothing"
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
