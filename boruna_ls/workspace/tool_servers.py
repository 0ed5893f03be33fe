"""MCP servers as checks see them: the names in a workspace's `.mcp.json`, and the tools last listed by each.

The tools are kept in the state folder, one document a server, written by `boruna_ls.upstream` when it lists them. Editors show
the document as the definition of a tool. Reading starts no server: the documents hold names and schemas.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from analysis.data_classes import dataclass, field, replace
from analysis.inputs import ServerTools, ToolSchema
from analysis.text.blocks import no_pause
from boruna_ls import bounded
from boruna_ls.mounts import MOUNTS
from boruna_ls.rendezvous import atomic
from boruna_ls.workspace.disk import Stamp

CONFIGURATION: Final = ".mcp.json"
PART: Final = "mcp"
MOST_TOOLS: Final = 2_000
MOST_SERVERS: Final = 200
LARGEST: Final = 16 << 20
"""Bytes of a document."""
_DAY: Final = 86_400.0
_LIST: Final = '\n  "tools": ['
_BETWEEN: Final = re.compile(r"[\s,]*+")
"""Separators before the list of tools, the last field of a document, and between two tools."""
_PLAIN: Final = re.compile(r"[^A-Za-z0-9_-]")


class Document(NamedTuple):
    """A document as it was read: the tools, and `stamp`, which changes with it."""

    tools: ServerTools
    text: str
    stamp: tuple[int, int]
    seen_at: float
    failed: bool

    def age(self) -> str:
        """Age of the list as text; "" where there is no reason to think that the tools have changed."""
        old = time.time() - self.seen_at
        return _age(old) if self.failed or old > _DAY else ""


@dataclass(frozen=True, slots=True)
class ToolState:
    """The servers of a workspace and the documents of those that were seen."""

    names: tuple[str, ...] = ()
    documents: Mapping[str, Document] = field(default_factory=dict)
    configuration: str = field(default="", compare=False)
    """The text that `names` are of."""
    folder: Stamp | None = field(default=None, compare=False)
    """Stamp of the documents' folder at the last look; None if the documents must be read again."""

    def refreshed(self, workspace: str, text: str, reread: Mapping[str, Document] | None = None) -> ToolState:
        """The present state, for the text of the configuration; documents that have not changed are not read again.

        `reread`: documents that `reread` has just returned. Documents are replaced, never changed (`atomic.write`): while their
        folder is unchanged, all of them are: a request in a workspace of many servers does not look at each.
        """
        names = self.names if text == self.configuration else server_names(text)
        looked_at = time.time_ns()
        folder = _stamp_of(os.path.dirname(document_path(workspace, names[0]))) if names else None
        if folder is None:
            return ToolState(names, {}, text)
        if folder == self.folder and names is self.names and not reread and self._are_ages_true():
            return self
        documents = {**self.documents, **(reread or {})}
        current = {name: _current(document_path(workspace, name), documents.get(name)) for name in names}
        seen = {name: document for name, document in current.items() if document is not None}
        return ToolState(names, seen, text, None if folder.is_racy(looked_at) else folder)

    def _are_ages_true(self) -> bool:
        return all(document.tools.age == document.age() for document in self.documents.values())

    def reread(self, workspace: str, pause: Callable[[], None] = no_pause) -> Mapping[str, Document]:
        """The documents of the known servers that are there now.

        `pause` is called for each tool of a document that has changed, and may end that by an exception.
        """
        current = {name: _current(document_path(workspace, name), self.documents.get(name), pause) for name in self.names}
        return {name: document for name, document in current.items() if document is not None}

    def may_be_old(self, workspace: str) -> bool:
        """True if a document may have been replaced since the last look."""
        if not self.names:
            return False
        folder = _stamp_of(os.path.dirname(document_path(workspace, self.names[0])))
        return folder is not None and folder != self.folder

    def recorded(self, servers: Iterable[str]) -> dict[str, Any]:
        """The tools of these servers as a record of a run keeps them; None for a server whose tools were never listed."""
        documents = {name: self.documents.get(name) for name in sorted(set(servers))}
        return {
            name: None if document is None else [_row(tool) for tool in document.tools.tools]
            for name, document in documents.items()
        }

    @classmethod
    def of_record(cls, record: Any) -> ToolState:
        """The servers of a record. Raises ValueError."""
        try:
            tools = {str(name): tuple(_tools(rows)) for name, rows in record.items() if rows is not None}
        except (KeyError, TypeError, AttributeError, RecursionError):
            raise ValueError("the record's `mcp_servers` are not lists of tools") from None
        documents = {name: Document(ServerTools(True, some), "", (0, 0), 0.0, False) for name, some in tools.items()}
        return cls(tuple(map(str, record)), documents)


def server_names(text: str) -> tuple[str, ...]:
    """The names of the servers in a `.mcp.json`; none in a text that is no such document."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    table = read.get("mcpServers") if isinstance(read, dict) else None
    return tuple(list(table)[:MOST_SERVERS]) if isinstance(table, dict) else ()


def document_path(workspace: str, server: str) -> str:
    """Path of the document with the tools of a server of a workspace."""
    # Both are for those that have servers: a process that checks one file does not wait for them.
    import hashlib

    from boruna_ls.state.folder import state_folder

    folder = hashlib.sha256(os.fsencode(workspace)).hexdigest()[:16]
    name = f"{_PLAIN.sub('_', server)[:60]}-{hashlib.sha256(server.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}.json"
    return str(state_folder() / PART / folder / name)


def write(workspace: str, server: str, tools: Sequence[ToolSchema], failed: bool = False, seen_at: float | None = None) -> None:
    """Keeps the tools of a server. `failed`: they are old, since it could not be reached. Raises StateError, OSError."""
    from boruna_ls.state.folder import StateError, opened

    opened(PART)
    path = document_path(workspace, server)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    listed = [_row(tool) for tool in tools]
    head = {"server": server, "workspace": workspace, "seen_at": time.time() if seen_at is None else seen_at, "failed": failed}
    text = json.dumps({**head, "tools": listed}, indent=2, ensure_ascii=False)
    data = text.encode("utf-8", "backslashreplace")
    if len(data) > LARGEST:
        raise StateError(f"the schemas of {server!r} take more than {LARGEST >> 20} MB")
    atomic.write(path, data)


def mark_failed(workspace: str, server: str) -> None:
    """Notes that a server could not be reached: what is kept of it may be old. Raises StateError, OSError."""
    document = read(document_path(workspace, server))
    if document is not None and not document.failed:
        write(workspace, server, document.tools.tools, True, document.seen_at)


def _row(tool: ToolSchema) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "inputSchema": _schema(tool.parameters)}


def _schema(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {}


def stamp(path: str) -> tuple[int, int] | None:
    """Changes with a document; None if there is none."""
    try:
        status = bounded.status(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _stamp_of(folder: str) -> Stamp | None:
    try:
        return Stamp.of(bounded.status(folder))
    except OSError:
        return None


def read(path: str, pause: Callable[[], None] = no_pause) -> Document | None:
    """A document, None if there is none that can be used. `pause` is called for each tool."""
    file_stamp = stamp(path)
    if file_stamp is None or file_stamp[1] > LARGEST:
        return None
    try:
        text = MOUNTS.call(path, _text)
        document = _parsed(text, pause)
        seen_at, failed = float(document["seen_at"]), bool(document.get("failed"))
        tools = tuple(_tools(document["tools"], pause))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    parsed = Document(ServerTools(True, tools, "", path), text, file_stamp, seen_at, failed)
    return parsed._replace(tools=replace(parsed.tools, age=parsed.age()))


def _text(path: str) -> str:
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def _parsed(text: str, pause: Callable[[], None]) -> Any:
    """The JSON of a document, one tool after the other as `write` lays them out: until the parser ends, no other thread runs."""
    head, mark, _ = text.partition(_LIST)
    if not mark:
        return json.loads(text)
    document, rows, decoder, at = json.loads(f"{head}{mark}]}}"), [], json.JSONDecoder(), len(head) + len(mark)
    while (at := _BETWEEN.match(text, at).end()) < len(text) and text[at] == "{":  # type: ignore[union-attr]
        row, at = decoder.raw_decode(text, at)
        rows.append(row)
        pause()
    if text[at:].split() != ["]", "}"]:
        return json.loads(text)
    return document | {"tools": rows}


def _current(path: str, document: Document | None, pause: Callable[[], None] = no_pause) -> Document | None:
    """A document as it is now: the one that is known, if it has not changed."""
    if document is not None and document.stamp == stamp(path) and document.tools.age == document.age():
        return document
    return read(path, pause)


def _tools(rows: Iterable[Any], pause: Callable[[], None] = no_pause) -> Iterable[ToolSchema]:
    for row in list(rows)[:MOST_TOOLS]:
        pause()
        yield ToolSchema(str(row["name"]), str(row["description"]), json.dumps(row["inputSchema"], separators=(",", ":")))


def _age(seconds: float) -> str:
    for size, name in ((_DAY, "day"), (3600.0, "hour"), (60.0, "minute")):
        count = int(seconds // size)
        if count:
            return f"{count} {name}{'' if count == 1 else 's'}"
    return "1 minute"
