"""Rules about a whole file: W304 duplicates, E007 purity, imports (E013, W404, W405), unused definitions (W501).

They are judged on declarations and used names only, so that an edit inside a body stops before them; the places are looked up
when the diagnostics are put together.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from analysis.blocks import Block
from analysis.database import Database, checkpoint, paced, query
from analysis.diagnostics.diagnostic import Diagnostic, Place, Related
from analysis.diagnostics.file_rules.app_effects import app_effect_problems
from analysis.diagnostics.file_rules.entry import entry_problems
from analysis.diagnostics.file_rules.problem import FIELD, FUNCTION, IMPORT, TEXT, TYPE, VARIANT, Problem, Problems, problems_of
from analysis.diagnostics.file_rules.unused_capabilities import (
    annotation_of,
    asks_for_effects,
    idle_capabilities,
    undeclared_capabilities,
    with_capability,
    without_capability,
)
from analysis.diagnostics.file_rules.unused_items import exported_names, file_uses
from analysis.diagnostics.rules.building import diagnostic
from analysis.edits import Confidence, Edit, Fix, Span
from analysis.inputs import CHUNK, FILE, FileId, libraries, tool_servers
from analysis.semantics.app_shapes import REQUIRED
from analysis.semantics.declarations import (
    BlockNames,
    Declarations,
    TypeFact,
    block_starts,
    chunk_tree,
    file_declarations,
    file_imports,
    file_names,
)
from analysis.semantics.imports import direct_imports, imported_files, tool_module
from analysis.semantics.spelling import closest
from analysis.syntax.tree import Enum, Function, Import, Item, ListLiteral, Record, RecordLiteral, StringLiteral, walk
from analysis.text import Source
from analysis.tools.call_syntax import may_be_module
from analysis.tools.modules import identifier, identifiers

_NODES: Final = {
    FUNCTION: (Function,),
    TYPE: (Record, Enum),
    IMPORT: (Import,),
    VARIANT: (Record, Enum),
    FIELD: (Record, Enum),
    TEXT: (Function,),
}


@query(subject=FILE)
def file_problems(db: Database, file: FileId) -> tuple[Problems, ...]:
    """The file-level problems, block by block, without unused definitions (W501). Places count from their chunk."""
    starts = block_starts(db, file)
    blocks: list[tuple[tuple[int, Problem], ...]] = [()] * len(starts)
    for problem in paced(_problems(db, file, file_names(db, file)), 500):
        number = bisect_right(starts, problem.place.chunk) - 1
        in_chunk = problem._replace(place=problem.place._replace(chunk=0))
        blocks[number] += ((problem.place.chunk - starts[number], in_chunk),)
    return tuple(map(problems_of, blocks))


def _problems(db: Database, file: FileId, names: Sequence[BlockNames]) -> Iterator[Problem]:
    """Runs only the rules that can apply: the others would read all items for nothing."""
    facts = file_declarations(db, file)
    if _may_be_duplicate(db, file, names):
        yield from _duplicates(db, file, facts)
    yield from _impure(facts, names)
    if file_imports(db, file):
        yield from _imports(db, file, facts)
    if any(block.has_capabilities for block in names):
        yield from idle_capabilities(db, file, facts)
    if asks_for_effects(db, file):
        yield from undeclared_capabilities(db, file, facts)
    if all(any(name in block.functions for block in names) for name in REQUIRED):
        yield from dict.fromkeys(app_effect_problems(db, file, facts))
    yield from entry_problems(file, facts, names, block_starts(db, file))


def placed(db: Database, texts: Block, problems: Iterable[tuple[int, Problem]]) -> list[tuple[int, Diagnostic]]:
    """The diagnostics of a block's problems, as pairs of the chunk's index in the block and the diagnostic."""
    return [(chunk, placed_problem(db, texts[chunk], problem)) for chunk, problem in problems]


@query(limit=20_000, subject=CHUNK)
def placed_problem(db: Database, text: str, problem: Problem) -> Diagnostic:
    """The diagnostic of a problem of a chunk; one object for as long as the chunk has it."""
    return _placed(db, text, problem)


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
    elif problem.code == "W401" and isinstance(item, Function):
        fixes = (with_capability(item, problem.rename),)
    elif problem.place.kind == TEXT and isinstance(item, Function):
        fixes = (_other_text(item, problem),) if problem.rename else ()
    elif problem.rename:
        rationale = f"'{item.name}' does not exist; closest match is '{problem.rename}'"
        is_plain = isinstance(item, Import) and (item.form == "quoted" or "." not in problem.rename)
        is_plain = is_plain or problem.code == "E015"
        edit = Edit(
            (item.at, item.end if problem.code == "E015" else item.at + len(item.name)),
            problem.rename if is_plain else f'"{problem.rename}"',
        )
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
        rationale = "it is never used" if problem.code == "W404" else "there is no such library"
        remove = (_remove(chunk, item),)
        fixes = (Fix(f"{problem.code}-remove-{item.name}", "remove the import", Confidence.MEDIUM, rationale, remove),)
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
    if place.kind == TEXT and isinstance(item, Function):
        # If two functions have one name, the text may be in the other one.
        if texts := texts_of(item, place.member):
            return item, (texts[0].start, texts[0].end)
        return item, (item.at, item.at + len(item.name))
    if place.member and isinstance(item, Function):
        capability = next(capability for capability in item.capabilities if capability.name == place.member)
        return item, (capability.start, capability.end)
    if place.member and isinstance(item, (Record, Enum)):
        members = item.variants if isinstance(item, Enum) else item.fields
        start = next(member.start for member in members if member.name == place.member)
        return item, (start, start + len(place.member))
    return item, (item.at, item.at + len(item.name))


def texts_of(item: Function, text: str) -> list[StringLiteral]:
    """The strings of a text in the record literals of a function, in order."""
    literals = {
        part.start: part
        for record in walk(item.body)
        if isinstance(record, RecordLiteral)
        for given in record.fields
        for part in (given.value.items if isinstance(given.value, ListLiteral) else (given.value,))
        if isinstance(part, StringLiteral) and part.raw == text
    }
    return [literals[start] for start in sorted(literals)]


def _other_text(item: Function, problem: Problem) -> Fix:
    """Writes another text wherever a function's record literals hold one."""
    old, new = problem.place.member, problem.rename
    edits = tuple(Edit((part.start + 1, part.end - 1), new) for part in texts_of(item, old))
    return Fix(f"W403-rename-{old}", f"write '{new}'", Confidence.MEDIUM, f"closest to '{old}' is '{new}'", edits)


def _remove(chunk: str, item: Item) -> Edit:
    """Removes an item with its line end."""
    end = item.end
    while chunk[end : end + 1] in (" ", "\t", "\r"):
        end += 1
    return Edit((item.start, end + 1 if chunk[end : end + 1] == "\n" else item.end), "")


# ---- W304 -------------------------------------------------------------------------------------------------------------


def _may_be_duplicate(db: Database, file: FileId, names: Sequence[BlockNames]) -> bool:
    """True if two definitions of a file, or one of the file and one of an imported library, can have the same name."""
    functions = frozenset().union(*[block.functions for block in names])
    checkpoint()
    types = frozenset().union(*[block.types for block in names])
    if len(functions) + len(types) < sum(block.definitions for block in names):
        return True
    return not all(exported_names(db, library).isdisjoint(functions | types) for library in imported_files(db, file))


def _duplicates(db: Database, file: FileId, facts: tuple[Declarations, ...]) -> Iterator[Problem]:
    functions: dict[str, Place] = {}
    types: dict[str, tuple[Place, TypeFact]] = {}
    imported_functions: dict[str, str] = {}
    imported_types: dict[str, tuple[str, TypeFact]] = {}
    for library in imported_files(db, file):
        name = _library_name(db, file, library)
        for fact in file_declarations(db, library):
            imported_functions.update((function.name, name) for function in fact.functions if function.name != "main")
            imported_types.update((function.name, (name, function)) for function in fact.types)
    for chunk, fact in enumerate(facts):
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
    return next(
        (name for name, candidate in libraries(db, file.workspace, file.libs).files if candidate == library), library.path
    )


# ---- E007 (chapter 04 section 4.3) ------------------------------------------------------------------------------------


def _impure(facts: tuple[Declarations, ...], names: Sequence[BlockNames]) -> Iterator[Problem]:
    if not all(any(name in block.functions for block in names) for name in REQUIRED):
        return
    last: dict[str, tuple[Place, tuple[str, ...]]] = {}
    for chunk, fact in enumerate(facts):
        for number, function in enumerate(fact.functions):
            if function.name in ("init", "update", "view"):
                last[function.name] = (Place(chunk, FUNCTION, number), function.capabilities)
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
    names = libraries(db, file.workspace, file.libs).names()
    for place, resolved in zip(places, direct_imports(db, file), strict=True):
        name = resolved.fact.name
        if name in first:
            yield Problem("W404", place, f"'{name}' is imported twice", "remove one of the imports", "", first[name])
            continue
        first[name] = place
        if resolved.fact.form == "mcp":
            yield from _server_import(db, file, place, name.removeprefix("mcp."))
            continue
        if resolved.file is not None and resolved.file.path == file.path:
            yield Problem("W404", place, f"'{name}' imports itself", "remove the import")
            continue
        if resolved.file is None:
            yield _unknown_import(place, name, resolved.fact.form, names)
            continue
        exported = exported_names(db, resolved.file)
        if all(exported.isdisjoint(used) for used in file_uses(db, file)):
            yield Problem("W404", place, f"'{name}' is imported and not used", "remove the import")


def _server_import(db: Database, file: FileId, place: Place, name: str) -> Iterator[Problem]:
    """Problems of `import mcp.NAME`."""
    module = tool_module(db, file.workspace, name)
    if module is None:
        servers = tuple(identifiers(tool_servers(db, file.workspace).names))
        near = closest(name, servers)
        listed = f"the servers are: {', '.join(servers)}" if servers else "add it to `.mcp.json` of the workspace"
        help = f"did you mean '{near}'?" if near else listed
        yield Problem("E015", place, f"no server '{name}' is configured", help, rename=f"mcp.{near}" if near else "")
        return
    if not any(path.startswith(f"{name}::") for used in file_uses(db, file) for path in used):
        # Before `::` a capital letter begins the name of an enum, as in every program without tools.
        help = "remove the import" if may_be_module(name) else f"write whole paths, `mcp::{name}::…`, which need no import"
        yield Problem("W404", place, f"'mcp.{name}' is imported and not used", help)
    if not module.is_seen:
        why = "until the tools are listed, calls are not checked; at run time the schemas of the server are used"
        # The command takes the server's own name, which is shown where it cannot be anything else in a terminal.
        own = module.name if identifier(module.name) == module.name.replace("-", "_") else "NAME"
        help = f"show them: `boruna-ls mcp-servers tools {own}`"
        yield Problem("W406", place, f"the tools of '{name}' were not seen yet", help, why)
    elif module.age:
        why = "the server is not connected, so calls are checked against the tools that it had then"
        yield Problem("W406", place, f"the tools of '{name}' were last seen {module.age} ago", "they may have changed since", why)


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
        why = "`import name` without a library of that name compiles and imports nothing"
        return Problem("W405", place, f"import '{name}' has no effect: there is no such library", help, why, rename=near or "")
    return Problem("E013", place, f"import error: library '{name}' not found", help, rename=near or "")
