"""Matches: E005 as the reference judges them, W201 for everything else that is left out, W202 and W305 for arms."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.diagnostics.diagnostic import Confidence, Diagnostic, Edit, Fix, Related, Severity
from analysis.diagnostics.rules.context import RuleContext, diagnostic
from analysis.diagnostics.rules.match_coverage import Shape, Unanswerable, is_useful, missing_example, shapes, signature_of
from analysis.fixes.missing_arms import add_arms, place_of
from analysis.semantics.declarations import TypeFact
from analysis.semantics.spelling import closest
from analysis.semantics.type_recipes import payload_of, split_type
from analysis.semantics.uses import MatchUse
from analysis.syntax.tree import Match, Name, NamePattern, Pattern, VariantPattern, WildcardPattern, WrapPattern


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Every match of the chunk."""
    for use in context.summary.matches:
        node = use.node
        enum = _enum_of_parameter(context, use)
        known = context.evaluated(use.type)
        unknown = list(_unknown_variants(context, node, known))
        yield from unknown
        item_diagnostics = _missing_variants(node, enum) if enum is not None else []
        if enum is not None and item_diagnostics:
            yield _non_exhaustive(context, use, enum, item_diagnostics)
            payloads = dict(enum.members)
            patterns = [f"{name}(_)" if payloads[name] is not None else name for name in item_diagnostics]
            yield from _gaps(context, use, patterns, list(payloads))
        if unknown or (not node.arms and _has_no_values(context, known)):
            continue
        yield from _coverage(context, use, known, report_missing=not item_diagnostics)


def _has_no_values(context: RuleContext, known: str | None) -> bool:
    """Whether a type is an enum without variants, or may be one."""
    declared = context.type(known) if known is not None else None
    return declared is not None and declared.is_enum and (declared.broken or not declared.members)


# ---- E005: only parameters whose annotation is an enum (chapter 04 section 4.1) ------------------------------------------


def _enum_of_parameter(context: RuleContext, use: MatchUse) -> TypeFact | None:
    fact = context.type(use.parameter) if use.parameter is not None else None
    return fact if fact is not None and fact.is_enum and not fact.broken else None


def _missing_variants(node: Match, enum: TypeFact) -> list[str]:
    if any(isinstance(arm.pattern, (WildcardPattern, NamePattern)) for arm in node.arms):
        return []
    covered = {arm.pattern.name for arm in node.arms if isinstance(arm.pattern, VariantPattern)}
    return sorted({name for name, _ in enum.members} - covered)


def _non_exhaustive(context: RuleContext, use: MatchUse, enum: TypeFact, missing: list[str]) -> Diagnostic:
    node = use.node
    assert isinstance(node.value, Name)
    listed = ", ".join(missing)
    payloads = dict(enum.members)
    patterns = [f"{name}(_)" if payloads[name] is not None else name for name in missing]
    fix = Fix(
        "E005-add-arms",
        f"add missing match arms: {listed}",
        Confidence.HIGH,
        f"match expression does not cover variants: {listed}; adding stub arms with TODO markers",
        add_arms(context.text, node, patterns, list(payloads), use.expected, context.type),
    )
    return diagnostic(
        "E005",
        (node.value.start, node.value.end),
        f"non-exhaustive match on '{node.value.name}' of type '{enum.name}': missing variants: {listed}",
        help="add an arm for each of them, or a last arm `_ => …`",
        why="a value that no arm matches ends the run: no match found for value",
        name=enum.name,
        fixes=(fix,),
    )


# ---- everything else ----------------------------------------------------------------------------------------------------


def _coverage(context: RuleContext, use: MatchUse, known: str | None, report_missing: bool) -> Iterator[Diagnostic]:
    node = use.node
    enums: dict[str, TypeFact] = {}

    def enum_of(names: frozenset[str], name: str | None) -> TypeFact | None:
        declared = context.type(name) if name is not None else None
        if declared is not None:
            return declared if declared.is_enum and all(map(declared.has, names)) else None
        candidates = set.intersection(*(set(context.enums_with(variant)) for variant in names))
        return candidates.pop() if len(candidates) == 1 else None

    name = split_type(known)[0] if known else None
    try:
        made = shapes([arm.pattern for arm in node.arms], name, enum_of, enums)
    except Unanswerable:
        return
    before: list[Shape] = []
    for arm, shape in zip(node.arms, made, strict=True):
        if before and not is_useful(before, shape, enums):
            yield _unreachable(context, node, before, arm.pattern)
        before.append(shape)
    if not report_missing:
        return
    example = missing_example(made, enums)
    if example is None:
        return
    patterns, order = _missing_patterns(made, enums, example)
    fix = Fix(
        "W201-add-arms",
        f"add missing match arms: {', '.join(patterns)}",
        Confidence.HIGH,
        "every value needs an arm that matches it",
        add_arms(context.text, node, patterns, order, use.expected, context.type),
    )
    yield diagnostic(
        "W201",
        (node.value.start, node.value.end),
        f"match does not cover all values: `{example}` is missed",
        help="add an arm for it, or a last arm `_ => …`",
        why="a value that no arm matches ends the run: no match found for value",
        fixes=(fix,),
    )
    yield from _gaps(context, use, patterns, order)


def _missing_patterns(made: list[Shape], enums: dict[str, TypeFact], example: str) -> tuple[list[str], list[str]]:
    """The patterns that a fix adds, each constructor that no arm names, else the example itself or a catch-all; and the order
    of all constructors.
    """
    first = next((shape for shape in made if shape is not None), None)
    signature = signature_of(first.family, enums) if first is not None else None
    if first is None or signature is None:
        return ["_"], []
    named = {shape.name for shape in made if shape is not None}
    missing = [f"{name}(_)" if payload else name for name, payload in signature if name not in named]
    return missing or [example], [name for name, _ in signature]


def _gaps(context: RuleContext, use: MatchUse, patterns: list[str], order: list[str]) -> Iterator[Diagnostic]:
    """A hint at each place of a longer match where arms are missing: an arm that was lost is found where it was."""
    node = use.node
    places: dict[int, list[str]] = {}
    for pattern in patterns:
        places.setdefault(place_of(node, pattern, order), []).append(pattern)
    for place, missing in sorted(places.items()):
        at = node.arms[place].start if place < len(node.arms) else node.end - 1
        end = node.arms[place].pattern.end if place < len(node.arms) else node.end
        if "\n" not in context.text[node.value.start : at]:
            continue
        listed = ", ".join(f"`{pattern}`" for pattern in missing)
        edits = add_arms(context.text, node, missing, order, use.expected, context.type)
        slug = "-".join(pattern.split("(")[0] for pattern in missing)
        fix = Fix(
            f"W201-add-{slug}",
            f"add {listed} here",
            Confidence.MEDIUM,
            "every value needs an arm that matches it",
            edits,
        )
        yield diagnostic(
            "W201",
            (at, end),
            f"the match has no arm for {listed}, which would stand before this",
            severity=Severity.HINT,
            help=f"add `{missing[0]} => …,`",
            related=(Related("the match", (node.value.start, node.value.end)),),
            fixes=(fix,),
        )


def _unreachable(context: RuleContext, node: Match, before: list[Shape], pattern: Pattern) -> Diagnostic:
    place = len(before)
    arm = node.arms[place]
    catch_all = next((index for index, shape in enumerate(before) if shape is None), None)
    related: tuple[Related, ...] = ()
    if catch_all is not None:
        earlier = node.arms[catch_all].pattern
        related = (Related("this arm matches everything", (earlier.start, earlier.end)),)
    start, end = node.arms[place - 1].end, arm.end
    # The comma behind the arm before it stays, the one behind this arm goes.
    while start < arm.start and context.text[start] != "\n" and context.text[start] in ", \t":
        start += 1
    if context.text[end : end + 1] == ",":
        end += 1
    fix = Fix("W202-remove-arm", "remove the arm", Confidence.MEDIUM, "it is never reached", (Edit((start, end), ""),))
    return diagnostic(
        "W202",
        (pattern.start, pattern.end),
        "this arm is never reached: the arms above it match everything that it matches",
        help="remove it, or move it up",
        related=related,
        fixes=(fix,),
    )


def _unknown_variants(context: RuleContext, node: Match, known: str | None) -> Iterator[Diagnostic]:
    for arm in node.arms:
        pattern: Pattern | None = arm.pattern
        held = known
        while pattern is not None:
            if isinstance(pattern, WrapPattern):
                held = context.evaluated(payload_of(held, pattern.kind))
                pattern = pattern.inner
                continue
            if not isinstance(pattern, VariantPattern):
                break
            declared = context.type(held) if held else None
            owner = declared if declared is not None and declared.is_enum and not declared.broken else None
            is_known = owner.has(pattern.name) if owner is not None else bool(context.enums_with(pattern.name))
            if not is_known and not context.is_doubtful(pattern.name) and not (owner is None and context.scope.doubtful):
                yield _unknown_variant(node, pattern, owner)
            held = context.evaluated(payload_of(held, pattern.name))
            pattern = pattern.payload


def _unknown_variant(node: Match, pattern: VariantPattern, enum: TypeFact | None) -> Diagnostic:
    span = (pattern.start, pattern.start + len(pattern.name))
    names = [name for name, _ in enum.members] if enum is not None else []
    taken = {arm.pattern.name for arm in node.arms if isinstance(arm.pattern, VariantPattern)}
    near = closest(pattern.name, [name for name in names if name not in taken]) or closest(pattern.name, names)
    fixes: tuple[Fix, ...] = ()
    if near:
        rationale = f"'{pattern.name}' is no variant of this enum; closest match is '{near}'"
        fixes = (
            Fix(
                f"W305-rename-{pattern.name}",
                f"rename '{pattern.name}' to '{near}'",
                Confidence.HIGH,
                rationale,
                (Edit(span, near),),
            ),
        )
    message = (
        f"enum '{enum.name}' has no variant '{pattern.name}'" if enum is not None else f"no enum has a variant '{pattern.name}'"
    )
    help = f"did you mean '{near}'?" if near else f"its variants are: {', '.join(names)}" if names else "check the spelling"
    return diagnostic(
        "W305",
        span,
        message,
        help=help,
        why="an arm with an unknown variant matches nothing",
        name=pattern.name,
        fixes=fixes,
    )
