"""Keeps the texts true: those on disk, and where open buffers belong.

It knows no client's question, only what is to be known for one. All of it but `look_at` is called with the host's lock held, and
asks the look about the disk before it changes anything: what that does not know is read without the lock (`jobs.locked`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress

from analysis.inputs import FileId
from analysis.text.source import Source
from boruna_ls.workspace.buffers import Buffer, Client
from boruna_ls.workspace.disk import DiskFile, FileUnavailable
from boruna_ls.workspace.events import Change, Kind
from boruna_ls.workspace.libraries import may_be_library, own_view
from boruna_ls.workspace.library_keeper import LibraryKeeper
from boruna_ls.workspace.parts import Ground
from boruna_ls.workspace.roots import DiskView
from boruna_ls.workspace.settings_keeper import SettingsKeeper
from boruna_ls.workspace.uris import is_file


class TextKeeper:
    """Sets texts from editors' buffers and the disk."""

    def __init__(self, ground: Ground, settings: SettingsKeeper, libraries: LibraryKeeper) -> None:
        self._ground = ground
        self._state = ground.state
        self._disk = ground.shared.disk
        self._settings = settings
        self._libraries = libraries

    # ---- workspaces ---------------------------------------------------------------------------------------------

    def ask(self, workspace: str, libs: str, look: DiskView) -> None:
        """Record a request about a workspace."""
        is_new = workspace not in self._state.last_requests
        self._state.last_requests[workspace] = time.monotonic()
        if is_new and self._ground.shared.watching is not None:
            self._ground.shared.watching.look()
        self.refresh(workspace, libs, look)

    def refresh(self, workspace: str, libs: str, look: DiskView) -> None:
        """Notes the settings and libraries of a workspace, once in each look."""
        if (workspace, libs) in look.refreshed:
            return
        self.look_at(workspace, libs, look)
        self._libraries.refresh((workspace, libs), look)
        if workspace and ("settings", workspace) not in look.refreshed:
            self._settings.refresh(workspace, look)
            look.refreshed.add(("settings", workspace))
        look.refreshed.add((workspace, libs))

    def look_at(self, workspace: str, libs: str, look: DiskView) -> None:
        """Looks at what `refresh` will ask."""
        if (workspace, libs) not in look.refreshed:
            self._libraries.look_at((workspace, libs), look)
            if workspace and ("settings", workspace) not in look.refreshed:
                self._settings.look_at(workspace, look)

    # ---- texts --------------------------------------------------------------------------------------------------

    def latest(self, look: DiskView, path: str, folders: Iterable[str], libs: str) -> FileId:
        """The latest buffer of a file, else the file on disk. Raises FileUnavailable."""
        canonical = path if path in look.programs else look.canonical(path)
        self.settle_unsure(look)
        open_here = list(self._state.buffers.at(canonical))
        for buffer in open_here:
            self.settle(look, buffer)
        latest = self._state.buffers.latest(canonical) if open_here else None
        if latest is None:
            return self.on_disk(look, path, folders, libs)
        self.ask(latest.file.workspace, libs, look)
        return self._state.texts.with_libraries(latest.file, libs)

    def on_disk(self, look: DiskView, path: str, folders: Iterable[str], libs: str) -> FileId:
        """A file on disk, read again if it changed. Raises FileUnavailable."""
        if not is_file(path):
            raise FileUnavailable(path, "is not an absolute path")
        path = path if path in look.programs else look.canonical(path)
        workspace = look.root(path, look.canonical_folders(tuple(folders)))
        file = FileId(workspace, "disk", path)
        self.ask(workspace, libs, look)
        if file not in look.read or self._state.texts.get(file) is None:
            self._read(look, file)
            look.read.add(file)
        return self._state.texts.with_libraries(file, libs)

    def as_read(self, look: DiskView, file: FileId, read: DiskFile, libs: str) -> FileId:
        """The same for a file that was read in this look: the disk is not asked again."""
        self.ask(file.workspace, libs, look)
        if file not in look.read or self._state.texts.get(file) is None:
            self._put(file, read)
            look.read.add(file)
        return self._state.texts.with_libraries(file, libs)

    def lost(self, file: FileId) -> None:
        """A file on disk cannot be read: nothing is known of it."""
        self._disk.forget(file.path)
        if self._state.texts.remove(file):
            self._ground.revisions.changed(Change(file.workspace, Kind.DISK, file.path))

    def read_again(self, look: DiskView, file: FileId) -> None:
        """Notes a file that has changed; it may be gone, or have another spelling now."""
        if look.canonical(file.path) == file.path:
            with suppress(FileUnavailable):
                self._read(look, file)
        elif self._state.texts.remove(file):
            self._disk.forget(file.path)
            self._ground.revisions.changed(Change(file.workspace, Kind.DISK, file.path))

    def differs_from_disk(self, look: DiskView, path: str, source: Source) -> bool:
        """True if the disk has another text than an editor, or none."""
        try:
            return look.file(self._disk, path).source.text != source.text
        except FileUnavailable:
            return True

    def _read(self, look: DiskView, file: FileId) -> None:
        """Sets the text of a file on disk as it is now. Raises FileUnavailable, and then nothing is known of it."""
        try:
            read = look.file(self._disk, file.path)
        except FileUnavailable:
            self.lost(file)
            raise
        self._put(file, read)

    def _put(self, file: FileId, read: DiskFile) -> None:
        is_known = self._state.texts.get(file) is not None
        if self._state.texts.set(file, read.source, read.defect):
            self._ground.revisions.changed(Change(file.workspace, Kind.DISK, file.path), silently=not is_known)

    # ---- where buffers belong -----------------------------------------------------------------------------------

    def view(self, client: Client) -> str:
        """`FileId.libs` of a client: its own set if it has a library open that another client has open, too."""
        for buffer in self._state.buffers.of(client):
            path = buffer.file.path
            if self._state.libraries.is_library(path) and any(
                other.client is not client for other in self._state.buffers.at(path)
            ):
                return own_view(client.libs, client.id)
        return client.libs

    def place(self, look: DiskView, client: Client, path: str, named: str) -> FileId:
        """Identity of a client's buffer of a canonical path. A file that the client has open under two names is two files."""
        own = [buffer for buffer in self._state.buffers.at(path) if buffer.client is client and buffer.named != named]
        layer = f"editor:{client.id}:{named}" if own else f"editor:{client.id}"
        return FileId(look.root(path, client.folders), layer, path, self.view(client))

    def settle(self, look: DiskView, buffer: Buffer) -> None:
        """Settings, repositories and links come and go: the buffer is moved to where it belongs now."""
        old = buffer.file
        file = self.place(look, buffer.client, look.canonical(buffer.named), buffer.named)
        if file._replace(layer=old.layer) == old:
            return
        self.look_at(file.workspace, file.libs, look)
        text = self._state.texts.get(old)
        assert text is not None
        if file.path != old.path or file.workspace != old.workspace:
            self._state.texts.remove(old)
        else:
            file = file._replace(layer=old.layer)
        self._state.buffers.move(buffer, file)
        self.refresh(file.workspace, file.libs, look)
        self._state.texts.set(file, text.source, text.defect)
        self._state.texts.with_libraries(file, file.libs)
        if file.workspace != old.workspace or file.path != old.path:
            self._ground.revisions.changed(Change(old.workspace, Kind.TEXT, old.path, buffer.client.id))
        self._ground.revisions.changed(Change(file.workspace, Kind.TEXT, file.path))

    def settle_unsure(self, look: DiskView) -> None:
        """Looks once where buffers belong whose files can get another path: through links, or by another spelling."""
        if not look.is_settled:
            for buffer in self._state.buffers.all():
                if buffer.named != buffer.file.path or not self._ground.shared.names.is_settled(buffer.file.path):
                    self.settle(look, buffer)
            look.is_settled = True

    def opened_or_closed(self, look: DiskView, path: str) -> None:
        """Update the views: importers may see another text, and clients with an open library another set of libraries."""
        libraries = self._state.libraries
        was_library = libraries.is_library(path)
        if may_be_library(path):
            # There may be one more or one less: what only an editor has is a library as long as it is open.
            for scope in libraries.scopes():
                self._libraries.refresh(scope, look)
        if was_library or libraries.is_library(path):
            self._libraries.show(path, look)
            for client in {buffer.client.id: buffer.client for buffer in self._state.buffers.all()}.values():
                for buffer in self._state.buffers.of(client):
                    self.settle(look, buffer)
                    if self.view(client) != client.libs:
                        look.refreshed.discard((buffer.file.workspace, buffer.file.libs))
                        self.refresh(buffer.file.workspace, buffer.file.libs, look)
