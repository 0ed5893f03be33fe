"""Reports changes from elsewhere (disk, other editors, libraries, settings) to the editor, several at once.

An editor that is pushed to gets its open documents again if they depend on what changed, one that pulls is asked to look
again. What the editor itself types is not news and goes its own way (`diagnostics.py`).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from analysis.documents.file_names import is_document
from boruna_ls.workspace import Change, Kind
from boruna_ls.workspace.roots import is_inside

if TYPE_CHECKING:
    from boruna_ls.lsp.server import Server

_TOGETHER: Final = 0.05
"""Seconds in which changes are waited for that come together."""
_TYPING: Final = 0.5
"""The same while another user types."""
_EVERYWHERE: Final = frozenset((Kind.LIBRARY, Kind.SETTINGS))
"""Kinds of changes that affect every open document."""


class Changes:
    """Listens to the host for one editor."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._session = server.session
        self._kinds: set[Kind] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._problems: set[str] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def listen(self) -> None:
        """The connection has begun."""
        self._loop = asyncio.get_running_loop()
        self._session.host.listeners.append(self.noticed)

    def noticed(self, change: Change) -> None:
        """The host says that something changed; called on any thread."""
        if change.client == self._session.client.id:
            return
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._collect, change)

    def end(self) -> None:
        """The connection has ended."""
        self._session.host.listeners.remove(self.noticed)
        if self._timer is not None:
            self._timer.cancel()

    def refresh_views(self) -> None:
        """Asks the editor to refresh lenses and, if it pulls them, diagnostics."""
        workspace = self._session.capabilities.workspace
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self._server.protocol.send_request(types.WORKSPACE_CODE_LENS_REFRESH)
        self._refresh_diagnostics()

    def _collect(self, change: Change) -> None:
        if not self._concerns(change):
            return
        self._kinds.add(change.kind)
        delay = _TYPING if change.kind is Kind.TEXT else _TOGETHER
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            if self._timer.when() <= loop.time() + delay:
                return
            self._timer.cancel()
        self._timer = loop.call_later(delay, self._tell)

    def _concerns(self, change: Change) -> bool:
        """True if a change concerns the editor: it is in one of its workspaces, or in a folder within or around one of its
        folders."""
        if change.workspace in self._session.workspaces():
            return True
        place = change.workspace or change.path
        folders = self._session.client.folders
        return any(is_inside(place, folder) or is_inside(folder, place) for folder in folders)

    def _tell(self) -> None:
        kinds, self._kinds, self._timer = self._kinds, set(), None
        server = self._server
        if kinds & _EVERYWHERE:
            server.diagnostics.others_changed()
            self._show_problems()
        elif Kind.NAMED in kinds:
            server.diagnostics.others_changed(is_document)
        self._refresh_diagnostics()
        if kinds <= {Kind.TEXT, Kind.NAMED}:
            server.idle.publish()
        else:
            server.idle.changed()

    def _refresh_diagnostics(self) -> None:
        workspace = self._session.capabilities.workspace
        can_refresh = workspace is not None and workspace.diagnostics is not None and workspace.diagnostics.refresh_support
        if can_refresh and not self._server.diagnostics.is_pushing:
            self._server.protocol.send_request(types.WORKSPACE_DIAGNOSTIC_REFRESH)

    def _show_problems(self) -> None:
        """Show each fault of the settings once, until the faults change."""
        host, client = self._session.host, self._session.client
        buffers = [host.buffer(client, path) for path in host.open_paths(client)]
        problems = {text for buffer in buffers if buffer for text in host.problems(buffer.file.workspace)}
        for problem in sorted(problems - self._problems):
            self._session.connection.show(types.MessageType.Warning, problem)
        self._problems = problems
