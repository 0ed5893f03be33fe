"""Keeps the libraries true that programs can import: which there are, and the text that importers see.

All of it is called with the host's lock held.
"""

from __future__ import annotations

from functools import partial

from analysis import inputs
from analysis.database import Database, Durability
from analysis.inputs import FileId, Libraries
from analysis.text import Source
from boruna_ls.workspace.disk import FileUnavailable
from boruna_ls.workspace.events import Change, Kind
from boruna_ls.workspace.libraries import Scope, library_file
from boruna_ls.workspace.parts import Ground
from boruna_ls.workspace.roots import DiskView


class LibraryKeeper:
    """The sets of libraries of a host."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._state = ground.state

    def refresh(self, scope: Scope, look: DiskView) -> None:
        """Looks which libraries a workspace and a folder of libraries have."""
        all_libraries = self._state.libraries
        paths = all_libraries.find(scope, look, self._state.buffers.paths())
        for path in paths.values():
            if not (all_libraries.is_built_in(path) and self._state.texts.get(library_file(path))):
                self.show(path, always=True)
        client = all_libraries.owner(scope)
        was_known = scope in all_libraries.scopes()
        libraries = all_libraries.set(scope, paths, lambda path: self._own(client, path))
        if libraries is not None:
            self._ground.jobs.write(partial(_set_libraries, scope, libraries))
            for path in all_libraries.unseen():
                self._state.texts.remove(library_file(path))
            self._ground.revisions.changed(Change(scope[0], Kind.LIBRARY), silently=not was_known)

    def show(self, path: str, always: bool = False) -> None:
        """Sets the text that importers see: the buffer edited last, else the disk; `always`: also if it is not a library yet."""
        if not always and not self._state.libraries.is_library(path):
            return
        buffer = self._state.buffers.latest(path)
        try:
            source = buffer.source if buffer is not None else self._ground.shared.disk.read(path).source
        except FileUnavailable:
            source = Source.from_text("")
        file = library_file(path)
        is_known = self._state.texts.get(file) is not None
        if self._state.texts.set(file, source, "", Durability.HIGH if buffer is None else Durability.LOW):
            for workspace in {scope[0] for scope in self._state.libraries.scopes_of(path)}:
                self._ground.revisions.changed(Change(workspace, Kind.LIBRARY, path), silently=not is_known)
        self._state.texts.with_libraries(file, "")

    def forget(self, scope: Scope) -> None:
        """Drop a set of libraries that no request uses any more."""
        for path in self._state.libraries.remove(scope):
            self._state.texts.remove(library_file(path))
        self._ground.jobs.write(partial(_unset_libraries, scope))

    def _own(self, client: int | None, path: str) -> FileId | None:
        """The buffer in which an editor has a library open, if it sees its own."""
        own = [buffer for buffer in self._state.buffers.at(path) if buffer.client.id == client]
        return own[0].file if own else None


def _set_libraries(scope: Scope, libraries: Libraries, db: Database) -> None:
    inputs.libraries.set(db, *scope, libraries)


def _unset_libraries(scope: Scope, db: Database) -> None:
    inputs.libraries.remove(db, *scope)
