"""Keeps what a workspace configures true: `boruna.toml`, and the MCP servers of `.mcp.json` with what is known of their tools.

`look_at`, `give_tools`, `tools_of`, `tools_changed` and `read_ahead` are called without the host's lock, everything else with
it held; that asks the look about the disk before it changes anything.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Final

from analysis import inputs
from analysis.database import Database
from analysis.inputs import FileId
from analysis.text.blocks import no_pause
from analysis.text.source import Chunk, Source
from boruna_ls import bounded
from boruna_ls.workspace import tool_servers
from boruna_ls.workspace.disk import FileUnavailable
from boruna_ls.workspace.events import Change, Kind
from boruna_ls.workspace.jobs import locked
from boruna_ls.workspace.parts import Ground
from boruna_ls.workspace.roots import SETTINGS_FILE, DiskView
from boruna_ls.workspace.settings import Settings, parse_settings
from boruna_ls.workspace.tool_servers import Document, ToolState

_NOTHING: Final = Source.from_text("")
"""The text of settings that are not read."""
_NO_TOOLS: Final = ToolState()
_Read = tuple[Source | None, str, Settings]
"""Settings as they were read, see `State.settings`."""


class SettingsKeeper:
    """The settings and tool servers of the workspaces of a host."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._state = ground.state

    def of(self, workspace: str) -> Settings:
        """The settings of a workspace as they were looked at last."""
        entry = self._state.settings.get(workspace)
        return entry[2] if entry is not None else Settings()

    def look_at(self, workspace: str, look: DiskView) -> tuple[_Read, ToolState]:
        """The settings and servers of a workspace as they are now."""
        return self._settings_at(workspace, look), self._tools_at(workspace, look)

    def refresh(self, workspace: str, look: DiskView) -> None:
        """Notes a workspace's settings and servers."""
        settings, tools = self.look_at(workspace, look)
        self._set_settings(workspace, settings)
        self._set_tools(workspace, tools)

    def forget(self, workspace: str) -> None:
        """Drop the settings of a workspace that no request names any more."""
        self._state.settings.pop(workspace, None)
        tools = self._state.tools.pop(workspace, ToolState())
        self._ground.jobs.write(partial(_unset_settings, workspace, tools))

    def give_tools(self, workspace: str, tools: ToolState) -> None:
        """Check programs against these tools of servers from now on, whatever is configured and stored."""
        with self._ground.jobs.lock:
            self._state.given_tools = tools
            self._set_tools(workspace, tools)

    def tools_of(self, workspace: str) -> ToolState:
        """The servers of a workspace and what is known of their tools."""
        with self._ground.jobs.lock:
            return self._state.tools.get(workspace, ToolState())

    def tools_changed(self, workspace: str) -> None:
        """The tools of a server of a workspace were listed anew; may be called from any thread."""
        with self._ground.jobs.lock:
            if workspace not in self._state.last_requests:
                return
            tools = self._state.tools.get(workspace, ToolState())
        self._read_tools(workspace, tools, self._ground.shared.precedence.pacing())

    def read_ahead(self, workspace: str) -> None:
        """To be called without the host's lock, by a job that will look at a workspace: reads what has changed of its tools."""
        tools = self._state.tools.get(workspace)
        if tools is not None and self._state.given_tools is None and tools.may_be_old(workspace):
            self._read_tools(workspace, tools, self._ground.jobs.checkpoint)

    def _read_tools(self, workspace: str, tools: ToolState, pause: Callable[[], None] = no_pause) -> None:
        """Read changed schemas, possibly thousands, before the lock is taken, so that none is read under it."""
        renewed = tools.reread(workspace, pause)
        jobs = self._ground.jobs
        # Another look than the job's, which has seen the tools before.
        look = DiskView(self._ground.shared.names)

        def change() -> None:
            if workspace in self._state.last_requests:
                self._set_tools(workspace, self._tools_at(workspace, look, renewed))

        locked(jobs, look, change)

    def _settings_at(self, workspace: str, look: DiskView) -> _Read:
        return look.known(("settings", workspace), partial(self._read_settings, workspace))

    def _read_settings(self, workspace: str) -> _Read:
        """Reads the settings, and parses them if that is another text than the known one."""
        source: Source | None = None
        defect = ""
        path = os.path.join(workspace, SETTINGS_FILE)
        try:
            read = self._ground.shared.disk.read(path)
            source, defect = read.source, read.defect
        except FileUnavailable as error:
            # A folder, or a file that may not be read, was meant to say something.
            if bounded.is_link(path) or bounded.is_there(path):
                source, defect = _NOTHING, error.reason
        entry = self._state.settings.get(workspace)
        # Without a defect an empty file may be the same text as one that could not be read.
        if entry is not None and entry[0] is source and entry[1] == defect:
            return entry
        return source, defect, parse_settings(source.text, defect) if source is not None else Settings()

    def _set_settings(self, workspace: str, read: _Read) -> None:
        entry = self._state.settings.get(workspace)
        if entry is not None and entry[0] is read[0] and entry[1] == read[1]:
            return
        self._state.settings[workspace] = read
        settings, before = read[2], entry[2] if entry is not None else Settings()
        if settings.check != before.check:
            self._ground.jobs.write(partial(_set_settings, workspace, settings))
        if settings != before:
            self._ground.revisions.changed(Change(workspace, Kind.SETTINGS), silently=entry is None)

    def _tools_at(self, workspace: str, look: DiskView, reread: Mapping[str, Document] | None = None) -> ToolState:
        """The servers of a workspace and their tools now; the same object as before if nothing has changed."""
        if self._state.given_tools is not None:
            return self._state.given_tools
        text = ""
        with suppress(FileUnavailable):
            read = look.file(self._ground.shared.disk, os.path.join(workspace, tool_servers.CONFIGURATION))
            text = "" if read.defect else read.source.text
        before = self._state.tools.get(workspace) or _NO_TOOLS

        def find() -> tuple[ToolState, ToolState]:
            return before.refreshed(workspace, text, reread), before

        # What is kept in the look keeps its identity.
        return look.known(("tools", workspace, id(before), text), find)[0]

    def _set_tools(self, workspace: str, fresh: ToolState) -> None:
        recorded = self._state.tools.get(workspace)
        before = recorded or ToolState()
        if fresh is recorded:
            return
        self._state.tools[workspace] = fresh
        if recorded is None or fresh != recorded:
            self._ground.jobs.write(partial(_set_tools, workspace, before, fresh))
            self._ground.revisions.changed(Change(workspace, Kind.SETTINGS), silently=recorded is None)


def _set_settings(workspace: str, settings: Settings, db: Database) -> None:
    inputs.settings.set(db, workspace, settings.check)


def _unset_settings(workspace: str, tools: ToolState, db: Database) -> None:
    inputs.settings.remove(db, workspace)
    inputs.tool_servers.remove(db, workspace)
    for name, document in tools.documents.items():
        inputs.server_tools.remove(db, workspace, name)
        inputs.source.remove(db, FileId(workspace, "tools", document.tools.document))


def _set_tools(workspace: str, before: ToolState, tool_state: ToolState, db: Database) -> None:
    inputs.tool_servers.set(db, workspace, inputs.ToolServers(tool_state.names, True))
    for name in before.documents.keys() - tool_state.documents.keys():
        inputs.server_tools.remove(db, workspace, name)
    for name, document in tool_state.documents.items():
        if document != before.documents.get(name):
            inputs.server_tools.set(db, workspace, name, document.tools)
            shown = FileId(workspace, "tools", document.tools.document)
            inputs.source.set(db, shown, _whole(document.text))


def _whole(text: str) -> Source:
    """A text other than a program, as one chunk: nothing looks for items in it."""
    return Source(text, (Chunk(text),), [0], [0], True)
