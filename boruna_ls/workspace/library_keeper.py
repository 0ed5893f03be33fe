"""Keeps the libraries true that programs can import: which there are, and the text that importers see.

All but `look_at` is called with the host's lock held, and asks the look about the disk before it changes anything.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from analysis import inputs
from analysis.database import Database, Durability
from analysis.inputs import FileId, Libraries
from analysis.text.source import Source
from boruna_ls.workspace.disk import FileUnavailable
from boruna_ls.workspace.events import Change, Kind
from boruna_ls.workspace.libraries import Scope, library_file
from boruna_ls.workspace.parts import Ground
from boruna_ls.workspace.roots import DiskView

_MISSING: Final = Source.from_text("")
"""Text of a library that cannot be read."""


class LibraryKeeper:
    """The sets of libraries of a host."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._state = ground.state

    def look_at(self, scope: Scope, look: DiskView) -> tuple[dict[str, str], list[str]]:
        """The libraries that a workspace and a folder of libraries have, by name; and the paths whose text can have changed."""
        all_libraries = self._state.libraries
        paths = all_libraries.find(scope, look, self._state.buffers.paths())
        doubtful = [
            path for path in paths.values() if not (all_libraries.is_built_in(path) and self._state.texts.get(library_file(path)))
        ]
        for path in doubtful:
            self._text_of(path, look)
        return paths, doubtful

    def refresh(self, scope: Scope, look: DiskView) -> None:
        """Notes which libraries a workspace and a folder of libraries have."""
        all_libraries = self._state.libraries
        paths, doubtful = self.look_at(scope, look)
        for path in doubtful:
            self.show(path, look, always=True)
        client = all_libraries.owner(scope)
        was_known = scope in all_libraries.scopes()
        libraries = all_libraries.set(scope, paths, lambda path: self._own(client, path))
        if libraries is not None:
            self._ground.jobs.write(partial(_set_libraries, scope, libraries))
            for path in all_libraries.unseen():
                self._state.texts.remove(library_file(path))
            self._ground.revisions.changed(Change(scope[0], Kind.LIBRARY), silently=not was_known)

    def show(self, path: str, look: DiskView, always: bool = False) -> None:
        """Sets the text that importers see: the buffer edited last, else the disk; `always`: also if it is not a library yet."""
        if always or self._state.libraries.is_library(path):
            self._show(path, *self._text_of(path, look))

    def show_edited(self, path: str, source: Source) -> None:
        """An open file has this text now: the one that importers see, if it is a library."""
        if self._state.libraries.is_library(path):
            self._show(path, source, Durability.LOW)

    def _text_of(self, path: str, look: DiskView) -> tuple[Source, Durability]:
        buffer = self._state.buffers.latest(path)
        if buffer is not None:
            return buffer.source, Durability.LOW
        try:
            return look.file(self._ground.shared.disk, path).source, Durability.HIGH
        except FileUnavailable:
            return _MISSING, Durability.HIGH

    def _show(self, path: str, source: Source, durability: Durability) -> None:
        file = library_file(path)
        is_known = self._state.texts.get(file) is not None
        if self._state.texts.set(file, source, "", durability):
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
