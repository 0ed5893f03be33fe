"""Types of names in a file as editors show them: inference in the likely reading, with the facts that a file's names mean.

What is not known is None.
"""

from __future__ import annotations

from functools import partial
from typing import Final, NamedTuple

from analysis.database import Database, query
from analysis.inputs import CHUNK, FILE, FileId, source
from analysis.semantics import ty
from analysis.semantics.declarations import FunctionFact, TypeFact, chunk_tree, declarations, file_declarations
from analysis.semantics.environment import environment
from analysis.semantics.imports import imported_files, tools_of
from analysis.semantics.infer import inference, inferred
from analysis.semantics.infer.result import Inference
from analysis.semantics.infer.scope_types import ScopeTypes
from analysis.semantics.occurrences import Local, Occurrence
from analysis.semantics.scopes import resolved
from analysis.semantics.summary import summary
from analysis.semantics.tool_names import TOOL_TYPES, Tool, no_tool
from analysis.semantics.ty import partial_text
from analysis.syntax import tree as t

_FEW: Final = 8
"""Chunks that hold a name and are parsed one by one before the whole file is."""


class Definitions(NamedTuple):
    """The chunks that hold the definitions of a file, by name; of several the last."""

    functions: dict[str, int]
    types: dict[str, int]


class DefinedItem(NamedTuple):
    """An item and where it is."""

    file: FileId
    chunk: int
    item: t.Item


@query(subject=FILE)
def definitions(db: Database, file: FileId) -> Definitions:
    """The chunks that define a file's functions and types."""
    functions: dict[str, int] = {}
    types: dict[str, int] = {}
    for index, facts in enumerate(file_declarations(db, file)):
        for function in facts.functions:
            functions[function.name] = index
        for declared in facts.types:
            types[declared.name] = index
    return Definitions(functions, types)


def item_named(db: Database, file: FileId, name: str, *kinds: type[t.Item]) -> DefinedItem | None:
    """The item that a name means in a file, if it is one of `kinds` (functions, or types)."""
    is_function = t.Function in kinds
    place = _place_of(db, file, name, is_function)
    if place is None:
        return None
    wanted = (t.Function,) if is_function else (t.Record, t.Enum)
    items = chunk_tree(db, source(db, place[0]).chunks[place[1]].text).items
    item = next(item for item in reversed(items) if item.name == name and isinstance(item, wanted))
    return DefinedItem(*place, item) if isinstance(item, kinds) else None


def _function_named(db: Database, file: FileId, name: str) -> FunctionFact | None:
    place = _place_of(db, file, name, is_function=True)
    if place is None:
        return None
    facts = declarations(db, source(db, place[0]).chunks[place[1]].text).functions
    return next(fact for fact in reversed(facts) if fact.name == name)


def _type_named(db: Database, file: FileId, name: str) -> TypeFact | None:
    place = _place_of(db, file, name, is_function=False)
    if place is None:
        return next((fact for fact in TOOL_TYPES if fact.name == name), None) if tools_of(db, file) else None
    facts = declarations(db, source(db, place[0]).chunks[place[1]].text).types
    return next(fact for fact in reversed(facts) if fact.name == name)


def _place_of(db: Database, file: FileId, name: str, is_function: bool) -> tuple[FileId, int] | None:
    """The file and the chunk that define a name, as seen from `file`."""
    for candidate in (file, *reversed(imported_files(db, file))):
        index = _defining_chunk(db, candidate, name, is_function)
        if index is not None and not (is_function and name == "main" and candidate != file):
            return candidate, index
    return None


def _defining_chunk(db: Database, file: FileId, name: str, is_function: bool) -> int | None:
    """The index of the last chunk of a file that defines a name."""
    text = source(db, file)
    end = len(text.text)
    # Search the text first: a name that occurs in few chunks is found without parsing the others.
    for _ in range(_FEW):
        at = text.text.rfind(name, 0, end)
        if at < 0:
            return None
        index = text.chunk_at(at)
        facts = declarations(db, text.chunks[index].text)
        if any(fact.name == name for fact in (facts.functions if is_function else facts.types)):
            return index
        end = text.offsets[index]
    defined = definitions(db, file)
    return (defined.functions if is_function else defined.types).get(name)


def scope_types(db: Database, file: FileId) -> ScopeTypes:
    """The functions and types that the names of a file mean, looked up when inference needs them."""

    def enums_with(variant: str) -> tuple[TypeFact, ...]:
        return environment(db, file).variants.get(variant, ())

    def tool(name: str) -> Tool | None:
        visible = environment(db, file)
        return tools_of(db, file).find(name, visible.types, visible.fields)

    tools = tool if tools_of(db, file) else no_tool
    function, declared = partial(_function_named, db, file), partial(_type_named, db, file)
    return ScopeTypes(function, declared, enums_with, {}, likely=True, tools=tools)


@query(limit=500, subject=(FILE, CHUNK))
def types_in(db: Database, file: FileId, text: str) -> Inference:
    """The inferred types of a chunk, in the likely reading."""
    return inferred(chunk_tree(db, text).items, resolved(db, text), scope_types(db, file))


def type_of_local(db: Database, file: FileId, text: str, local: Local) -> str | None:
    """The text of a local's type, `?` for its unknown parts."""
    return local.declared or partial_text(types_in(db, file, text).locals.get(local.at, ty.UNKNOWN))


def shown_result(db: Database, file: FileId, text: str, item: t.Function) -> str | None:
    """The inferred result of a function that declares none; None where it is not known whole, or nothing."""
    if item.result is not None:
        return None
    # What is likely of a part is not enough for a declaration.
    given = environment(db, file).item_scope(summary(db, text).free_names)
    held = inference(db, text, given).results.get(item.at, ty.UNKNOWN)
    return ty.text_of(held) if ty.is_complete(held) and held is not ty.UNIT else None


def shown_type(db: Database, file: FileId, text: str, local: Local) -> str | None:
    """The text of a local's type for display; None where nothing is known."""
    held = type_of_local(db, file, text, local)
    return held.replace("?", "_") if held else None


def owner_of(db: Database, file: FileId, text: str, occurrence: Occurrence) -> str | None:
    """The text of the type that a field or variant belongs to."""
    return occurrence.owner or partial_text(types_in(db, file, text).owners.get(occurrence.start, ty.UNKNOWN))
