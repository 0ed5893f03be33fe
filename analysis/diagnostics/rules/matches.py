"""Matches: E005 as the reference judges them, W201 for everything else that is left out, W202 and W305 for arms.

An arm that could not be read counts as one for every value that its first word may come to name, so nothing that is being written
is reported as missing, and nothing else stops being reported meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from analysis.data_classes import replace
from analysis.database import checkpoint, discard, paced, paced_sorted
from analysis.diagnostics.diagnostic import UNTOLD, Diagnostic, Related, Severity
from analysis.diagnostics.renaming import renaming
from analysis.diagnostics.rules.building import diagnostic
from analysis.diagnostics.rules.match_coverage import SIGNATURES, Coverage, Unanswerable
from analysis.semantics.declarations import TypeFact
from analysis.semantics.rule_context import RuleContext, TextContext
from analysis.semantics.spelling import closest
from analysis.semantics.ty import UNKNOWN, partial_text
from analysis.semantics.type_text import split_type
from analysis.semantics.uses import MatchUse
from analysis.suggestions.missing_arms import add_arms, places_of
from analysis.syntax.tree import (
    BoolLiteral,
    BoolPattern,
    ErrorPattern,
    Expr,
    IntLiteral,
    IntPattern,
    Match,
    Name,
    NamePattern,
    NoneLiteral,
    NonePattern,
    Pattern,
    StringLiteral,
    StringPattern,
    VariantLiteral,
    VariantPattern,
    WildcardPattern,
    Wrap,
    WrapPattern,
)
from analysis.text.edits import Confidence, Edit, Fix, FixKind

_LITERAL: Final = re.compile(r'(?<!\w)-?\d+|"(?:[^"\\]|\\.)*+"?')
_MOST_GAPS: Final = 50
"""Missing patterns whose places are shown one by one."""
_MOST_UNREAD: Final = 20
"""Arms that cannot be read, above which nothing is said of what is missing."""
_MOST_GUESSES: Final = 50
"""Unknown variants of one chunk that are compared with all names that could be meant."""


_MANY: Final = 500
"""Arms from which what is known about them is freed piece by piece."""


class _TypedMatch:
    """A match, the type of its value and the expected type of its arms, if known."""

    def __init__(self, context: RuleContext, use: MatchUse) -> None:
        self.context = context
        self.node = use.node
        self.unread = [arm.pattern for arm in paced(use.node.arms, 1_000) if isinstance(arm.pattern, ErrorPattern)]
        self.value_type = context.type_of(use.node.value)
        want = context.inference.want(use.node)
        bodies = (context.type_of(arm.body) for arm in paced(use.node.arms, 1_000))
        self.given = partial_text(want.type) if want is not None else next((body for body in bodies if body is not None), None)
        fact = context.type(use.parameter) if use.parameter is not None else None
        self.enum = fact if fact is not None and fact.is_enum and not fact.broken else None
        """The enum that a parameter is declared to be: then the reference checks, too."""


def concerns(context: TextContext) -> bool:
    """True if a text holds a match."""
    return bool(context.summary.matches)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Every match of the chunk."""
    guesses = context.guesses(_MOST_GUESSES)
    for use in paced(context.summary.matches):
        typed = _TypedMatch(context, use)
        unknown = list(_unknown_variants(typed, guesses))
        yield from unknown
        missing = _missing_variants(typed, typed.enum) if typed.enum is not None else []
        if typed.enum is not None and missing:
            payloads = dict(typed.enum.members)
            patterns = [f"{name}(_)" if payloads[name] is not None else name for name in missing]
            lacking = _non_exhaustive(typed, typed.enum, missing, patterns)
            # A variant that is misspelt in its arm is not missing besides.
            meant = {edit.new_text for each in unknown for fix in each.fixes for edit in fix.edits}
            yield replace(lacking, shown=UNTOLD) if meant.issuperset(missing) else lacking
            yield from _gaps(typed, patterns, list(payloads))
        if unknown or (not typed.node.arms and _has_no_values(typed)):
            continue
        yield from _coverage(typed, report_missing=not missing)


def _has_no_values(typed: _TypedMatch) -> bool:
    """True if a type is an enum without variants, or may be one."""
    declared = typed.context.type(typed.value_type) if typed.value_type is not None else None
    return declared is not None and declared.is_enum and (declared.broken or not declared.members)


# ---- E005: only parameters whose annotation is an enum (chapter 04 section 4.1) ------------------------------------------


def _missing_variants(typed: _TypedMatch, enum: TypeFact) -> list[str]:
    node = typed.node
    if (
        any(isinstance(arm.pattern, (WildcardPattern, NamePattern)) for arm in paced(node.arms, 1_000))
        or len(typed.unread) > _MOST_UNREAD
    ):
        return []
    covered = {arm.pattern.name for arm in paced(node.arms, 1_000) if isinstance(arm.pattern, VariantPattern)}
    variants = {name for name, _ in paced(enum.members, 1_000)}
    checkpoint()
    for pattern in typed.unread:
        covered |= _may_name(typed.context.text, pattern, variants)
    return paced_sorted(variants - covered)


def _may_name(text: str, pattern: ErrorPattern, names: Collection[str]) -> set[str]:
    """Names with which an unreadable arm may begin once it is complete: all, if it begins with none of them."""
    word = text[pattern.start : pattern.end]
    if text[pattern.end : pattern.end + 1] == "(":
        likely = {word}.intersection(names)
    else:
        likely = {name for name in names if name.startswith(word)}
    return likely or set(names)


def _non_exhaustive(typed: _TypedMatch, enum: TypeFact, missing: list[str], patterns: list[str]) -> Diagnostic:
    node = typed.node
    assert isinstance(node.value, Name)
    listed = ", ".join(missing)
    fix = Fix(
        "E005-add-arms",
        f"add missing match arms: {listed}",
        Confidence.HIGH,
        f"match expression does not cover variants: {listed}; adding stub arms with TODO markers",
        add_arms(typed.context.text, node, patterns, list(dict(enum.members)), typed.given, typed.context.type),
        is_placeholder=True,
        kind=FixKind.COMPLETION,
    )
    return diagnostic(
        "E005",
        (node.value.start, node.value.end),
        f"non-exhaustive match on '{node.value.name}' of type '{enum.name}': missing variants: {listed}",
        help="add an arm for each of them, or a last arm `_ => …`",
        why="a value that no arm matches ends the run: no match found for value",
        name=enum.name,
        fixes=() if typed.unread else (fix,),
    )


# ---- everything else ----------------------------------------------------------------------------------------------------


def _coverage(typed: _TypedMatch, report_missing: bool) -> Iterator[Diagnostic]:
    """Arms that are never reached, and values without an arm."""
    context, node = typed.context, typed.node

    def enum_of(names: frozenset[str], held: str | None) -> TypeFact | None:
        declared = context.type(held) if held is not None else None
        if declared is not None:
            return declared if declared.is_enum and all(map(declared.has, paced(names))) else None
        candidates = set.intersection(*(set(context.enums_with(variant)) for variant in paced(names)))
        return candidates.pop() if len(candidates) == 1 else None

    patterns = [arm.pattern for arm in paced(node.arms, 1_000)]
    try:
        coverage = Coverage(paced(patterns), typed.value_type, enum_of)
    except Unanswerable:
        return
    yield from _of_coverage(typed, coverage, patterns, report_missing)
    if len(patterns) > _MANY:
        discard(coverage)


def _of_coverage(typed: _TypedMatch, coverage: Coverage, patterns: list[Pattern], report_missing: bool) -> Iterator[Diagnostic]:
    context, node = typed.context, typed.node
    catch_all: Pattern | None = None
    for place, pattern in enumerate(paced(patterns)):
        if isinstance(pattern, ErrorPattern):
            continue
        if not coverage.add(pattern):
            yield _unreachable(context, node, place, catch_all)
        elif isinstance(pattern, (NamePattern, WildcardPattern)):
            catch_all = pattern
    signature = coverage.signature
    if typed.unread:
        if signature is None or len(typed.unread) > _MOST_UNREAD:
            return
        for unread in typed.unread:
            for name in _may_name(context.text, unread, signature):
                coverage.cover(name)
    example = coverage.missing()
    if example is None or not report_missing or any(_is_matched(node.value, pattern) for pattern in paced(patterns)):
        return
    if not patterns:
        signature = _constructors(typed)
    missing, order = ["_"], list(signature or ())
    if signature is not None:
        named = coverage.named
        missing = [f"{name}(_)" if payload else name for name, payload in signature.items() if name not in named]
        # For numbers and texts one literal would leave the others out: use `_`.
        missing = missing or [_LITERAL.sub("_", example)]
    fix = Fix(
        "W201-add-arms",
        f"add missing match arms: {', '.join(missing)}",
        Confidence.HIGH,
        "every value needs an arm that matches it",
        add_arms(context.text, node, missing, order, typed.given, context.type),
        is_placeholder=True,
        kind=FixKind.COMPLETION,
    )
    yield diagnostic(
        "W201",
        (node.value.start, node.value.end),
        f"match does not cover all values: `{example}` is missed",
        help="add an arm for it, or a last arm `_ => …`",
        why="a value that no arm matches ends the run: no match found for value",
        fixes=() if typed.unread else (fix,),
    )
    yield from _gaps(typed, missing, order)


def _constructors(typed: _TypedMatch) -> dict[str, bool] | None:
    """The constructors of the value's type, and whether they have a payload, where no arm tells them; None for other types."""
    held = typed.value_type or ""
    if (signature := SIGNATURES.get(split_type(held)[0])) is not None:
        return signature
    declared = typed.context.type(held)
    if declared is None or not declared.is_enum or declared.broken:
        return None
    return {name: payload is not None for name, payload in paced(declared.members, 1_000)}


def _is_matched(value: Expr, pattern: Pattern) -> bool:
    """True if a value is a constant that a pattern certainly matches: then no other value comes."""
    while True:
        match value, pattern:
            case (_, WildcardPattern() | NamePattern()) | (NoneLiteral(), NonePattern()):
                return True
            case (Wrap(kind=kind, operand=inner), WrapPattern(kind=wanted, inner=below)) if kind == wanted:
                value, pattern = inner, below
            case (VariantLiteral(variant=name, payload=held), VariantPattern(name=wanted, payload=below)) if name == wanted:
                if held is None or below is None:
                    return held is None and below is None
                value, pattern = held, below
            case (IntLiteral(text=text), IntPattern(text=wanted)):
                return text.lstrip("0") == wanted.lstrip("0")
            case (StringLiteral(raw=text), StringPattern(raw=wanted)):
                return text == wanted
            case (BoolLiteral(value=flag), BoolPattern(value=wanted_flag)):
                return flag is wanted_flag
            case _:
                return False


def _gaps(typed: _TypedMatch, patterns: list[str], order: list[str]) -> Iterator[Diagnostic]:
    """A hint at each place of a longer match where arms are missing, for tools: an arm that was lost is found where it was.

    People have it from the diagnostic of the match.
    """
    text, node = typed.context.text, typed.node
    if len(patterns) > _MOST_GAPS or typed.unread:
        return
    for place, missing in places_of(node, patterns, order):
        at = node.arms[place].start if place < len(node.arms) else node.end - 1
        end = node.arms[place].pattern.end if place < len(node.arms) else node.end
        if "\n" not in text[node.value.start : at]:
            continue
        listed = ", ".join(f"`{pattern}`" for pattern in missing)
        edits = add_arms(text, node, missing, order, typed.given, typed.context.type)
        slug = "-".join(pattern.split("(")[0] for pattern in missing)
        fix = Fix(
            f"W201-add-{slug}",
            f"add {listed} here",
            Confidence.MEDIUM,
            "every value needs an arm that matches it",
            edits,
            is_placeholder=True,
            kind=FixKind.COMPLETION,
        )
        yield diagnostic(
            "W201",
            (at, end),
            f"the match has no arm for {listed}; it would come before this",
            severity=Severity.HINT,
            help=f"add `{missing[0]} => …,`",
            related=(Related("the match", (node.value.start, node.value.end)),),
            fixes=(fix,),
            shown=UNTOLD,
        )


def _unreachable(context: RuleContext, node: Match, place: int, catch_all: Pattern | None) -> Diagnostic:
    arm = node.arms[place]
    pattern = arm.pattern
    related: tuple[Related, ...] = ()
    if catch_all is not None:
        related = (Related("this arm matches everything", (catch_all.start, catch_all.end)),)
    start, end = node.arms[place - 1].end, arm.end
    # The comma behind the arm before it stays, the one behind this arm goes.
    while start < arm.start and context.text[start] != "\n" and context.text[start] in ", \t":
        start += 1
    if context.text[end : end + 1] == ",":
        end += 1
    removed = (Edit((start, end), ""),)
    fix = Fix("W202-remove-arm", "remove the arm", Confidence.MEDIUM, "it is never reached", removed, kind=FixKind.REMOVAL)
    return diagnostic(
        "W202",
        (pattern.start, pattern.end),
        "this arm is never reached: the arms above it match everything that it matches",
        help="remove it, or move it up",
        related=related,
        fixes=(fix,),
    )


def _unknown_variants(typed: _TypedMatch, guesses: Iterator[int]) -> Iterator[Diagnostic]:
    context = typed.context
    taken = {arm.pattern.name for arm in paced(typed.node.arms) if isinstance(arm.pattern, VariantPattern)}
    for arm in paced(typed.node.arms):
        pattern: Pattern | None = arm.pattern
        while pattern is not None:
            if isinstance(pattern, WrapPattern):
                pattern = pattern.inner
                continue
            if not isinstance(pattern, VariantPattern):
                break
            held = context.inference.owners.get(pattern.start, UNKNOWN)
            owner = context.type(held.name) if held.head == "enum" else None
            owner = owner if owner is not None and not owner.broken else None
            is_known = owner.has(pattern.name) if owner is not None else bool(context.enums_with(pattern.name))
            if not is_known and not context.is_doubtful(pattern.name) and not (owner is None and context.scope.doubtful):
                yield _unknown_variant(pattern, owner, taken, is_guessed=next(guesses, None) is not None)
            pattern = pattern.payload


def _unknown_variant(pattern: VariantPattern, enum: TypeFact | None, taken: set[str], is_guessed: bool) -> Diagnostic:
    span = (pattern.start, pattern.start + len(pattern.name))
    names = [name for name, _ in enum.members] if enum is not None else []
    near, others = None, names
    if is_guessed:
        others = [name for name in names if name not in taken]
        near = closest(pattern.name, others)
        if near is None:
            others, near = names, closest(pattern.name, names)
    fixes: tuple[Fix, ...] = ()
    if near:
        rationale = f"'{pattern.name}' is no variant of this enum; closest match is '{near}'"
        fixes = (renaming("W305", pattern.name, near, others, span, rationale, Confidence.HIGH),)
    message = (
        f"enum '{enum.name}' has no variant '{pattern.name}'" if enum is not None else f"no enum has a variant '{pattern.name}'"
    )
    listed = ", ".join(names[:_MOST_GUESSES]) + (", …" if len(names) > _MOST_GUESSES else "")
    help = f"did you mean '{near}'?" if near else f"its variants are: {listed}" if names else "check the spelling"
    return diagnostic(
        "W305",
        span,
        message,
        help=help,
        why="an arm with an unknown variant matches nothing",
        name=pattern.name,
        fixes=fixes,
    )
