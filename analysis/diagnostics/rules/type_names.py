"""Types by name: W301 unknown type names, E009 hints, W105 conditions, E008 constructors of unknown variants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.diagnostics.diagnostic import Confidence, Edit, Finding, Patch, Severity, Span
from analysis.diagnostics.rules.context import Facts, finding
from analysis.semantics.builtins import BUILTIN_TYPES
from analysis.semantics.spelling import closest
from analysis.semantics.uses import CallUse, ConditionUse, LetUse
from analysis.syntax.tree import (
    BoolLiteral,
    Expr,
    Field,
    FloatLiteral,
    IntLiteral,
    ListLiteral,
    NoneLiteral,
    Record,
    RecordLiteral,
    StringLiteral,
    VariantLiteral,
    Wrap,
)

_WARNING: Final = Severity.WARNING


def check(facts: Facts) -> Iterator[Finding]:
    """Unknown names first, then what does not fit together."""
    yield from _unknown_types(facts)
    for variant in facts.summary.variants:
        yield from _constructor(facts, variant)
    for let in facts.summary.lets:
        yield from _let(facts, let)
    for call in facts.summary.calls:
        yield from _call(facts, call)
    for condition in facts.summary.conditions:
        yield from _condition(facts, condition)


def _unknown_types(facts: Facts) -> Iterator[Finding]:
    swapped = {member.type.start: member for item in facts.summary.items if isinstance(item, Record) for member in item.fields}
    for use in facts.summary.types:
        if use.name not in BUILTIN_TYPES and facts.type(use.name) is None and not facts.is_doubtful(use.name):
            member = swapped.get(use.start)
            if member is not None and member.name in BUILTIN_TYPES:
                yield _swapped(member)
            else:
                yield _unknown_type(facts, use.name, (use.start, use.end), is_literal=False)
    for literal in facts.summary.records:
        known = literal.name in BUILTIN_TYPES or facts.type(literal.name) is not None or facts.is_doubtful(literal.name)
        if not known:
            yield _unknown_type(facts, literal.name, (literal.start, literal.start + len(literal.name)), is_literal=True)


def _swapped(member: Field) -> Finding:
    """`Int: count` for `count: Int`."""
    name, kind = member.name, member.type.name
    edit = Edit((member.start, member.end), f"{kind}: {name}")
    patch = Patch(
        f"W301-swap-{kind}",
        f"write `{kind}: {name}`",
        Confidence.HIGH,
        "a field's name stands before its type",
        (edit,),
    )
    return finding(
        "W301",
        (member.type.start, member.type.end),
        f"unknown type '{kind}'",
        help=f"name and type are swapped: write `{kind}: {name}`",
        why="a field's name stands before its type",
        name=kind,
        patches=(patch,),
    )


def _unknown_type(facts: Facts, name: str, span: Span, is_literal: bool) -> Finding:
    candidates = list(facts.type_names()) if is_literal else [*facts.type_names(), *sorted(BUILTIN_TYPES)]
    near = closest(name, candidates)
    patches: tuple[Patch, ...] = ()
    if near:
        rationale = f"type '{name}' is not defined; closest match is '{near}'"
        patches = (
            Patch(f"W301-rename-{name}", f"rename '{name}' to '{near}'", Confidence.MEDIUM, rationale, (Edit(span, near),)),
        )
    return finding(
        "W301",
        span,
        f"unknown type '{name}'",
        help=f"did you mean '{near}'?" if near else f"define it (`type {name} {{ … }}`, `enum {name} {{ … }}`) or import it",
        why="the literal makes a record without a type" if is_literal else "an annotation with an unknown type checks nothing",
        name=name,
        patches=patches,
    )


def _constructor(facts: Facts, node: VariantLiteral) -> Iterator[Finding]:
    declared = facts.type(node.enum)
    if declared is None:
        if facts.is_doubtful(node.enum):
            return
        near = closest(node.enum, facts.type_names())
        span = (node.start, node.start + len(node.enum))
        yield _unknown(span, f"unknown enum: {node.enum}", node.enum, near, "define the enum, or check its spelling")
        return
    if declared.broken or facts.is_doubtful(node.enum):
        return
    if not declared.is_enum:
        yield finding(
            "E008",
            (node.start, node.start + len(node.enum)),
            f"'{node.enum}' is not an enum",
            help=f"build it as `{node.enum} {{ … }}`",
        )
        return
    if not declared.has(node.variant):
        names = [name for name, _ in declared.members]
        span = (node.at, node.at + len(node.variant))
        message = f"enum '{node.enum}' has no variant '{node.variant}'"
        listed = f"its variants are: {', '.join(names)}" if names else "it has no variants"
        yield _unknown(span, message, node.variant, closest(node.variant, names), listed)


def _unknown(span: Span, message: str, name: str, near: str | None, otherwise: str) -> Finding:
    patches: tuple[Patch, ...] = ()
    if near:
        rationale = f"'{name}' does not exist; closest match is '{near}'"
        patches = (
            Patch(f"E008-rename-{name}", f"rename '{name}' to '{near}'", Confidence.MEDIUM, rationale, (Edit(span, near),)),
        )
    return finding("E008", span, message, help=f"did you mean '{near}'?" if near else otherwise, name=name, patches=patches)


# ---- E009, severity warning (chapter 04 section 4.4) ------------------------------------------------------------------


def _let(facts: Facts, let: LetUse) -> Iterator[Finding]:
    actual = facts.hinted(let.hint)
    if actual is None or actual == let.declared or not facts.is_type(let.declared):
        return
    node = let.node
    message = f"type mismatch: '{node.name}' is annotated '{let.declared}' but its initializer has type '{actual}'"
    assert node.type is not None
    edit = Edit((node.type.start, node.type.end), actual)
    patch = Patch(
        "E009-change-annotation",
        f"annotate it as '{actual}'",
        Confidence.LOW,
        "the annotation follows the value",
        (edit,),
    )
    yield finding(
        "E009",
        (node.value.start, node.value.end),
        message,
        severity=_WARNING,
        help=f"give it a value of type '{let.declared}', or annotate it as '{actual}'",
        name=node.name,
        patches=(patch,),
    )


def _call(facts: Facts, use: CallUse) -> Iterator[Finding]:
    fact = facts.function(use.name)
    if fact is None or fact.broken:
        return
    pairs = zip(use.node.arguments, use.hints, fact.parameters, strict=False)
    for number, (argument, held, (name, declared)) in enumerate(pairs, 1):
        actual = facts.hinted(held)
        if actual is None or actual == declared or not facts.is_type(declared):
            continue
        message = f"type mismatch: call to '{use.name}' argument {number} expects '{declared}' but got '{actual}'"
        help = f"pass a value of type '{declared}' for '{name}'"
        yield finding("E009", (argument.start, argument.end), message, severity=_WARNING, help=help, name=use.name)


def _condition(facts: Facts, use: ConditionUse) -> Iterator[Finding]:
    always = _always(facts, use)
    if always is None:
        return
    kind, truth = always
    yield finding(
        "W105",
        (use.node.start, use.node.end),
        f"the condition of this `{use.keyword}` is {kind}, not a Bool: it always counts as {truth}",
        help="compare it with something, or write `true` or `false`",
        why="only false, 0, empty texts, lists and maps, None, Err and Unit count as false",
    )


def _always(facts: Facts, use: ConditionUse) -> tuple[str, str] | None:
    """What a condition is and what it always counts as; None where it is a Bool or can be either."""
    literal = _literal(use.node)
    if literal is not None:
        return literal
    held = facts.evaluated(use.type)
    fact = facts.type(held) if held else None
    if fact is not None:
        return f"of type '{fact.name}'", "true"
    return ("a function", "true") if held is not None and held.startswith("Fn(") else None


def _literal(node: Expr) -> tuple[str, str] | None:
    match node:
        case StringLiteral(raw=raw):
            return "a String", "true" if raw else "false"
        case IntLiteral(text=text):
            return "an Int", "true" if int(text) else "false"
        case FloatLiteral(text=text):
            return "a Float", "true" if float(text) else "false"
        case NoneLiteral():
            return "None", "false"
        case ListLiteral(items=items):
            return "a List", "true" if items else "false"
        case Wrap(kind=kind):
            return f"{kind}(…)", "false" if kind == "Err" else "true"
        case RecordLiteral() | VariantLiteral():
            return "a record" if isinstance(node, RecordLiteral) else "an enum value", "true"
        case BoolLiteral():
            return None
    return None
