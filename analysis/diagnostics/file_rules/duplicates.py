"""W304: definitions of one name, in a file or in it and a library that it imports."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.database import Database, checkpoint, paced
from analysis.diagnostics.diagnostic import Place, Topic
from analysis.diagnostics.file_rules.problem import FUNCTION, TYPE, FileContext, Problem
from analysis.diagnostics.file_rules.unused_items import exported_names
from analysis.inputs import FileId, libraries
from analysis.semantics.declarations import TypeFact, file_declarations
from analysis.semantics.imports import imported_files


def duplicate_problems(context: FileContext) -> Iterator[Problem]:
    """The definitions of a file whose name another one of the file, or one of an imported library, has."""
    if not _may_be_duplicate(context):
        return
    db, file = context.db, context.file
    functions: dict[str, Place] = {}
    types: dict[str, tuple[Place, TypeFact]] = {}
    imported_functions: dict[str, str] = {}
    imported_types: dict[str, tuple[str, TypeFact]] = {}
    for library in imported_files(db, file):
        name = _library_name(db, file, library)
        for fact in paced(file_declarations(db, library)):
            imported_functions.update((function.name, name) for function in fact.functions if function.name != "main")
            imported_types.update((function.name, (name, function)) for function in fact.types)
    for chunk, fact in enumerate(paced(context.facts)):
        for number, function in enumerate(fact.functions):
            place = Place(chunk, FUNCTION, number)
            if function.name in functions:
                yield _twice(place, "function", function.name, functions[function.name])
            elif function.name in imported_functions:
                yield _hides(place, "function", function.name, imported_functions[function.name])
            functions[function.name] = place
        for number, declared in enumerate(fact.types):
            place = Place(chunk, TYPE, number)
            if declared.name in types:
                yield _twice(place, "type", declared.name, types[declared.name][0])
            elif declared.name in imported_types and imported_types[declared.name][1].members != declared.members:
                # Equal definitions of a type merge without a word (chapter 26 S14).
                yield _hides(place, "type", declared.name, imported_types[declared.name][0])
            types[declared.name] = (place, declared)


def _may_be_duplicate(context: FileContext) -> bool:
    """True if two definitions of a file, or one of the file and one of an imported library, can have the same name."""
    functions = frozenset().union(*[block.functions for block in context.names])
    checkpoint()
    types = frozenset().union(*[block.types for block in context.names])
    if len(functions) + len(types) < sum(block.definitions for block in context.names):
        return True
    libraries_of = imported_files(context.db, context.file)
    return not all(exported_names(context.db, library).isdisjoint(functions | types) for library in libraries_of)


def _twice(place: Place, kind: str, name: str, first: Place) -> Problem:
    return Problem(
        "W304",
        place,
        f"{kind} '{name}' is defined twice",
        "rename or remove one of them",
        "the last definition counts",
        first,
        topic=Topic.DUPLICATE,
    )


def _hides(place: Place, kind: str, name: str, library: str) -> Problem:
    why = "the file's own definition counts, for the library's functions as well"
    return Problem("W304", place, f"{kind} '{name}' is also defined by the library '{library}'", "rename it", why)


def _library_name(db: Database, file: FileId, library: FileId) -> str:
    return next(
        (name for name, candidate in libraries(db, file.workspace, file.libs).files if candidate == library), library.path
    )
