"""Rules about a whole file: W304 duplicates, E007 purity, imports (E013, W404, W405), definitions that nobody uses (W501).

They are judged on declarations and used names only, so that an edit inside a body stops before them; the places are looked up
when the diagnostics are put together.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Final

from analysis.database import Database, query
from analysis.diagnostics.diagnostic import Confidence, Diagnostic, Edit, Fix, Place, Related, Span
from analysis.diagnostics.file_problems import Problem
from analysis.diagnostics.rules.context import diagnostic
from analysis.diagnostics.rules.locals import PROTOCOL_FIELDS, PROTOCOL_FUNCTIONS
from analysis.diagnostics.rules.unused_capabilities import annotation_of, idle_capabilities, without_capability
from analysis.inputs import FILE, FileId, libraries, source
from analysis.semantics.builtins import BUILTIN_TYPES, BUILTINS
from analysis.semantics.declarations import Declarations, FunctionFact, TypeFact, chunk_tree, file_declarations
from analysis.semantics.environment import direct_imports, imported_files
from analysis.semantics.spelling import closest
from analysis.semantics.summary import block_uses
from analysis.syntax.tree import Enum, Function, Import, Item, Record
from analysis.text import BLOCK_SIZE, Source

FUNCTION: Final = "function"
TYPE: Final = "type"
IMPORT: Final = "import"
VARIANT: Final = "variant"
FIELD: Final = "field"
_NODES: Final = {
    FUNCTION: (Function,),
    TYPE: (Record, Enum),
    IMPORT: (Import,),
    VARIANT: (Record, Enum),
    FIELD: (Record, Enum),
}


class Problems:
    """The problems of a block's chunks, with what stands in other blocks looked up; hashed once."""

    __slots__ = ("_hash", "rows")

    def __init__(self, rows: tuple[Problem, ...]) -> None:
        self.rows = rows
        self._hash = hash(rows)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Problems) and self._hash == other._hash and self.rows == other.rows)


NO_PROBLEMS: Final = Problems(())


@query(subject=FILE)
def file_uses(db: Database, file: FileId) -> frozenset[str]:
    """All names that a file's items use, their own recursion left out."""
    return frozenset().union(*[block_uses(db, texts) for texts in source(db, file).blocks])


@query(subject=FILE)
def file_problems(db: Database, file: FileId) -> tuple[Problems, ...]:
    """What is wrong with a file's items as a whole, block by block."""
    facts = file_declarations(db, file)
    found = (
        *_duplicates(db, file, facts),
        *_impure(facts),
        *_imports(db, file, facts),
        *_unused(db, file, facts),
        *idle_capabilities(db, file, facts),
    )
    blocks: list[list[Problem]] = [[] for _ in range(0, max(1, len(facts)), BLOCK_SIZE)]
    for problem in found:
        blocks[problem.place.chunk // BLOCK_SIZE].append(problem)
    return tuple([Problems(tuple(rows)) if rows else NO_PROBLEMS for rows in blocks])


def placed(db: Database, texts: tuple[str, ...], problems: Problems) -> list[tuple[int, Diagnostic]]:
    """The diagnostics of a block's problems, as pairs of the chunk's index in the block and the diagnostic."""
    return [
        (problem.place.chunk % BLOCK_SIZE, _placed(db, texts[problem.place.chunk % BLOCK_SIZE], problem))
        for problem in problems.rows
    ]


def _placed(db: Database, chunk: str, problem: Problem) -> Diagnostic:
    item, span = _item(db, chunk, problem.place)
    related: tuple[Related, ...] = ()
    if problem.first is not None:
        related = (Related("first defined here", None, problem.first),)
    fixes: tuple[Fix, ...] = ()
    if problem.code == "E007" and isinstance(item, Function) and item.capabilities:
        fixes = (_remove_capabilities(chunk, item),)
    elif problem.code == "W501" and problem.rename:
        name = chunk[span[0] : span[1]]
        rationale = f"'{name}' is never used, and '{problem.rename}' is used but not defined"
        edit = Edit(span, problem.rename)
        fixes = (Fix(f"W501-rename-{name}", f"rename '{name}' to '{problem.rename}'", Confidence.MEDIUM, rationale, (edit,)),)
    elif problem.rename:
        rationale = f"'{item.name}' does not exist; closest match is '{problem.rename}'"
        is_plain = isinstance(item, Import) and (item.form == "quoted" or "." not in problem.rename)
        edit = Edit((item.at, item.at + len(item.name)), problem.rename if is_plain else f'"{problem.rename}"')
        fixes = (
            Fix(
                f"{problem.code}-rename-{item.name}",
                f"import '{problem.rename}'",
                Confidence.MEDIUM,
                rationale,
                (edit,),
            ),
        )
    elif problem.code == "W402" and isinstance(item, Function):
        fixes = (without_capability(chunk, item, problem.place.member),)
    elif problem.code in ("W404", "E013"):
        confidence = Confidence.MEDIUM if problem.code == "W404" else Confidence.LOW
        rationale = "it is never used" if problem.code == "W404" else "there is no such library"
        remove = (_remove(chunk, item),)
        fixes = (Fix(f"{problem.code}-remove-{item.name}", "remove the import", confidence, rationale, remove),)
    return diagnostic(
        problem.code,
        span,
        problem.message,
        help=problem.help,
        why=problem.why,
        related=related,
        name=item.name,
        fixes=fixes,
    )


def span_of(db: Database, text: Source, place: Place) -> Span:
    """The absolute span of a declared name."""
    start, end = _item(db, text.chunks[place.chunk].text, place)[1]
    base = text.offsets[place.chunk]
    return base + start, base + end


def _item(db: Database, chunk: str, place: Place) -> tuple[Item, Span]:
    items = [item for item in chunk_tree(db, chunk).items if isinstance(item, _NODES[place.kind])]
    item = items[place.number]
    if place.member and isinstance(item, Function):
        capability = next(made for made in item.capabilities if made.name == place.member)
        return item, (capability.start, capability.end)
    if place.member and isinstance(item, (Record, Enum)):
        members = item.variants if isinstance(item, Enum) else item.fields
        start = next(member.start for member in members if member.name == place.member)
        return item, (start, start + len(place.member))
    return item, (item.at, item.at + len(item.name))


def _remove(chunk: str, item: Item) -> Edit:
    """Removes an item with its line end."""
    end = item.end
    while chunk[end : end + 1] in (" ", "\t", "\r"):
        end += 1
    return Edit((item.start, end + 1 if chunk[end : end + 1] == "\n" else item.end), "")


# ---- W304 -------------------------------------------------------------------------------------------------------------


def _duplicates(db: Database, file: FileId, facts: tuple[Declarations, ...]) -> Iterator[Problem]:
    functions: dict[str, Place] = {}
    types: dict[str, tuple[Place, TypeFact]] = {}
    imported_functions: dict[str, str] = {}
    imported_types: dict[str, tuple[str, TypeFact]] = {}
    for library in imported_files(db, file):
        name = _library_name(db, file, library)
        for fact in file_declarations(db, library):
            imported_functions.update((made.name, name) for made in fact.functions if made.name != "main")
            imported_types.update((made.name, (name, made)) for made in fact.types)
    for chunk, fact in enumerate(facts):
        for number, made in enumerate(fact.functions):
            place = Place(chunk, FUNCTION, number)
            if made.name in functions:
                yield _twice(place, "function", made.name, functions[made.name])
            elif made.name in imported_functions:
                yield _hides(place, "function", made.name, imported_functions[made.name])
            functions[made.name] = place
        for number, declared in enumerate(fact.types):
            place = Place(chunk, TYPE, number)
            if declared.name in types:
                yield _twice(place, "type", declared.name, types[declared.name][0])
            elif declared.name in imported_types and imported_types[declared.name][1].members != declared.members:
                # Equal definitions of a type merge without a word (chapter 26 S14).
                yield _hides(place, "type", declared.name, imported_types[declared.name][0])
            types[declared.name] = (place, declared)


def _twice(place: Place, kind: str, name: str, first: Place) -> Problem:
    return Problem(
        "W304",
        place,
        f"{kind} '{name}' is defined twice",
        "rename or remove one of them",
        "the last definition counts",
        first,
    )


def _hides(place: Place, kind: str, name: str, library: str) -> Problem:
    why = "the file's own definition counts, for the library's functions as well"
    return Problem("W304", place, f"{kind} '{name}' is also defined by the library '{library}'", "rename it", why)


def _library_name(db: Database, file: FileId, library: FileId) -> str:
    return next((name for name, known in libraries(db, file.workspace, file.libs).files if known == library), library.path)


# ---- E007 (chapter 04 section 4.3) ------------------------------------------------------------------------------------


def _impure(facts: tuple[Declarations, ...]) -> Iterator[Problem]:
    last: dict[str, tuple[Place, tuple[str, ...]]] = {}
    for chunk, fact in enumerate(facts):
        for number, made in enumerate(fact.functions):
            if made.name in ("init", "update", "view"):
                last[made.name] = (Place(chunk, FUNCTION, number), made.capabilities)
    if len(last) < 3:
        return
    for name in ("update", "view"):
        place, capabilities = last[name]
        if capabilities:
            listed = ", ".join(capabilities)
            yield Problem(
                "E007",
                place,
                f"capability violation: function '{name}' must be pure but is annotated with !{{{listed}}}"
                " — remove the capability annotation",
                "effects belong into the list that `update` returns",
                "the framework calls update and view again at any time",
            )


def _remove_capabilities(text: str, item: Function) -> Fix:
    listed = ", ".join(capability.name for capability in item.capabilities)
    return Fix(
        "E007-remove-caps",
        f"remove capability annotation !{{{listed}}}",
        Confidence.HIGH,
        "update() and view() must be pure functions with no capabilities",
        (Edit(annotation_of(text, item), ""),),
    )


# ---- imports (chapter 26 S14, chapter 27 section 4) ---------------------------------------------------------------------


def _imports(db: Database, file: FileId, facts: tuple[Declarations, ...]) -> Iterator[Problem]:
    places = [Place(chunk, IMPORT, number) for chunk, fact in enumerate(facts) for number, _ in enumerate(fact.imports)]
    first: dict[str, Place] = {}
    used: frozenset[str] | None = None
    names = libraries(db, file.workspace, file.libs).names()
    for place, resolved in zip(places, direct_imports(db, file), strict=True):
        name = resolved.fact.name
        if name in first:
            yield Problem("W404", place, f"'{name}' is imported twice", "remove one of the imports", "", first[name])
            continue
        first[name] = place
        if resolved.fact.form == "mcp":
            continue
        if resolved.file == file:
            yield Problem("W404", place, f"'{name}' imports itself", "remove the import")
            continue
        if resolved.file is None:
            yield _unknown_import(place, name, resolved.fact.form, names)
            continue
        if used is None:
            used = file_uses(db, file)
        if not used & _exported_names(db, resolved.file):
            yield Problem("W404", place, f"nothing of '{name}' is used", "remove the import")


def _unknown_import(place: Place, name: str, form: str, names: tuple[str, ...]) -> Problem:
    near = closest(name, names)
    help = (
        f"did you mean '{near}'?"
        if near
        else f"the libraries are: {', '.join(names)}"
        if names
        else "there are no libraries here"
    )
    if form == "bare":
        why = "an import of a bare name that is no library compiles and brings in nothing"
        return Problem("W405", place, f"import '{name}' has no effect: there is no such library", help, why, rename=near or "")
    return Problem("E013", place, f"import error: library '{name}' not found", help, rename=near or "")


@query(subject=FILE)
def _exported_names(db: Database, library: FileId) -> frozenset[str]:
    names: set[str] = set()
    for file in (library, *imported_files(db, library)):
        for fact in file_declarations(db, file):
            names.update(made.name for made in fact.functions)
            for declared in fact.types:
                names.add(declared.name)
                names.update(member for member, _ in declared.members)
    return frozenset(names)


# ---- W501 for items -----------------------------------------------------------------------------------------------------


def _is_called_from_outside(function: FunctionFact) -> bool:
    """Whether an app's host or whoever runs tests calls it."""
    is_test = function.name.startswith("test_") and not function.parameters
    return is_test or function.name in PROTOCOL_FUNCTIONS


def _unused(db: Database, file: FileId, facts: tuple[Declarations, ...]) -> Iterator[Problem]:
    names = {made.name for fact in facts for made in fact.functions}
    if "main" not in names and not names >= {"init", "update", "view"}:
        # Without an entry the file is a library, or a part of something: everything in it is there for others.
        return
    used = file_uses(db, file)
    # A definition that nobody uses, and a use of nearly its name that nobody defines: one of them is misspelt.
    undefined = used.difference(_defined(db, file, facts))
    for chunk, fact in enumerate(facts):
        for number, made in enumerate(fact.functions):
            if not (made.exported or made.name in used or _is_called_from_outside(made) or made.name.startswith("_")):
                yield _never_used(Place(chunk, FUNCTION, number), "function", made.name, undefined)
        for number, declared in enumerate(fact.types):
            if declared.exported or declared.name.startswith("_"):
                continue
            if declared.name not in used and not any(member in used for member, _ in declared.members):
                yield _never_used(Place(chunk, TYPE, number), "type", declared.name, undefined)
            elif declared.name in used:
                for name in dict.fromkeys(member for member, _ in declared.members if member not in used):
                    if declared.is_enum:
                        yield _never_used(Place(chunk, VARIANT, number, name), "variant", name, undefined)
                    elif name not in PROTOCOL_FIELDS:
                        yield _never_used(Place(chunk, FIELD, number, name), "field", name, undefined)


def _defined(db: Database, file: FileId, facts: tuple[Declarations, ...]) -> set[str]:
    names = {*BUILTINS, *BUILTIN_TYPES}
    for library in imported_files(db, file):
        names |= _exported_names(db, library)
    for fact in facts:
        names.update(made.name for made in fact.functions)
        for declared in fact.types:
            names.add(declared.name)
            names.update(member for member, _ in declared.members)
    return names


def _never_used(place: Place, kind: str, name: str, undefined: Set[str]) -> Problem:
    help = "remove it, or check its spelling" if kind in ("variant", "field") else "remove it, or `export` it"
    near = closest(name, sorted(undefined)) if undefined else None
    if near:
        help = f"'{near}' is used but not defined: did you mean that?"
    return Problem("W501", place, f"{kind} '{name}' is never used", help, rename=near or "")
