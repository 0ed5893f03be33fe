"""Imports of libraries and servers of tools: E013, E015, W404, W405, W406 (spec chapters 26 S14, 27 section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.database import Database, paced
from analysis.diagnostics.diagnostic import Place
from analysis.diagnostics.file_rules.problem import IMPORT, FileContext, Problem
from analysis.diagnostics.file_rules.unused_items import exported_names, file_uses
from analysis.inputs import FileId, libraries, tool_servers
from analysis.semantics.declarations import file_imports
from analysis.semantics.imports import direct_imports, tool_module
from analysis.semantics.spelling import closest
from analysis.semantics.tools.call_syntax import may_be_module
from analysis.semantics.tools.modules import identifier, identifiers
from analysis.syntax.tree import Import, Item
from analysis.text.edits import Confidence, Edit, Fix, Span


def import_problems(context: FileContext) -> Iterator[Problem]:
    """The imports of a file that are unknown, of no use, or given twice."""
    db, file = context.db, context.file
    if not file_imports(db, file):
        return
    places = [
        Place(chunk, IMPORT, number) for chunk, fact in enumerate(paced(context.facts)) for number, _ in enumerate(fact.imports)
    ]
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


def import_fixes(chunk: str, item: Item, span: Span, problem: Problem) -> tuple[Fix, ...]:
    """Imports what was probably meant, or nothing."""
    if problem.rename:
        return (_rename(item, problem),)
    if problem.code in ("W404", "E013"):
        rationale = "it is never used" if problem.code == "W404" else "there is no such library"
        remove = (_remove(chunk, item),)
        return (Fix(f"{problem.code}-remove-{item.name}", "remove the import", Confidence.MEDIUM, rationale, remove),)
    return ()


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
        why = "the server is not connected, so calls are checked against its tools at that time"
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


def _rename(item: Item, problem: Problem) -> Fix:
    is_plain = isinstance(item, Import) and (item.form == "quoted" or "." not in problem.rename)
    name = problem.rename if is_plain or problem.code == "E015" else f'"{problem.rename}"'
    edit = Edit((item.at, item.end if problem.code == "E015" else item.at + len(item.name)), name)
    rationale = f"'{item.name}' does not exist; closest match is '{problem.rename}'"
    description = f"import '{problem.rename}'"
    return Fix(f"{problem.code}-rename-{item.name}", description, Confidence.MEDIUM, rationale, (edit,))


def _remove(chunk: str, item: Item) -> Edit:
    """Removes an item with its line end."""
    end = item.end
    while chunk[end : end + 1] in (" ", "\t", "\r"):
        end += 1
    return Edit((item.start, end + 1 if chunk[end : end + 1] == "\n" else item.end), "")
