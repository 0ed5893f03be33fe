"""A function's own names and statements: W306, W304 for parameters, fields and variants, W501 for locals, W502."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic, Related, Topic
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.occurrences import LocalKind
from analysis.semantics.rule_context import TextContext
from analysis.semantics.uses import Local
from analysis.syntax.tree import Enum, Function, Record
from analysis.text.edits import Confidence, Edit, Fix

PROTOCOL_FUNCTIONS: Final = frozenset(("init", "update", "view", "policies", "main"))
"""Functions whose parameters and existence a protocol prescribes."""

PROTOCOL_FIELDS: Final = frozenset(("state", "effects", "kind", "payload", "callback_tag", "tag", "capabilities", "rules"))
"""Fields that the application framework reads and writes by name."""


def check(context: TextContext) -> Iterator[Diagnostic]:
    """Assignments, repeated names, what is never used, what is never reached."""
    for item in context.summary.items:
        match item:
            case Function(parameters=parameters):
                yield from _repeated("parameter", ((part.name, part.start) for part in paced(parameters, 1_000)))
            case Record(fields=fields):
                yield from _repeated("field", ((part.name, part.start) for part in paced(fields, 1_000)))
            case Enum(variants=variants):
                yield from _repeated("variant", ((part.name, part.start) for part in paced(variants, 1_000)))
    for local in paced(context.summary.locals):
        if local.writes and not local.declared.mutable:
            yield from _immutable(context, local)
        elif not local.reads and not local.writes and not _is_exempt(local):
            yield _unused(local)
    for first, last in context.summary.unreachable:
        yield diagnostic(
            "W502",
            (first.start, last.end),
            "these statements are never reached",
            help="remove them, or let the statement above them come to its end",
        )


def _is_exempt(local: Local) -> bool:
    """True if a local may be unused: its name begins with `_`, or the function's parameters are prescribed."""
    return local.name.startswith("_") or (local.declared.kind is _PARAMETER and local.declared.owner in PROTOCOL_FUNCTIONS)


def _repeated(kind: str, names: Iterable[tuple[str, int]]) -> Iterator[Diagnostic]:
    first_uses: dict[str, int] = {}
    for name, at in names:
        if name in first_uses:
            first = (first_uses[name], first_uses[name] + len(name))
            why = "the last one counts" if kind != "field" else "a field has one place"
            yield diagnostic(
                "W304",
                (at, at + len(name)),
                f"{kind} '{name}' is defined twice",
                help="rename or remove one of them",
                why=why,
                related=(Related("first defined here", first),),
                name=name,
                topic=Topic.DUPLICATE,
            )
        else:
            first_uses[name] = at


_IMMUTABLE: Final = {
    LocalKind.VARIABLE: ("'{}' is assigned but was declared without `mut`", "declare it with `let mut`"),
    LocalKind.PARAMETER: ("parameter '{}' is assigned", "assign to a `let mut` copy of it"),
    LocalKind.LOOP: (
        "loop variable '{}' is assigned",
        "the next round gets the next item anyway: use a separate `let mut`",
    ),
    LocalKind.BINDING: ("'{}', bound by a pattern, is assigned", "assign to a `let mut` copy of it"),
}


def _immutable(context: TextContext, local: Local) -> Iterator[Diagnostic]:
    message, help = _IMMUTABLE[local.declared.kind]
    end = local.at + len(local.name)
    fixes: tuple[Fix, ...] = ()
    if local.declared.kind is LocalKind.VARIABLE:
        edit = Edit((local.at, local.at), "mut ")
        fixes = (
            Fix(
                f"W306-add-mut-{local.name}",
                f"declare '{local.name}' as `mut`",
                Confidence.HIGH,
                "it is assigned",
                (edit,),
            ),
        )
    for at in local.writes:
        yield diagnostic(
            "W306",
            (at, at + len(local.name)),
            message.format(local.name),
            help=help,
            related=(Related("declared here", (local.at, end)),),
            name=local.name,
            fixes=fixes,
        )


_UNUSED_KINDS: Final = {kind: "name" if kind is LocalKind.BINDING else kind.value for kind in LocalKind}
_PARAMETER, _LOW = LocalKind.PARAMETER, Confidence.LOW
"""By names of their own, which are found faster than members of an enumeration."""


def _unused(local: Local) -> Diagnostic:
    span = (local.at, local.at + len(local.name))
    kind = _UNUSED_KINDS[local.declared.kind]
    edit = Edit((local.at, local.at), "_")
    fix = Fix(
        f"W501-underscore-{local.name}",
        f"rename it to '_{local.name}'",
        _LOW,
        "a leading underscore marks it as unused on purpose",
        (edit,),
    )
    help = f"remove it, or call it '_{local.name}'"
    # Only the function itself uses a parameter's name: renaming it is as safe as renaming a local.
    return diagnostic("W501", span, f"{kind} '{local.name}' is never used", help=help, name=local.name, fixes=(fix,))
