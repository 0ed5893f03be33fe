"""Keeps the inputs true: settings, libraries, texts on disk, and where open buffers belong.

The middle part of the host: it knows no client's question, only what is to be known for one. All of it is called with
the lock held.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from analysis import inputs
from analysis.database import Database, Durability
from analysis.inputs import FileId, Libraries
from analysis.text import Source
from boruna_ls.workspace import tool_servers
from boruna_ls.workspace.buffers import Buffer, Client
from boruna_ls.workspace.disk import Disk, FileUnavailable
from boruna_ls.workspace.events import Change, Kind
from boruna_ls.workspace.jobs import Jobs
from boruna_ls.workspace.libraries import Scope, library_file, may_be_library, own_view
from boruna_ls.workspace.programs import Walker
from boruna_ls.workspace.roots import SETTINGS_FILE, Look
from boruna_ls.workspace.settings import Settings, parse_settings
from boruna_ls.workspace.tool_servers import ToolState
from boruna_ls.workspace.uris import is_file

if TYPE_CHECKING:
    from boruna_ls.workspace.applying import Editor
    from boruna_ls.workspace.watching import Watching

_NOTHING = Source.from_text("")
"""The text of settings that are not read."""


class Keeper(Jobs):
    """Sets the inputs from editors' buffers and the disk, and tells who listens."""

    def __init__(self, libs_dir: str | None = None, database: Database | None = None) -> None:
        super().__init__(database)
        self.listeners: list[Callable[[Change], None]] = []
        """Called, on any thread, after something changed; they must return at once."""
        self._libs = os.path.abspath(libs_dir) if libs_dir else ""
        self._disk = Disk()
        self._walker = Walker()
        self._watching: Watching | None = None
        self.editors: dict[int, Editor] = {}
        """By client, the editors that can be sent edits."""
        self._given_tools: ToolState | None = None

    # ---- texts --------------------------------------------------------------------------------------------------

    def _canonical(self, look: Look, path: str) -> str:
        if not is_file(path):
            raise FileUnavailable(path, "is not an absolute path")
        return path if path in look.programs else look.canonical(path)

    def _seen(self, look: Look, path: str, folders: Iterable[str], libs: str) -> FileId:
        """A file in the buffer edited last, else on disk."""
        canonical = path if path in look.programs else look.canonical(path)
        self._settle_unsure(look)
        open_here = list(self.state.buffers.at(canonical))
        for buffer in open_here:
            self._settle(look, buffer)
        latest = self.state.buffers.latest(canonical) if open_here else None
        if latest is None:
            return self._on_disk(look, self._canonical(look, path), folders, libs)
        self._ask(latest.file.workspace, libs, look)
        return self.state.texts.seen(latest.file, libs)

    def _on_disk(self, look: Look, path: str, folders: Iterable[str], libs: str) -> FileId:
        workspace = look.root(path, look.canonical_folders(tuple(folders)))
        self._ask(workspace, libs, look)
        file = FileId(workspace, "disk", path)
        if file not in look.read or self.state.texts.get(file) is None:
            self._read(file)
            look.read.add(file)
        return self.state.texts.seen(file, libs)

    def _read(self, file: FileId) -> None:
        """Sets the text of a file on disk as it is now. Raises FileUnavailable, and then nothing is known of it."""
        try:
            read = self._disk.read(file.path)
        except FileUnavailable:
            if self.state.texts.remove(file):
                self._changed(Change(file.workspace, Kind.DISK, file.path))
            raise
        is_known = self.state.texts.get(file) is not None
        if self.state.texts.set(file, read.source, read.defect):
            self._changed(Change(file.workspace, Kind.DISK, file.path), silently=not is_known)

    def _read_again(self, look: Look, file: FileId) -> None:
        """The same for a file that has changed; it may be gone, or have another spelling now."""
        if look.canonical(file.path) == file.path:
            with suppress(FileUnavailable):
                self._read(file)
        elif self.state.texts.remove(file):
            self._disk.forget(file.path)
            self._changed(Change(file.workspace, Kind.DISK, file.path))

    def _differs_from_disk(self, path: str, source: Source) -> bool:
        try:
            return self._disk.read(path).source.text != source.text
        except FileUnavailable:
            return True

    def _changed(self, change: Change, silently: bool = False) -> None:
        """A workspace has another revision. What was only not known before is no news for those who listen."""
        self.state.revisions[change.workspace] = next(self._numbers)
        if not silently:
            for listener in list(self.listeners):
                listener(change)

    # ---- where buffers belong -----------------------------------------------------------------------------------

    def _view(self, client: Client) -> str:
        """`FileId.libs` of a client: its own set if it has a library open that somebody else has open, too."""
        for buffer in self.state.buffers.of(client):
            path = buffer.file.path
            if self.state.libraries.is_library(path) and any(other.client is not client for other in self.state.buffers.at(path)):
                return own_view(client.libs, client.id)
        return client.libs

    def _place(self, look: Look, client: Client, path: str, named: str) -> FileId:
        """Where a client's buffer of a canonical path belongs; one that it has open under two names is two files."""
        own = [buffer for buffer in self.state.buffers.at(path) if buffer.client is client and buffer.named != named]
        layer = f"editor:{client.id}:{named}" if own else f"editor:{client.id}"
        return FileId(look.root(path, client.folders), layer, path, self._view(client))

    def _settle(self, look: Look, buffer: Buffer) -> None:
        """Settings, repositories and links come and go: the buffer is moved to where it belongs now."""
        old = buffer.file
        file = self._place(look, buffer.client, look.canonical(buffer.named), buffer.named)
        if file._replace(layer=old.layer) == old:
            return
        text = self.state.texts.get(old)
        assert text is not None
        if file.path != old.path or file.workspace != old.workspace:
            self.state.texts.remove(old)
        else:
            file = file._replace(layer=old.layer)
        self.state.buffers.move(buffer, file)
        self._refresh(file.workspace, file.libs, look)
        self.state.texts.set(file, text.source, text.defect)
        self.state.texts.seen(file, file.libs)
        if file.workspace != old.workspace or file.path != old.path:
            self._changed(Change(old.workspace, Kind.TEXT, old.path, buffer.client.id))
        self._changed(Change(file.workspace, Kind.TEXT, file.path))

    def _settle_unsure(self, look: Look) -> None:
        """Looks once where buffers belong whose files can get another path: through links, or by another spelling."""
        if not look.is_settled:
            look.is_settled = True
            for buffer in self.state.buffers.all():
                if buffer.named != buffer.file.path or not self._names.is_settled(buffer.file.path):
                    self._settle(look, buffer)

    def _opened_or_closed(self, look: Look, path: str) -> None:
        """Importers may see another text, and who has a library open another set of libraries than before."""
        was_library = self.state.libraries.is_library(path)
        if may_be_library(path):
            # There may be one more or one less: what only an editor has is a library as long as it is open.
            fresh = Look(self._names)
            for scope in self.state.libraries.known():
                self._refresh_libraries(scope, fresh)
        if was_library or self.state.libraries.is_library(path):
            self._show_library(path)
            for client in {buffer.client.id: buffer.client for buffer in self.state.buffers.all()}.values():
                for buffer in self.state.buffers.of(client):
                    self._settle(look, buffer)
                    if self._view(client) != client.libs:
                        self._refresh(buffer.file.workspace, buffer.file.libs, Look(self._names))

    # ---- settings and libraries ---------------------------------------------------------------------------------

    def _ask(self, workspace: str, libs: str, look: Look) -> None:
        """Somebody asks about a workspace."""
        is_new = workspace not in self.state.asked
        self.state.asked[workspace] = time.monotonic()
        if is_new and self._watching is not None:
            self._watching.look()
        self._refresh(workspace, libs, look)

    def _refresh(self, workspace: str, libs: str, look: Look) -> None:
        """Looks at the settings and libraries of a workspace, once in each look."""
        if (workspace, libs) in look.refreshed:
            return
        look.refreshed.add((workspace, libs))
        self._refresh_libraries((workspace, libs), look)
        if workspace and ("settings", workspace) not in look.refreshed:
            look.refreshed.add(("settings", workspace))
            self._refresh_settings(workspace)
            self._refresh_tools(workspace)

    def _refresh_settings(self, workspace: str) -> None:
        source: Source | None = None
        defect = ""
        path = os.path.join(workspace, SETTINGS_FILE)
        try:
            read = self._disk.read(path)
            source, defect = read.source, read.defect
        except FileUnavailable as error:
            if os.path.islink(path):
                source, defect = _NOTHING, error.reason
        known = self.state.settings.get(workspace)
        if known is None or known[0] is not source:
            settings = parse_settings(source.text, defect) if source is not None else Settings()
            self.state.settings[workspace] = (source, settings)
            before = known[1] if known is not None else Settings()
            if settings.check != before.check:
                self._write(partial(_set_settings, workspace, settings))
            if settings != before:
                self._changed(Change(workspace, Kind.SETTINGS), silently=known is None)

    def _refresh_tools(self, workspace: str) -> None:
        """Looks at the MCP servers that a workspace configures, and at what is kept of their tools."""
        text = ""
        with suppress(FileUnavailable):
            read = self._disk.read(os.path.join(workspace, tool_servers.CONFIGURATION))
            text = "" if read.defect else read.source.text
        known = self.state.tools.get(workspace)
        before = known or ToolState()
        found = self._given_tools or before.refreshed(workspace, text)
        if known is None or found != known:
            self.state.tools[workspace] = found
            self._write(partial(_set_tools, workspace, before, found))
            self._changed(Change(workspace, Kind.SETTINGS), silently=known is None)

    def _forget_settings(self, workspace: str) -> None:
        self.state.settings.pop(workspace, None)
        tools = self.state.tools.pop(workspace, ToolState())
        self._write(partial(_unset_settings, workspace, tools))

    def give_tools(self, workspace: str, tools: ToolState) -> None:
        """From now on programs are checked against these tools of servers, whatever is configured and kept."""
        with self._lock:
            self._given_tools = tools
            self._refresh_tools(workspace)

    def tools_of(self, workspace: str) -> ToolState:
        """The servers of a workspace and what is known of their tools."""
        with self._lock:
            return self.state.tools.get(workspace, ToolState())

    def tools_changed(self, workspace: str) -> None:
        """The tools of a server of a workspace were listed anew; may be called from any thread."""
        with self._lock:
            if workspace in self.state.asked:
                self._refresh_tools(workspace)

    def _refresh_libraries(self, scope: Scope, look: Look) -> None:
        found = self.state.libraries.find(scope, look, self.state.buffers.paths())
        for path in found.values():
            if not (self.state.libraries.is_built_in(path) and self.state.texts.get(library_file(path))):
                self._show_library(path, always=True)
        client = self.state.libraries.owner(scope)
        was_known = scope in self.state.libraries.known()
        libraries = self.state.libraries.set(scope, found, lambda path: self._own_library(client, path))
        if libraries is not None:
            self._write(partial(_set_libraries, scope, libraries))
            for path in self.state.libraries.unseen():
                self.state.texts.remove(library_file(path))
            self._changed(Change(scope[0], Kind.LIBRARY), silently=not was_known)

    def _own_library(self, client: int | None, path: str) -> FileId | None:
        """The buffer in which an editor has a library open, if it sees its own."""
        own = [buffer for buffer in self.state.buffers.at(path) if buffer.client.id == client]
        return own[0].file if own else None

    def _show_library(self, path: str, always: bool = False) -> None:
        """Sets the text that importers see: the buffer edited last, else the disk."""
        if not always and not self.state.libraries.is_library(path):
            return
        buffer = self.state.buffers.latest(path)
        try:
            source = buffer.source if buffer is not None else self._disk.read(path).source
        except FileUnavailable:
            source = Source.from_text("")
        file = library_file(path)
        is_known = self.state.texts.get(file) is not None
        if self.state.texts.set(file, source, "", Durability.HIGH if buffer is None else Durability.LOW):
            for workspace in {scope[0] for scope in self.state.libraries.scopes_of(path)}:
                self._changed(Change(workspace, Kind.LIBRARY, path), silently=not is_known)
        self.state.texts.seen(file, "")

    def _forget_scope(self, scope: Scope) -> None:
        for path in self.state.libraries.remove(scope):
            self.state.texts.remove(library_file(path))
        self._write(partial(_unset_libraries, scope))


def _set_settings(workspace: str, settings: Settings, db: Database) -> None:
    inputs.settings.set(db, workspace, settings.check)


def _unset_settings(workspace: str, tools: ToolState, db: Database) -> None:
    inputs.settings.remove(db, workspace)
    inputs.tool_servers.remove(db, workspace)
    for name, document in tools.documents.items():
        inputs.server_tools.remove(db, workspace, name)
        inputs.source.remove(db, FileId(workspace, "tools", document.tools.document))


def _set_tools(workspace: str, before: ToolState, found: ToolState, db: Database) -> None:
    inputs.tool_servers.set(db, workspace, inputs.ToolServers(found.names, True))
    for name in before.documents.keys() - found.documents.keys():
        inputs.server_tools.remove(db, workspace, name)
    for name, document in found.documents.items():
        if document != before.documents.get(name):
            inputs.server_tools.set(db, workspace, name, document.tools)
            shown = FileId(workspace, "tools", document.tools.document)
            inputs.source.set(db, shown, Source.from_text(document.text))


def _set_libraries(scope: Scope, libraries: Libraries, db: Database) -> None:
    inputs.libraries.set(db, *scope, libraries)


def _unset_libraries(scope: Scope, db: Database) -> None:
    inputs.libraries.remove(db, *scope)
