"""Record literals and field access: E006, W302, W303 and W107."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic, Related
from analysis.diagnostics.renaming import renaming
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.builtins import BUILTIN_TYPES, BUILTINS
from analysis.semantics.declarations import TypeFact
from analysis.semantics.infer.result import Access
from analysis.semantics.rule_context import RuleContext, TextContext
from analysis.semantics.spelling import closest, distance
from analysis.semantics.ty import partial_text
from analysis.semantics.type_text import split_type
from analysis.suggestions.default_values import value_of_type
from analysis.suggestions.foreign_builtins import as_builtin, called_operands
from analysis.suggestions.foreign_operations import method_advice
from analysis.syntax.tree import Call, Expr, FieldAccess, FieldInit, Name, RecordLiteral
from analysis.text.edits import Confidence, Edit, Fix, FixKind

_MOST_GUESSES: Final = 50
"""Unknown fields of one chunk that are compared with all names that could be meant, and names that a message lists."""

_LONG_ENOUGH: Final = 4
"""Letters of names of which half can be shared by more than chance."""
_LONGEST: Final = 200
"""Letters of names that are compared."""


def concerns(context: TextContext) -> bool:
    """True if a text can hold a record or a field."""
    return "." in context.text or bool(context.summary.records)


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Every record literal, then every field access."""
    guesses = context.guesses(_MOST_GUESSES)
    for literal in paced(context.summary.records):
        declared = context.type(literal.name)
        if declared is not None and not declared.is_enum and not declared.broken and not context.is_doubtful(literal.name):
            yield from _literal(context, literal, declared, guesses)
    if not context.inference.accesses:
        return
    outer = {use.start for use in context.summary.names}
    for access in paced(context.inference.accesses):
        if not _is_undefined(context, access.node.object, outer):
            yield from _access(context, access, guesses)


def _literal(context: RuleContext, literal: RecordLiteral, declared: TypeFact, guesses: Iterator[int]) -> Iterator[Diagnostic]:
    listed = _list_of_members(declared)
    note = Related(f"type '{declared.name}' has fields: {listed}")
    seen: dict[str, FieldInit] = {}
    given = {init.name for init in paced(literal.fields, 1_000)}
    meant: set[str] = set()
    for place, init in enumerate(paced(literal.fields)):
        span = (init.start, init.start + len(init.name))
        if not declared.has(init.name):
            near, free = None, [""]
            if next(guesses, None) is not None:
                names = [name for name, _ in paced(declared.members, 1_000)]
                free = [name for name in names if name not in given]
                near = closest(init.name, free) or _only_one(context, literal, declared, free, init) or closest(init.name, names)
                free = free if near in free else names
                meant.add(near or "")
            yield diagnostic(
                "E006",
                span,
                f"unknown field '{init.name}' in record type '{declared.name}'",
                help=f"did you mean '{near}'?" if near else f"the fields are: {listed}" if listed else "it has no fields",
                related=(note,),
                name=init.name,
                fixes=(_rename_field(init, near, free),) if near else (),
            )
        elif init.name in seen:
            first = seen[init.name]
            yield diagnostic(
                "W303",
                span,
                f"field '{init.name}' is given twice",
                help="remove one of them",
                why="the last value counts, the others are computed and dropped",
                related=(Related("first given here", (first.start, first.start + len(first.name))),),
                name=init.name,
                fixes=(_remove_field(context, literal, place),),
            )
        else:
            seen[init.name] = init
    # A literal with a spread costs no more than what it gives, however many fields its type has.
    # One that is misspelt is not missing besides.
    given |= meant
    missing = [] if literal.spread else [name for name, _ in paced(declared.members, 1_000) if name not in given]
    if missing:
        listed = ", ".join(f"'{name}'" for name in missing)
        yield diagnostic(
            "W302",
            (literal.start, literal.start + len(literal.name)),
            f"record literal of '{declared.name}' lacks {'field' if len(missing) == 1 else 'fields'} {listed}",
            help="add the missing fields" if len(missing) > 1 else "add the missing field",
            why="a missing field has the value Unit",
            name=declared.name,
            fixes=_add_fields(context, literal, declared, missing),
        )


def _only_one(context: RuleContext, literal: RecordLiteral, declared: TypeFact, free: list[str], init: FieldInit) -> str | None:
    """The only field that a literal lacks, if it gives a single unknown one that is alike and of its type.

    Alike are a name and its continuation, and, as nothing else is left to be meant, names that share half of their letters.
    """
    if len(free) != 1 or literal.spread or sum(not declared.has(each.name) for each in paced(literal.fields)) != 1:
        return None
    (name,) = free
    held = context.type_of(init.value)
    fits = held is None or split_type(held)[0] == split_type(declared.member(name))[0]
    shorter, longer = sorted((name, init.name), key=len)
    is_alike = len(shorter) > 1 and longer.startswith(shorter)
    if not is_alike and len(shorter) >= _LONG_ENOUGH and len(longer) <= _LONGEST:
        is_alike = distance(init.name, name) <= len(init.name) // 2
    return name if fits and is_alike else None


def _rename_field(init: FieldInit, new: str, others: list[str]) -> Fix:
    rationale = f"field '{init.name}' does not exist; closest match is '{new}'"
    span = init.start, init.start + len(init.name)
    return renaming("E006", init.name, new, others, span, rationale, Confidence.HIGH, "field ")


def _rename_access(node: FieldAccess, held: str, near: str, others: list[str]) -> Fix:
    rationale = f"'{held}' has no field '{node.name}'; closest match is '{near}'"
    span = node.at, node.at + len(node.name)
    return renaming("W107", node.name, near, others, span, rationale, Confidence.HIGH, "field ")


def _remove_field(context: RuleContext, literal: RecordLiteral, place: int) -> Fix:
    init = literal.fields[place]
    start = literal.fields[place - 1].end
    edit = Edit((start, init.end), "")
    return Fix(
        f"W303-remove-{init.name}",
        f"remove the second '{init.name}'",
        Confidence.MEDIUM,
        "a field has one value",
        (edit,),
    )


def _add_fields(context: RuleContext, literal: RecordLiteral, declared: TypeFact, missing: list[str]) -> tuple[Fix, ...]:
    written = ", ".join(f"{name}: {value_of_type(declared.member(name), context.type)}" for name in missing)
    if literal.fields:
        place, text = literal.fields[-1].end, f", {written}"
    else:
        place = context.text.index("{", literal.start) + 1
        text = f" {written} " if context.text[place : literal.end - 1].strip() == "" else f" {written}"
    edit = Edit((place, literal.end - 1 if not literal.fields else place), text)
    rationale = f"a literal of '{declared.name}' gives all of its fields"
    return (
        Fix("W302-add-fields", f"add {', '.join(missing)}", Confidence.MEDIUM, rationale, (edit,), True, kind=FixKind.COMPLETION),
    )


def _access(context: RuleContext, access: Access, guesses: Iterator[int]) -> Iterator[Diagnostic]:
    node = access.node
    if context.is_doubtful(node.name):
        return
    span = (node.at, node.at + len(node.name))
    held = partial_text(access.type)
    declared = context.type(held) if held is not None else None
    if held is None or (declared is None and split_type(held)[0] not in _WITHOUT_FIELDS):
        if held in BUILTIN_TYPES:
            return
        is_somewhere = context.records_with(node.name) or node.name in context.scope.anonymous or node.name in _OF_MESSAGES
        if not is_somewhere and not context.scope.doubtful:
            yield diagnostic(
                "W107",
                span,
                f"no record type has a field '{node.name}'",
                help="check the spelling of the field",
                why=f"reading it fails at run time: no field '{node.name}'",
                name=node.name,
                fixes=as_builtin(context, node, held),
            )
        return
    if declared is not None and (declared.broken or context.is_doubtful(held)):
        return
    if declared is not None and not declared.is_enum:
        if declared.has(node.name):
            return
        # To list a type's fields for each of thousands of accesses would take seconds.
        names = [name for name, _ in declared.members] if next(guesses, None) is not None else []
        near = closest(node.name, names) if names else None
        listed = _list_of_members(declared)
        yield diagnostic(
            "W107",
            span,
            f"type '{held}' has no field '{node.name}'",
            help=f"did you mean '{near}'?" if near else f"the fields are: {listed}" if listed else "it has no fields",
            why=f"reading it fails at run time: no field '{node.name}' on {held}",
            related=(Related(f"type '{held}' has fields: {listed}"),),
            name=node.name,
            fixes=(_rename_access(node, held, near, names),) if near else (),
        )
        return
    head, _ = split_type(held)
    help = "match on it first: `match … { Some(value) => …, None => … }`" if head == "Option" else ""
    help = help or ("match on it first: `match … { Ok(value) => …, Err(error) => … }`" if head == "Result" else "")
    help = help or ("match on it: fields belong to records" if declared else "only records have fields")
    fixes = as_builtin(context, node, held)
    if head not in ("Option", "Result"):
        help = method_advice(node.name, held, called_operands(context, node)) or help
    yield diagnostic(
        "W107",
        span,
        f"type '{held.replace('?', '_')}' has no fields",
        help=fixes[0].description if fixes else help,
        why="reading a field of it fails at run time",
        name=node.name,
        fixes=fixes,
    )


def _list_of_members(declared: TypeFact) -> str:
    names = [name for name, _ in declared.members[:_MOST_GUESSES]]
    return ", ".join(names) + (", …" if len(declared.members) > _MOST_GUESSES else "")


def _is_undefined(context: RuleContext, node: Expr, outer: set[int]) -> bool:
    """True if a value begins with an undefined name: that is reported already, so its fields are not."""
    while isinstance(node, (Call, FieldAccess)):
        node = node.callee if isinstance(node, Call) else node.object
    if not isinstance(node, Name) or node.start not in outer:
        return False
    return context.function(node.name) is None and node.name not in BUILTINS


_OF_MESSAGES = ("tag", "payload")
"""Fields of what the framework hands to `update` where no record type has them."""
_WITHOUT_FIELDS = frozenset(("Int", "Float", "String", "Bool", "Unit", "List", "Option", "Result", "Map", "Fn"))
