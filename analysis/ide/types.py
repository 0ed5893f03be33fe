"""The type of an expression as far as declarations tell it: follows the recipes that `scopes.py` left (`Origin`).

No inference: annotations, signatures, fields, payloads and literals are enough to say whose field or variant a name is
in nearly every program. What is not known is None.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from analysis import tree as t
from analysis.builtins import BUILTINS
from analysis.database import Database, query
from analysis.declarations import chunk_tree, declarations, file_declarations
from analysis.environment import environment, imported_files
from analysis.inputs import FileId, source
from analysis.occurrences import Origin, Step

_FEW: Final = 8
"""Chunks that hold a name and are parsed one by one before the whole file is."""
_UNWRAPPED: Final = {("Option", "Some"): 0, ("Result", "Ok"): 0, ("Result", "Err"): 1}


class Definitions(NamedTuple):
    """The chunks that hold the definitions of a file, by name; of several the last."""

    functions: dict[str, int]
    types: dict[str, int]


class Found(NamedTuple):
    """An item and where it is."""

    file: FileId
    chunk: int
    item: t.Item


@query
def definitions(db: Database, file: FileId) -> Definitions:
    """Where a file defines what."""
    functions: dict[str, int] = {}
    types: dict[str, int] = {}
    for index, facts in enumerate(file_declarations(db, file)):
        for function in facts.functions:
            functions[function.name] = index
        for declared in facts.types:
            types[declared.name] = index
    return Definitions(functions, types)


def item_named(db: Database, file: FileId, name: str, *kinds: type[t.Item]) -> Found | None:
    """The item that a name means in a file, if it is one of `kinds` (functions, or types)."""
    is_function = t.Function in kinds
    for candidate in (file, *reversed(imported_files(db, file))):
        index = _defining_chunk(db, candidate, name, is_function)
        if index is None or (is_function and name == "main" and candidate != file):
            continue
        wanted = (t.Function,) if is_function else (t.Record, t.Enum)
        items = chunk_tree(db, source(db, candidate).chunks[index].text).items
        item = next(item for item in reversed(items) if item.name == name and isinstance(item, wanted))
        return Found(candidate, index, item) if isinstance(item, kinds) else None
    return None


def _defining_chunk(db: Database, file: FileId, name: str, is_function: bool) -> int | None:
    """The index of the last chunk of a file that defines a name."""
    text = source(db, file)
    end = len(text.text)
    # A name in few chunks is found without parsing the others: in most files of a large workspace it is.
    for _ in range(_FEW):
        at = text.text.rfind(name, 0, end)
        if at < 0:
            return None
        index = text.chunk_at(at)
        facts = declarations(db, text.chunks[index].text)
        if any(made.name == name for made in (facts.functions if is_function else facts.types)):
            return index
        end = text.offsets[index]
    known = definitions(db, file)
    return (known.functions if is_function else known.types).get(name)


def type_of(db: Database, file: FileId, origin: Origin | None) -> t.TypeExpr | None:
    """The type that an origin leads to in a file."""
    steps: list[Origin] = []
    while origin is not None:
        steps.append(origin)
        origin = origin.base
    known: t.TypeExpr | None = None
    for step in reversed(steps):
        known = _follow(db, file, step, known)
    return known


def named(name: str, *arguments: t.TypeExpr) -> t.TypeExpr:
    """A type that stands nowhere in a text."""
    return t.TypeExpr(0, 0, name, arguments)


def _follow(db: Database, file: FileId, origin: Origin, base: t.TypeExpr | None) -> t.TypeExpr | None:
    match origin.step:
        case Step.DECLARED:
            return origin.type
        case Step.NAMED:
            return named(origin.name)
        case Step.CALL:
            return _result_of(db, file, origin.name, base)
        case Step.MATCHED:
            return base or _enum_with(db, file, origin.names)
    if base is None:
        return None
    match origin.step:
        case Step.LIST:
            return named("List", base)
        case Step.SOME:
            return named("Option", base)
        case Step.APPLY:
            return base.arguments[-1] if base.name == "Fn" and base.arguments else None
        case Step.ITEM:
            return base.arguments[0] if base.name == "List" and base.arguments else None
        case Step.UNWRAP:
            index = _UNWRAPPED.get((base.name, origin.name))
            return base.arguments[index] if index is not None and index < len(base.arguments) else None
        case Step.FIELD:
            found = None if base.arguments else item_named(db, file, base.name, t.Record)
            if found and isinstance(found.item, t.Record):
                return next((made.type for made in reversed(found.item.fields) if made.name == origin.name), None)
        case Step.PAYLOAD:
            found = None if base.arguments else item_named(db, file, base.name, t.Enum)
            if found and isinstance(found.item, t.Enum):
                return next((made.payload for made in reversed(found.item.variants) if made.name == origin.name), None)
    return None


def _result_of(db: Database, file: FileId, name: str, first: t.TypeExpr | None) -> t.TypeExpr | None:
    """The type of a call, of a builtin as far as its first argument tells."""
    if found := item_named(db, file, name, t.Function):
        return found.item.result if isinstance(found.item, t.Function) else None
    if name not in BUILTINS:
        return None
    header = builtin_header(db, name)
    known: dict[str, t.TypeExpr] = {}
    if header.parameters and first is not None:
        _unify(header.parameters[0].type, first, known)
    return _substituted(header.result, known) if header.result else None


@query
def builtin_header(db: Database, name: str) -> t.Function:
    """The signature of a builtin as if it had been written in a program."""
    item = chunk_tree(db, f"{BUILTINS[name].signature} {{}}").items[0]
    assert isinstance(item, t.Function)
    return item


def _is_variable(name: str) -> bool:
    return len(name) == 1 and name.isupper()


def _unify(pattern: t.TypeExpr, actual: t.TypeExpr, known: dict[str, t.TypeExpr]) -> None:
    if not pattern.arguments and _is_variable(pattern.name):
        known[pattern.name] = actual
    elif pattern.name == actual.name and len(pattern.arguments) == len(actual.arguments):
        for inner, given in zip(pattern.arguments, actual.arguments, strict=True):
            _unify(inner, given, known)


def _substituted(declared: t.TypeExpr, known: dict[str, t.TypeExpr]) -> t.TypeExpr | None:
    """A type with its variables replaced; None if one of them is not known."""
    if not declared.arguments:
        return known.get(declared.name) if _is_variable(declared.name) else declared
    arguments = []
    for argument in declared.arguments:
        made = _substituted(argument, known)
        if made is None:
            return None
        arguments.append(made)
    return named(declared.name, *arguments)


def _enum_with(db: Database, file: FileId, variants: tuple[str, ...]) -> t.TypeExpr | None:
    """The only enum that has all these variants."""
    if not variants:
        return None
    table = environment(db, file).variants
    names = set.intersection(*({fact.name for fact in table.get(variant, ())} for variant in variants))
    return named(names.pop()) if len(names) == 1 else None
