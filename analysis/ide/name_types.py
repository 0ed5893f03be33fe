"""Types of names in a file as editors show them: looks up the facts that the recipes of `scopes.py` ask for (`types.Type`).

No inference: annotations, signatures, fields, payloads and literals are enough to say whose field or variant a name is
in nearly every program. What is not known is None.
"""

from __future__ import annotations

from functools import partial
from typing import Final, NamedTuple

from analysis.database import Database, query
from analysis.inputs import FILE, FileId, source
from analysis.semantics.declarations import FunctionFact, TypeFact, chunk_tree, declarations, file_declarations
from analysis.semantics.environment import environment, imported_files
from analysis.semantics.evaluation import LikelyEvaluator
from analysis.semantics.type_recipes import UNKNOWN, Type
from analysis.syntax import tree as t

_FEW: Final = 8
"""Chunks that hold a name and are parsed one by one before the whole file is."""


class Definitions(NamedTuple):
    """The chunks that hold the definitions of a file, by name; of several the last."""

    functions: dict[str, int]
    types: dict[str, int]


class Found(NamedTuple):
    """An item and where it is."""

    file: FileId
    chunk: int
    item: t.Item


@query(subject=FILE)
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
    place = _place_of(db, file, name, is_function)
    if place is None:
        return None
    wanted = (t.Function,) if is_function else (t.Record, t.Enum)
    items = chunk_tree(db, source(db, place[0]).chunks[place[1]].text).items
    item = next(item for item in reversed(items) if item.name == name and isinstance(item, wanted))
    return Found(*place, item) if isinstance(item, kinds) else None


def _function_named(db: Database, file: FileId, name: str) -> FunctionFact | None:
    place = _place_of(db, file, name, is_function=True)
    if place is None:
        return None
    facts = declarations(db, source(db, place[0]).chunks[place[1]].text).functions
    return next(fact for fact in reversed(facts) if fact.name == name)


def _type_named(db: Database, file: FileId, name: str) -> TypeFact | None:
    place = _place_of(db, file, name, is_function=False)
    if place is None:
        return None
    facts = declarations(db, source(db, place[0]).chunks[place[1]].text).types
    return next(fact for fact in reversed(facts) if fact.name == name)


def _place_of(db: Database, file: FileId, name: str, is_function: bool) -> tuple[FileId, int] | None:
    """The file and the chunk that hold the definition which a name means in a file."""
    for candidate in (file, *reversed(imported_files(db, file))):
        index = _defining_chunk(db, candidate, name, is_function)
        if index is not None and not (is_function and name == "main" and candidate != file):
            return candidate, index
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


def type_of(db: Database, file: FileId, held: Type) -> str | None:
    """The text of a type that the names of a file lead to, `?` for its unknown parts."""
    function, declared = partial(_function_named, db, file), partial(_type_named, db, file)
    return LikelyEvaluator(function, declared, partial(_enum_with, db, file)).text(held)


def shown_type(db: Database, file: FileId, held: Type) -> str | None:
    """The same for readers."""
    text = type_of(db, file, held)
    return text.replace(UNKNOWN, "_") if text else None


def _enum_with(db: Database, file: FileId, variants: tuple[str, ...]) -> str | None:
    """The only enum that has all these variants."""
    table = environment(db, file).variants
    names = set.intersection(*({fact.name for fact in table.get(variant, ())} for variant in variants))
    return names.pop() if len(names) == 1 else None
