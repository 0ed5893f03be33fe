"""Matches: patterns are compared with the type of what is matched, and give the names that they bind their types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.database import paced
from analysis.semantics import ty
from analysis.semantics.infer.result import CatchAll, Matched, PatternClash, Payload, Want
from analysis.semantics.ty import NEVER, UNKNOWN, Ty
from analysis.syntax.tree import (
    BoolPattern,
    Expr,
    IntPattern,
    Match,
    NamePattern,
    NonePattern,
    Pattern,
    StringPattern,
    VariantPattern,
    WildcardPattern,
    WrapPattern,
)

if TYPE_CHECKING:
    from analysis.semantics.infer.inferring import Engine

_LITERALS = {IntPattern: "Int", StringPattern: "String", BoolPattern: "Bool", NonePattern: "Option"}
_WITH_VARIANTS = frozenset(("enum", "Option", "Result"))
_MOST_CONSTRUCTORS = 24
"""Constructors around a place that tell it from others."""


def match(engine: Engine, node: Match, want: Want | None, used: bool) -> Ty:
    """The type of a match; its arms are checked against the wanted type."""
    held = engine.synth(node.value)
    if engine.scope.likely and not held.is_known:
        held = _likely_owner(engine, node)
        engine.out.guessed.update(arm.pattern.start for arm in node.arms if isinstance(arm.pattern, VariantPattern))
    engine.out.matches.append(Matched(node, held, want.type if want is not None else UNKNOWN))
    joined = NEVER
    first: tuple[Expr, Ty] | None = None
    is_caught = any(isinstance(arm.pattern, (NamePattern, WildcardPattern)) for arm in paced(node.arms, 1_000))
    for arm in node.arms:
        bind(engine, node, arm.pattern, held, is_caught)
        given = engine.check(arm.body, want) if want is not None else engine.synth(arm.body) if used else engine.discard(arm.body)
        if used and want is None and given.is_known:
            if first is None:
                first = arm.body, given
            else:
                engine.differing(node, first, (arm.body, given))
        joined = engine.join(joined, given)
    return joined


def _likely_owner(engine: Engine, node: Match) -> Ty:
    """The only enum that has all variants that the arms name."""
    names = tuple(arm.pattern.name for arm in node.arms if isinstance(arm.pattern, VariantPattern))
    fact = engine.scope.only_enum_with(names) if names else None
    return ty.enum(fact.name) if fact is not None else UNKNOWN


def bind(engine: Engine, node: Match, pattern: Pattern, held: Ty, is_caught: bool) -> None:
    """Declares the name that a pattern binds, and notes what does not fit a value of type `held`."""
    inner: Pattern | None = pattern
    path: tuple[str, ...] = ()
    while inner is not None:
        match_ = inner
        if isinstance(match_, NamePattern):
            engine.declare(match_.start, held)
            if held.head in _WITH_VARIANTS:
                engine.out.catch_alls.append(CatchAll(match_, node, held, path))
            return
        if isinstance(match_, WrapPattern):
            path = (*path[:_MOST_CONSTRUCTORS], match_.kind)
            held, inner = _payload_of_wrap(engine, match_, held, is_caught), match_.inner
        elif isinstance(match_, VariantPattern):
            path = (*path[:_MOST_CONSTRUCTORS], match_.name)
            held, inner = _payload_of_variant(engine, match_, held, is_caught), match_.payload
        else:
            head = _LITERALS.get(type(match_))
            if head is not None and held.is_known and held.head != head:
                engine.out.clashes.append(PatternClash(match_, held, is_caught))
            return


def _payload_of_wrap(engine: Engine, pattern: WrapPattern, held: Ty, is_caught: bool) -> Ty:
    if not held.is_known:
        return held
    if held.head != ("Option" if pattern.kind == "Some" else "Result"):
        engine.out.clashes.append(PatternClash(pattern, held, is_caught))
        return UNKNOWN
    return held.arguments[1 if pattern.kind == "Err" else 0]


def _payload_of_variant(engine: Engine, pattern: VariantPattern, held: Ty, is_caught: bool) -> Ty:
    engine.out.owners[pattern.start] = held
    if not held.is_known:
        return UNKNOWN
    if held.head != "enum":
        engine.out.clashes.append(PatternClash(pattern, held, is_caught))
        return UNKNOWN
    fact = engine.scope.enum(held)
    if fact is None or not fact.has(pattern.name):
        return UNKNOWN
    declared = fact.member(pattern.name)
    if (declared is None) != (pattern.payload is None):
        engine.out.payloads.append(Payload(pattern, fact.name, pattern.name, declared))
    return engine.scope.read(declared)
