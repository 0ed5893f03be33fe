"""W501 for items: functions, types, fields and variants that nothing in the file uses.

Judged block by block: a block's definitions are judged again when one of them becomes used or unused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Final, NamedTuple

from analysis.database import Database, paced, paced_sorted, query
from analysis.database.caches import cached
from analysis.diagnostics.diagnostic import Place
from analysis.diagnostics.file_rules.problem import FIELD, FUNCTION, TYPE, VARIANT, Problem, Problems, problems_of
from analysis.diagnostics.renaming import renaming
from analysis.diagnostics.rules.locals import PROTOCOL_FIELDS, PROTOCOL_FUNCTIONS
from analysis.inputs import BLOCK, FILE, FileId
from analysis.semantics.builtins import BUILTIN_TYPES, BUILTINS
from analysis.semantics.declarations import (
    Declarations,
    FunctionFact,
    block_declarations,
    file_declarations,
    file_names,
)
from analysis.semantics.imports import imported_files
from analysis.semantics.spelling import NearNames, closest_unless_letter
from analysis.semantics.summary import block_uses
from analysis.syntax.block_answers import of_blocks
from analysis.syntax.tree import Item
from analysis.text.blocks import Block
from analysis.text.edits import Confidence, Fix, Span

_OF_APPS: Final = frozenset(("init", "update", "view"))
_OF_THE_LANGUAGE: Final = frozenset((*BUILTINS, *BUILTIN_TYPES))
_OFTEN: Final = 8
"""Names between two checkpoints: each can be compared with a thousand others."""


@query(subject=FILE)
def file_uses(db: Database, file: FileId) -> tuple[frozenset[str], ...]:
    """The names that a file's items use, block by block, their own recursion left out."""
    return tuple(of_blocks(db, file, block_uses))


@query(subject=FILE)
def exported_names(db: Database, library: FileId) -> frozenset[str]:
    """All names that an import of a library brings in."""
    names: set[str] = set()
    for file in (library, *imported_files(db, library)):
        for fact in file_declarations(db, file):
            names.update(function.name for function in fact.functions)
            for declared in fact.types:
                names.add(declared.name)
                names.update(member for member, _ in declared.members)
    return frozenset(names)


Misspelt = tuple[tuple[str, str], ...]
"""Definitions that nothing uses, each with a name close to it that is used and nothing declares: one of them is misspelt."""


class UsedNames(NamedTuple):
    """Of the names that a file declares those that it uses, block by block, and those that seem to be misspelt.

    None in a file without an entry: everything in it is there for others. Not the undefined names themselves: they change with
    every letter of a new name, and with them every block would be judged again.
    """

    by_block: tuple[frozenset[str], ...] | None
    misspelt: Misspelt


@query(subject=FILE)
def used_names(db: Database, file: FileId) -> UsedNames:
    """Definitions that a file uses itself."""
    names = file_names(db, file)
    functions = frozenset().union(*[block.functions for block in names])
    if "main" not in functions and not functions >= _OF_APPS:
        return UsedNames(None, ())
    used = frozenset().union(*file_uses(db, file))
    imported = [exported_names(db, library) for library in imported_files(db, file)]
    undefined = used.difference(_OF_THE_LANGUAGE, *imported, *[block.all for block in names])
    misspelt: Misspelt = ()
    if undefined:
        misspelt = _misspelt(frozenset().union(*[block.all for block in names]).difference(used), undefined)
    return UsedNames(tuple([block.all & used for block in names]), misspelt)


@cached(4)
def _misspelt(unused: frozenset[str], undefined: frozenset[str]) -> Misspelt:
    """Kept: a changed signature changes neither."""
    near = NearNames(paced_sorted(undefined))
    pairs = ((name, closest_unless_letter(name, near.of(name))) for name in paced(paced_sorted(unused), _OFTEN))
    return tuple([(name, closest) for name, closest in pairs if closest is not None])


@query(limit=20_000, subject=BLOCK)
def block_unused(db: Database, texts: Block, used: frozenset[str], misspelt: Misspelt) -> Problems:
    """The unused definitions of a block; `used` are the names of it that are used. Places count from their chunk."""
    return problems_of(tuple(_unused(block_declarations(db, texts), used, dict(misspelt))))


def _unused(facts: tuple[Declarations, ...], used: Set[str], misspelt: Mapping[str, str]) -> Iterator[tuple[int, Problem]]:
    for chunk, fact in enumerate(facts):
        for number, function in enumerate(fact.functions):
            if not (
                function.exported or function.name in used or _is_called_from_outside(function) or function.name.startswith("_")
            ):
                yield chunk, _never_used(Place(0, FUNCTION, number), "function", function.name, misspelt)
        for number, declared in enumerate(fact.types):
            if declared.exported or declared.name.startswith("_"):
                continue
            if declared.name not in used and not any(member in used for member, _ in declared.members):
                yield chunk, _never_used(Place(0, TYPE, number), "type", declared.name, misspelt)
            elif declared.name in used:
                for name in dict.fromkeys(member for member, _ in declared.members if member not in used):
                    if declared.is_enum:
                        yield chunk, _never_used(Place(0, VARIANT, number, name), "variant", name, misspelt)
                    elif name not in PROTOCOL_FIELDS:
                        yield chunk, _never_used(Place(0, FIELD, number, name), "field", name, misspelt)


def _is_called_from_outside(function: FunctionFact) -> bool:
    """True if an app's host or a test run calls the function."""
    is_test = function.name.startswith("test_") and not function.parameters
    return is_test or function.name in PROTOCOL_FUNCTIONS


def _never_used(place: Place, kind: str, name: str, misspelt: Mapping[str, str]) -> Problem:
    help = "remove it, or check its spelling" if kind in ("variant", "field") else "remove it, or `export` it"
    near = misspelt.get(name)
    if near:
        help = f"'{near}' is used but not defined: did you mean that?"
    return Problem("W501", place, f"{kind} '{name}' is never used", help, rename=near or "")


def unused_item_fixes(chunk: str, item: Item, span: Span, problem: Problem) -> tuple[Fix, ...]:
    """Gives a definition the name under which it is probably used."""
    if not problem.rename:
        return ()
    name = chunk[span[0] : span[1]]
    rationale = f"'{name}' is never used, and '{problem.rename}' is used but not defined"
    # What is only near to a name that differs in a number has a name of its own.
    return (renaming("W501", name, problem.rename, (), span, rationale, Confidence.MEDIUM),)
