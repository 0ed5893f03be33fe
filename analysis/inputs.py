"""The inputs of the query database: everything that an answer can depend on besides its arguments.

The workspace sets them (`boruna_ls.workspace`), queries read them. A file that was never set is empty, a workspace that was
never set has no libraries and no settings of its own.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from analysis.data_classes import dataclass
from analysis.database import Database, Durability, Subject, input
from analysis.text.source import Source


class FileId(NamedTuple):
    """A file in a layer: the same path can have other text on disk than in an editor.

    `workspace` is the root folder ("" for a file that belongs to none), `layer` is "disk", "library", "inline",
    "editor:N" or "overlay:N", `path` is absolute, or a URI that names no file, or the name of inline text.
    `libs` names the set of libraries that the file sees besides its workspace's: a client may have its own. The
    same text seen with other libraries is another file here, and shares everything that its items say by themselves.
    """

    workspace: str
    layer: str
    path: str
    libs: str = ""


@dataclass(frozen=True, slots=True)
class Libraries:
    """The libraries that programs of a workspace can import: sorted pairs of name and file."""

    files: tuple[tuple[str, FileId], ...] = ()

    def get(self, name: str) -> FileId | None:
        """The file of a library, None if there is none of that name."""
        return next((file for other, file in self.files if other == name), None)

    def names(self) -> tuple[str, ...]:
        """All names, sorted."""
        return tuple(name for name, _ in self.files)


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """The settings of checks: the table `[check]` of a workspace's `boruna.toml`.

    `select` and `ignore` hold codes or their beginnings ("W5" means all that start so); an empty `select` means all.
    `severity` gives codes another severity ("off" leaves them out). `portable` turns the portability hints on.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    portable: bool = False


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool of an MCP server as the server describes it; `parameters` is its input schema as JSON text.

    These texts are data, to be shown as quotations only.
    """

    name: str
    description: str
    parameters: str


@dataclass(frozen=True, slots=True)
class ServerTools:
    """The tools that a server was last seen with; `is_seen` is False for a server of which nothing is known yet.

    `age` says how old that is ("3 days"), "" where there is no reason to think that it has changed.
    """

    is_seen: bool = False
    tools: tuple[ToolSchema, ...] = ()
    age: str = ""
    document: str = ""
    """The file that shows the schemas, "" for none."""


@dataclass(frozen=True, slots=True)
class ToolServers:
    """The MCP servers that a workspace configures; `is_known` is False where they cannot be known: without a workspace."""

    names: tuple[str, ...] = ()
    is_known: bool = False


@input()
def source(db: Database, file: FileId) -> Source:
    """The text of a file in a layer."""
    return Source.from_text("")


@input()
def defect(db: Database, file: FileId) -> str:
    """Reason why the text of a file cannot be analysed, in one sentence; "" if it can be."""
    return ""


@input(durability=Durability.HIGH)
def libraries(db: Database, workspace: str, libs: str) -> Libraries:
    """The libraries that files of a workspace see; `libs` as in their `FileId`."""
    return Libraries()


@input(durability=Durability.HIGH)
def settings(db: Database, workspace: str) -> CheckSettings:
    """Settings of the checks in a workspace."""
    return CheckSettings()


@input(durability=Durability.HIGH)
def tool_servers(db: Database, workspace: str) -> ToolServers:
    """The MCP servers of a workspace."""
    return ToolServers()


@input(durability=Durability.HIGH)
def server_tools(db: Database, workspace: str, server: str) -> ServerTools:
    """The tools of an MCP server of a workspace."""
    return ServerTools()


FILE: Final = Subject("file", source, lambda file, text: (file,))
BLOCK: Final = Subject("block", source, lambda file, text: text.requested_blocks)
CHUNK: Final = Subject("chunk", source, lambda file, text: [chunk.text for chunk in text.chunks])
SERVERS: Final = Subject("servers", tool_servers, lambda workspace, servers: (workspace,))
"""Subjects of answers: a file, the chunks' texts of a block of it, the text of one chunk, the servers of a workspace."""
