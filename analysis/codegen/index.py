"""Meaning of a program's names in its bytecode: function numbers, type ids, positions of fields and variants.

The code of a chunk depends on this only through `Meanings`, the part that the chunk mentions: an edit elsewhere that leaves
that part equal costs nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from analysis.bytecode.module import TypeEntry
from analysis.data_classes import dataclass
from analysis.database import Database, paced, query
from analysis.inputs import CHUNK, FILE, FileId
from analysis.semantics.declarations import TypeFact, chunk_tree, file_declarations
from analysis.semantics.imports import imported_files, tools_of
from analysis.semantics.tool_names import Tool, Tools
from analysis.semantics.tools.call_syntax import name_of
from analysis.syntax.tree import Assign, Expr, FieldAccess, Name, RecordLiteral, VariantLiteral, VariantPattern, walk


class FunctionPlace(NamedTuple):
    """`number` is its index in the module, `arity` its number of parameters."""

    number: int
    arity: int


class TypePlace(NamedTuple):
    """`number` is the type's index in the module."""

    number: int
    fact: TypeFact


class Mentioned(NamedTuple):
    """The names in a chunk that can mean something outside of it, by namespace, sorted."""

    values: tuple[str, ...]
    types: tuple[str, ...]
    variants: tuple[str, ...]
    fields: tuple[str, ...]
    tools: tuple[str, ...]


class Given(NamedTuple):
    """The facts about the names of a `Mentioned`, in the same order; None for what is not declared.

    `variants` holds pairs of type id and position for every enum that has the variant; `fields` the positions at which
    records have the field, each once, in order of the types. `tools` is empty for a program that uses no MCP servers.
    """

    functions: tuple[FunctionPlace | None, ...]
    types: tuple[TypePlace | None, ...]
    variants: tuple[tuple[tuple[int, int], ...], ...]
    fields: tuple[tuple[int, ...], ...]
    tools: tuple[Tool | None, ...] = ()


class Meanings:
    """A `Given` to look names up in."""

    __slots__ = ("fields", "functions", "tools", "types", "variants")

    def __init__(self, names: Mentioned, given: Given) -> None:
        self.functions = dict(zip(names.values, given.functions, strict=True))
        self.types = dict(zip(names.types, given.types, strict=True))
        self.variants = dict(zip(names.variants, given.variants, strict=True))
        self.fields = dict(zip(names.fields, given.fields, strict=True))
        self.tools = dict(zip(names.tools, given.tools, strict=True)) if given.tools else {}


@dataclass(slots=True)
class Index:
    """The whole program. Of several definitions of a name the last one counts, the file's own over a library's."""

    functions: dict[str, FunctionPlace]
    types: dict[str, TypePlace]
    variants: dict[str, tuple[tuple[int, int], ...]]
    fields: dict[str, tuple[int, ...]]
    entries: tuple[TypeEntry, ...]
    entry: int
    tools: Tools

    def facts_about(self, names: Mentioned) -> Given:
        """The facts about mentioned names."""
        return Given(
            tuple([self.functions.get(name) for name in names.values]),
            tuple([self.types.get(name) for name in names.types]),
            tuple([self.variants.get(name, ()) for name in names.variants]),
            tuple([self.fields.get(name, ()) for name in names.fields]),
            self._tools(names.tools) if names.tools and self.tools else (),
        )

    def _tools(self, names: tuple[str, ...]) -> tuple[Tool | None, ...]:
        types = {name: place.fact for name, place in self.types.items()}
        owners: dict[str, tuple[TypeFact, ...]] = {}
        for fact in types.values():
            for member, _ in fact.members if not fact.is_enum else ():
                owners[member] = (*owners.get(member, ()), fact)
        return tuple([self.tools.find(name, types, owners) for name in names])


@query(limit=20_000, subject=CHUNK)
def mentioned(db: Database, text: str) -> Mentioned:
    """All names that the code of a chunk can depend on."""
    values: set[str] = set()
    types: set[str] = set()
    variants: set[str] = set()
    fields: set[str] = set()
    tools: set[str] = set()
    for item in chunk_tree(db, text).items:
        for node in walk(item):
            if isinstance(node, Expr) and (tool := name_of(node)) is not None:
                tools.add(tool)
            match node:
                case Name(name=name) | Assign(name=name):
                    # A target of an assignment is looked up, too: whether a function has its name decides what is wrong.
                    values.add(name)
                case RecordLiteral(name=name) | VariantLiteral(enum=name):
                    types.add(name)
                case VariantPattern(name=name):
                    variants.add(name)
                case FieldAccess(name=name):
                    fields.add(name)
    return Mentioned(*[tuple(sorted(space)) for space in (values, types, variants, fields, tools)])


@query(subject=FILE)
def program_files(db: Database, file: FileId) -> tuple[FileId, ...]:
    """The files of a program in the order of their functions: libraries first."""
    return (*imported_files(db, file), file)


@query(subject=FILE)
def index(db: Database, file: FileId) -> Index:
    """The meaning of every name of a program."""
    functions: dict[str, FunctionPlace] = {}
    types: dict[str, TypePlace] = {}
    numbers: list[TypeFact] = []
    count = first_own = 0
    for part in program_files(db, file):
        is_library = part != file
        first_own = count
        before = len(numbers)
        for declared in paced(file_declarations(db, part)):
            for function in declared.functions:
                if is_imported(function.name, is_library):
                    functions[function.name] = FunctionPlace(count, len(function.parameters))
                    count += 1
            for fact in declared.types:
                number = _same_type(numbers, before, fact)
                if number is None:
                    number = len(numbers)
                    numbers.append(fact)
                types[fact.name] = TypePlace(number, fact)
    main = functions.get("main")
    entry = main.number if main is not None else first_own if first_own < count else 0
    visible = sorted(types.values(), key=lambda place: place.number)
    return Index(
        functions,
        types,
        {name: tuple(positions) for name, positions in paced(_members(visible, is_enum=True), 1_000)},
        {
            name: tuple(dict.fromkeys(position for _, position in positions))
            for name, positions in paced(_members(visible, is_enum=False), 1_000)
        },
        tuple([TypeEntry(fact.name, fact.is_enum, fact.members) for fact in numbers]),
        entry,
        tools_of(db, file),
    )


def is_imported(name: str, is_library: bool) -> bool:
    """True if a function of a file becomes part of the program: a library's `main` does not (chapter 26 S14)."""
    return not (is_library and name == "main")


def _same_type(numbers: list[TypeFact], before: int, fact: TypeFact) -> int | None:
    """The number of an equal definition in a file that stands before: they are one type (chapter 26 S14)."""
    for number, earlier in enumerate(numbers[:before]):
        if earlier.name == fact.name and earlier.is_enum == fact.is_enum and earlier.members == fact.members:
            return number
    return None


def _members(places: list[TypePlace], is_enum: bool) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Names of variants or fields, each with the pairs of type id and position where it occurs."""
    positions: dict[str, list[tuple[int, int]]] = {}
    for number, fact in places:
        if fact.is_enum == is_enum:
            # If a type repeats a name, the first one counts.
            seen: set[str] = set()
            for position, (name, _) in enumerate(paced(fact.members, 1_000)):
                if name not in seen:
                    seen.add(name)
                    positions.setdefault(name, []).append((number, position))
    yield from positions.items()
