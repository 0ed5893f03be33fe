"""Resolution of a file's imports: the libraries that precede it, and the tools of MCP servers that it can name."""

from __future__ import annotations

from analysis.data_classes import dataclass
from analysis.database import Database, query
from analysis.inputs import FILE, SERVERS, FileId, libraries, server_tools, tool_servers
from analysis.semantics.declarations import ImportFact, file_imports
from analysis.semantics.tool_names import NO_TOOLS, Tools
from analysis.semantics.tools.modules import ToolModule, identifiers, module_of


@dataclass(frozen=True, slots=True)
class ResolvedImport:
    """An import and the library file that it names; `file` is None if there is no such library."""

    fact: ImportFact
    file: FileId | None


@query(subject=FILE)
def direct_imports(db: Database, file: FileId) -> tuple[ResolvedImport, ...]:
    """A file's imports in order, each with the library that it means."""
    return _resolved(db, file, file.workspace, file.libs)


@query(subject=FILE)
def imports_seen_from(db: Database, file: FileId, workspace: str, libs: str) -> tuple[ResolvedImport, ...]:
    """A library's imports as part of a program: they are resolved among the program's libraries."""
    return _resolved(db, file, workspace, libs)


def _resolved(db: Database, file: FileId, workspace: str, libs: str) -> tuple[ResolvedImport, ...]:
    available = libraries(db, workspace, libs)
    facts = [fact for fact in file_imports(db, file) if fact.form != "path"]
    return tuple(ResolvedImport(fact, None if fact.form == "mcp" else available.get(fact.name)) for fact in facts)


@query(subject=FILE)
def imported_files(db: Database, file: FileId) -> tuple[FileId, ...]:
    """The libraries that stand before a file: in order of first import, depth first, each once, without the file itself.

    That is the same by its path: a library that is checked may be another layer than the one that is imported.
    """
    order: list[FileId] = []
    seen = {file.path}
    stack = [iter(direct_imports(db, file))]
    entered: list[FileId] = []
    while stack:
        following = next(
            (imported.file for imported in stack[-1] if imported.file is not None and imported.file.path not in seen), None
        )
        if following is not None:
            seen.add(following.path)
            entered.append(following)
            stack.append(iter(imports_seen_from(db, following, file.workspace, file.libs)))
            continue
        stack.pop()
        if entered:
            order.append(entered.pop())
    return tuple(order)


@query(subject=FILE)
def tools_of(db: Database, file: FileId) -> Tools:
    """The tools of MCP servers that a file and its libraries can name; nothing for a program that uses none."""
    imports = [
        fact for part in (file, *imported_files(db, file)) for fact in file_imports(db, part) if fact.form in ("mcp", "path")
    ]
    if not imports:
        return NO_TOOLS
    servers = tool_servers(db, file.workspace)
    modules = {}
    for identifier in dict.fromkeys(fact.name.removeprefix("mcp.") for fact in imports if fact.name != "mcp"):
        modules[identifier] = tool_module(db, file.workspace, identifier)
    imported = frozenset([fact.name.removeprefix("mcp.") for fact in imports if fact.form == "mcp"])
    return Tools(True, modules, imported, identifiers(servers.names) if servers.is_known else None)


@query(subject=SERVERS)
def tool_module(db: Database, workspace: str, identifier: str) -> ToolModule | None:
    """The functions of the server that programs of a workspace name `identifier`; None if there is none."""
    servers = tool_servers(db, workspace)
    name = identifiers(servers.names).get(identifier) if servers.is_known else identifier
    return module_of(name, identifier, server_tools(db, workspace, name)) if name is not None else None
