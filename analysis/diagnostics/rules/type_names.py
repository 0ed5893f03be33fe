"""Types by name: W301 unknown type names, E009 hints, E008 constructors of unknown variants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic, Severity
from analysis.diagnostics.renaming import renaming
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.builtins import BUILTIN_TYPES
from analysis.semantics.infer.result import Mismatch, Role
from analysis.semantics.rule_context import RuleContext
from analysis.semantics.spelling import closest, closest_unless_letter
from analysis.semantics.tools.call_syntax import path_of
from analysis.semantics.ty import text_of
from analysis.suggestions.foreign_words import CONTAINERS, PLAIN_TYPES
from analysis.syntax.tree import Field, Record, VariantLiteral
from analysis.text.edits import Confidence, Edit, Fix, Span

_WARNING: Final = Severity.WARNING
_OFTEN: Final = 16
"""Names after which others may go first: a similar name is looked for among all."""


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Unknown names first, then what does not fit together."""
    yield from _unknown_types(context)
    for variant in paced(context.summary.variants, _OFTEN):
        yield from _constructor(context, variant)
    for mismatch in paced(context.inference.mismatches, _OFTEN):
        if mismatch.evident:
            yield _let(mismatch) if mismatch.want.role is Role.LET else _call(mismatch)


def is_type_variable(name: str) -> bool:
    """True if a name stands for any type, as `T` does in signatures of libraries and builtins: one capital letter."""
    return len(name) == 1 and name.isupper()


def _unknown_types(context: RuleContext) -> Iterator[Diagnostic]:
    swapped: dict[int, Field] | None = None
    for use in paced(context.summary.types, _OFTEN):
        if use.name in BUILTIN_TYPES or is_type_variable(use.name):
            continue
        if context.type(use.name) is None and not context.is_doubtful(use.name):
            if swapped is None:
                records = [item for item in context.summary.items if isinstance(item, Record)]
                swapped = {member.type.start: member for item in records for member in item.fields}
            member = swapped.get(use.start)
            if member is not None and member.name in BUILTIN_TYPES:
                yield _swapped(member)
            else:
                yield _unknown_type(context, use.name, (use.start, use.end), is_literal=False)
    for literal in paced(context.summary.records, _OFTEN):
        is_known = literal.name in BUILTIN_TYPES or context.type(literal.name) is not None or context.is_doubtful(literal.name)
        if not is_known:
            yield _unknown_type(context, literal.name, (literal.start, literal.start + len(literal.name)), is_literal=True)


def _swapped(member: Field) -> Diagnostic:
    """`Int: count` for `count: Int`."""
    name, kind = member.name, member.type.name
    edit = Edit((member.start, member.end), f"{kind}: {name}")
    fix = Fix(
        f"W301-swap-{kind}",
        f"write `{kind}: {name}`",
        Confidence.HIGH,
        "a field's name comes before its type",
        (edit,),
    )
    return diagnostic(
        "W301",
        (member.type.start, member.type.end),
        f"unknown type '{kind}'",
        help=f"name and type are swapped: write `{kind}: {name}`",
        why="a field's name comes before its type",
        name=kind,
        fixes=(fix,),
    )


def _unknown_type(context: RuleContext, name: str, span: Span, is_literal: bool) -> Diagnostic:
    candidates = list(context.type_names(name)) if is_literal else [*context.type_names(name), *sorted(BUILTIN_TYPES)]
    near = closest_unless_letter(name, candidates)
    fixes: tuple[Fix, ...] = ()
    here = PLAIN_TYPES.get(name) or CONTAINERS.get(name)
    if here and not is_literal:
        fixes = (
            Fix(f"W301-write-{name}", f"write `{here}`", Confidence.HIGH, f"`{name}` is `{here}` here", (Edit(span, here),)),
        )
    elif near:
        rationale = f"type '{name}' is not defined; closest match is '{near}'"
        fixes = (renaming("W301", name, near, candidates, span, rationale, Confidence.MEDIUM),)
    return diagnostic(
        "W301",
        span,
        f"unknown type '{name}'",
        help=fixes[0].description
        if here and fixes
        else f"did you mean '{near}'?"
        if near
        else f"define it (`type {name} {{ … }}`, `enum {name} {{ … }}`) or import it",
        why="the literal makes a record without a type" if is_literal else "an annotation with an unknown type is ignored",
        name=name,
        fixes=fixes,
    )


def _constructor(context: RuleContext, node: VariantLiteral) -> Iterator[Diagnostic]:
    declared = context.type(node.enum)
    if declared is None:
        if context.is_doubtful(node.enum) or context.tool(path_of(node)) is not None:
            return
        enums = context.type_names(node.enum)
        near = closest_unless_letter(node.enum, enums)
        span = (node.start, node.start + len(node.enum))
        yield _unknown(span, f"unknown enum: {node.enum}", node.enum, near, enums, "define the enum, or check its spelling")
        return
    if declared.broken or context.is_doubtful(node.enum):
        return
    if not declared.is_enum:
        yield diagnostic(
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
        yield _unknown(span, message, node.variant, closest(node.variant, names), names, listed)


def _unknown(span: Span, message: str, name: str, near: str | None, others: Sequence[str], otherwise: str) -> Diagnostic:
    fixes: tuple[Fix, ...] = ()
    if near:
        rationale = f"'{name}' does not exist; closest match is '{near}'"
        fixes = (renaming("E008", name, near, others, span, rationale, Confidence.MEDIUM),)
    return diagnostic("E008", span, message, help=f"did you mean '{near}'?" if near else otherwise, name=name, fixes=fixes)


# ---- E009, severity warning (chapter 04 section 4.4) ------------------------------------------------------------------


def _let(mismatch: Mismatch) -> Diagnostic:
    name, declared, actual = mismatch.want.name, text_of(mismatch.want.type), text_of(mismatch.given)
    assert mismatch.want.declared_at is not None
    fix = Fix(
        "E009-change-annotation",
        f"annotate it as '{actual}'",
        # The value stays as it is, and with it what the program computes.
        Confidence.MEDIUM,
        "the annotation follows the value",
        (Edit(mismatch.want.declared_at, actual),),
    )
    return diagnostic(
        "E009",
        (mismatch.node.start, mismatch.node.end),
        f"type mismatch: '{name}' is annotated '{declared}' but its initializer has type '{actual}'",
        severity=_WARNING,
        help=f"give it a value of type '{declared}', or annotate it as '{actual}'",
        name=name,
        fixes=(fix,),
    )


def _call(mismatch: Mismatch) -> Diagnostic:
    want, actual = mismatch.want, text_of(mismatch.given)
    declared = text_of(want.type)
    message = f"type mismatch: call to '{want.name}' argument {want.number} expects '{declared}' but got '{actual}'"
    help = f"pass a value of type '{declared}' for '{want.part}'"
    span = mismatch.node.start, mismatch.node.end
    return diagnostic("E009", span, message, severity=_WARNING, help=help, name=want.name)
