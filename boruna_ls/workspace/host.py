"""The workspace host: owns the one database and keeps its inputs true to editors, disk and inline texts.

Views ask it for a `FileId` and hand that to the queries of `analysis`. Each editor is answered from its own
buffer; agents and the command line see the buffer that was edited last, else the disk. Its methods may be called
from any thread; a job of the worker must call `inline`, `file_for_agent` and `file_for_editor` itself, so that a
cancelled job starts from fresh inputs.
"""

from __future__ import annotations

import itertools
import os
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from analysis.database import Database
from analysis.documents.names import source_of
from analysis.inputs import FileId
from analysis.text import Source
from boruna_ls.workspace.buffers import Buffer, Client
from boruna_ls.workspace.disk import FileUnavailable, size_defect
from boruna_ls.workspace.events import Change, Kind
from boruna_ls.workspace.freshness import Freshness
from boruna_ls.workspace.mounts import MOUNTS
from boruna_ls.workspace.naming import Naming
from boruna_ls.workspace.programs import Programs
from boruna_ls.workspace.roots import Look, is_inside
from boruna_ls.workspace.uris import LONGEST, is_file

__all__ = ["Client", "FileUnavailable", "Freshness", "Host"]

_SHOWN: Final = 100
"""Characters of a path that is too long which a message quotes."""
IDLE: Final = 600.0
"""Seconds without a question after which a workspace in which nobody works is forgotten."""


class Host(Naming):
    """Everything that is shared by all connections of a process: database, worker, buffers, disk."""

    def __init__(self, libs_dir: str | None = None, database: Database | None = None, watch: bool = False) -> None:
        """`libs_dir` is for clients that bring no libraries; with `watch` the disk is watched while there are clients."""
        super().__init__(libs_dir, database)
        self.epoch = os.urandom(4).hex()
        self._made_clients = itertools.count(1)
        if watch:
            from boruna_ls.workspace.watching import Watching

            self._watching = Watching(self)
        self._refresh("", self._libs, Look(self._names))

    # ---- clients ------------------------------------------------------------------------------------------------

    def connect(self, folders: Iterable[str] = (), libs_dir: str | None = None) -> Client:
        """A new client with the folders (absolute paths) that it works in, and its own folder of libraries, if any.

        Without one it has the host's.
        """
        with self._lock:
            client = Client(next(self._made_clients), libs=os.path.abspath(libs_dir) if libs_dir else self._libs)
            self.state.clients[client.id] = client
            self.work_in(client, folders)
            if self._watching is not None:
                self._watching.use()
            return client

    def work_in(self, client: Client, folders: Iterable[str]) -> None:
        """A client works in these folders from now on, named as it writes them."""
        look = self._look()
        client.named = tuple(dict.fromkeys(folders))
        client.folders = tuple(look.canonical(folder) for folder in client.named)

    def disconnect(self, client: Client) -> None:
        """Closes everything that a client had open."""
        with self._lock:
            for buffer in self.state.buffers.of(client):
                self.close(client, buffer.named)
            if self.state.clients.pop(client.id, None) is not None and self._watching is not None:
                self._watching.release()
            self.retention.sweep()
            if client.libs != self._libs and all(other.libs != client.libs for other in self.state.clients.values()):
                self.state.texts.drop(client.libs)
                for scope in self.state.libraries.known():
                    if scope[1] == client.libs:
                        self._forget_scope(scope)

    # ---- editors ------------------------------------------------------------------------------------------------

    def open(self, client: Client, path: str, text: str, version: int | None = None, touched: int | None = None) -> FileId:
        """An editor opens a file (or opens it again with another text); `path` as it writes it.

        `touched` is when it was edited, if that was before now (`Buffer.touched`).
        """
        with self._lock:
            look = self._look()
            canonical = look.canonical(path)
            known = self.state.buffers.get(client, path)
            base = known or self.state.buffers.latest(canonical)
            source = source_of(canonical, text, base.source if base is not None else self._disk.known(canonical))
            if known is not None:
                self.state.buffers.remove(client, path)
            file = self._place(look, client, canonical, path)
            if known is not None and known.file._replace(libs="") != file._replace(libs=""):
                self.state.texts.remove(known.file)
            self.state.edits += 1
            now = time.monotonic_ns()
            self.state.buffers.put(
                Buffer(client, path, file, source, version, self.state.edits, self.state.edits, min(touched or now, now))
            )
            self._ask(file.workspace, file.libs, look)
            self.state.texts.set(file, source, size_defect(text))
            self.state.texts.seen(file, file.libs)
            self._opened_or_closed(look, canonical)
            self._changed(Change(file.workspace, Kind.TEXT, canonical, client.id))
            opened = self.state.buffers.get(client, path)
            return opened.file if opened is not None else file

    def change(self, client: Client, path: str, source: Source, version: int | None = None) -> FileId:
        """The text of an open buffer is now `source` (made with `Source.edited` from the one before).

        Raises KeyError if the client has not opened the file.
        """
        with self._lock:
            buffer = self.state.buffers.get(client, path)
            if buffer is None:
                raise KeyError(path)
            self.state.edits += 1
            buffer.source, buffer.version, buffer.edited = source, version, self.state.edits
            buffer.touched = time.monotonic_ns()
            file = buffer.file
            if self.state.texts.set(file, source, size_defect(source.text)):
                self._changed(Change(file.workspace, Kind.TEXT, file.path, client.id))
            self._show_library(file.path)
            return file

    def close(self, client: Client, path: str) -> None:
        """An editor closes a file; nothing happens if it had not opened it."""
        with self._lock:
            buffer = self.state.buffers.remove(client, path)
            if buffer is not None:
                self.state.texts.remove(buffer.file)
                self._opened_or_closed(self._look(), buffer.file.path)
                self._changed(Change(buffer.file.workspace, Kind.TEXT, buffer.file.path, client.id))

    def buffer(self, client: Client, path: str) -> Buffer | None:
        """What a client has open under a path as it writes it."""
        return self.state.buffers.get(client, path)

    def current(self, client: Client, path: str) -> Buffer | None:
        """What a client has open under a path, as a copy whose text is the database's when a job asks for it.

        A job that finds `edited` unchanged afterwards has seen that text and no other.
        """
        with self._lock:
            self.catch_up()
            buffer = self.state.buffers.get(client, path)
            found = replace(buffer) if buffer is not None else None
        if found is not None:
            self.with_named(found.file)
        return found

    def open_paths(self, client: Client) -> list[str]:
        """The paths that a client has open, as it writes them."""
        return [buffer.named for buffer in self.state.buffers.of(client)]

    def held(self, client: Client) -> int:
        """How many characters a client has open or has sent inline."""
        with self._lock:
            opened = sum(len(buffer.source.text) for buffer in self.state.buffers.of(client))
            return opened + self.state.inline.held(client.id)

    def open_texts(self, paths: Iterable[str] = (), roots: Iterable[str] = ()) -> dict[str, dict[str, Any]]:
        """What editors have open of these files, and below these folders: of each file the `text` of the buffer edited last.

        By the path as it was given, else the canonical one; `unsaved` if the disk has another text, or none.
        """
        with self._lock:
            look = self._look()
            self._settle_unsure(look)
            folders = [look.canonical(root) for root in roots]
            wanted = {path: path for path in self.state.buffers.paths() if any(is_inside(path, folder) for folder in folders)}
            wanted |= {look.canonical(path): path for path in paths}
            found = {}
            for path, named in wanted.items():
                buffer = self.state.buffers.latest(path)
                if buffer is not None:
                    unsaved = self._differs_from_disk(path, buffer.source)
                    found[named] = {"text": buffer.source.text, "unsaved": unsaved}
            return found

    def spelled(self, client: Client, path: str) -> str:
        """A canonical path as a client writes it: what it has open under its own name, else below the folders that it named."""
        buffer = self.state.buffers.own(client, path)
        return buffer.named if buffer is not None else client.spelled(path)

    # ---- files --------------------------------------------------------------------------------------------------

    def file_for_editor(self, client: Client, path: str) -> FileId:
        """The file as this editor sees it: its own buffer, else what agents see. Raises FileUnavailable."""
        self.catch_up()
        buffer = self.state.buffers.get(client, path)
        if buffer is not None:
            return self.with_named(buffer.file)
        with self._lock:
            look = self._look()
            buffer = self.state.buffers.own(client, look.canonical(path))
            file = buffer.file if buffer is not None else self._seen(look, path, client.folders, self._view(client))
        return self.with_named(file)

    def file_for_agent(self, path: str, folders: Iterable[str] = (), libs: str | None = None) -> FileId:
        """The file in the buffer edited last, else on disk, looked at again now; it sees the libraries of `libs`.

        Raises FileUnavailable. `libs` is `Client.libs` of whoever asks, by default the host's.
        """
        look = self._look()
        canonical = path if path in look.programs else look.canonical(path)
        if not self.state.buffers.at(canonical) and self._disk.known(canonical) is None and is_file(canonical):
            # Not under the lock: nobody who types waits while a file is read and split for the first time.
            with suppress(FileUnavailable):
                self._disk.read(canonical)
        with self._lock:
            self.catch_up()
            file = self._seen(look, canonical, folders, self._libs if libs is None else libs)
        return self.with_named(file)

    def disk(self, path: str, folders: Iterable[str] = (), libs: str | None = None) -> FileId:
        """The file on disk, read again if it changed. Raises FileUnavailable."""
        with self._lock:
            look = self._look()
            return self._on_disk(look, self._canonical(look, path), folders, self._libs if libs is None else libs)

    def inline(
        self, text: str, file_name: str = "", connection: object = None, path: str | None = None, libs: str | None = None
    ) -> FileId:
        """Text sent by a client, scanned as a difference to the last one of the same connection and `file_name`.

        It stands in a workspace only if `path` or an absolute `file_name` places it there.
        """
        with self._lock:
            look = self._look()
            workspace = look.root(look.canonical(path if path is not None else file_name))
            libs = self._libs if libs is None else libs
            self._ask(workspace, libs, look)
            file, source, dropped = self.state.inline.put(workspace, connection, file_name, text)
            if self.state.texts.set(file, source, size_defect(text)):
                self._changed(Change(workspace, Kind.TEXT), silently=True)
            for old in dropped:
                self.state.texts.remove(old)
            seen = self.state.texts.seen(file, libs)
        return self.with_named(seen)

    def forget_inline(self, connection: object) -> None:
        """Drops the inline texts of a connection that ended."""
        with self._lock:
            for file in self.state.inline.forget(connection):
                self.state.texts.remove(file)

    def resolve(self, path: str, folders: Iterable[str]) -> str:
        """An absolute path for one that counts from the client's only root. Raises FileUnavailable with the candidates."""
        if len(path) > LONGEST:
            raise FileUnavailable(f"{path[:_SHOWN]}…", f"has {len(path)} characters; no path has more than {LONGEST}")
        if os.path.isabs(path):
            return os.path.normpath(path)
        candidates = list(dict.fromkeys(os.path.normpath(os.path.join(folder, path)) for folder in folders))
        if len(candidates) == 1:
            return candidates[0]
        if not candidates:
            raise FileUnavailable(path, "is relative, and the client named no folder that it could count from")
        existing = [candidate for candidate in candidates if MOUNTS.answers(candidate) and os.path.exists(candidate)]
        if len(existing) == 1:
            return existing[0]
        raise FileUnavailable(path, f"is relative and could be any of {', '.join(existing or candidates)}")

    def canonical(self, path: str) -> str:
        """The one name that a path has here (`Look.canonical`)."""
        return self._look().canonical(path)

    def is_in_folders(self, client: Client, path: str) -> bool:
        """Whether a path leads to a file below one of the client's folders, wherever links lead now."""
        look = self._look()
        canonical = path if path in look.programs else look.canonical(path)
        return any(is_inside(canonical, folder) for folder in look.canonical_folders(client.named))

    def roots(self, client: Client) -> list[str]:
        """The workspaces that a client works in; of one that is confined its folders, not what is around them."""
        with self._lock:
            self.work_in(client, client.named)
            look = self._look()
            found = {look.root(os.path.join(folder, "_"), [folder]) or folder for folder in client.folders}
            return sorted(client.folders) if client.confined else sorted(found)

    def files(self, root: str) -> list[str]:
        """The `.ax` files of a workspace: those on disk, and those that only an editor has."""
        look = self._look()
        root = look.canonical(root)
        with self._lock:
            self._ask(look.root(os.path.join(root, "_")) or root, self._libs, look)
            self._settle_unsure(look)
        found = list(self.programs(root).files)
        known = set(found)
        return found + [path for path in self.state.buffers.paths() if path not in known and is_inside(path, root)]

    def programs(self, root: str) -> Programs:
        """What lies on disk below a canonical folder, as far as it is not ignored; listed anew where it changed."""
        look = self._look()
        if (known := look.listed.get(root)) is not None:
            return known
        workspace = look.root(os.path.join(root, "_")) or root
        self.refresh(workspace)
        # Not under the lock: nobody who types waits for a walk.
        found = self._walker.walk(root, self.state.settings[workspace][1].selection, workspace, self.checkpoint)
        look.add(root, found)
        with self._lock:
            before = self.state.listed.get(root)
            if before != found.files:
                self.state.listed[root] = found.files
                gone = set(before or ()).difference(found.files)
                for file in [file for file in self.state.texts.of(workspace, "disk") if file.path in gone]:
                    self._read_again(look, file)
                self._changed(Change(workspace, Kind.DISK), silently=before is None)
        return found

    # ---- what belongs to a whole workspace ----------------------------------------------------------------------

    def refresh(self, workspace: str, libs: str | None = None) -> None:
        """Looks again at the settings and the libraries of a workspace; costs some calls of `stat`."""
        with self._lock:
            self._refresh(workspace, self._libs if libs is None else libs, self._look())

    def problems(self, workspace: str) -> tuple[str, ...]:
        """What is wrong with the workspace's `boruna.toml`, in sentences."""
        known = self.state.settings.get(workspace)
        return known[1].problems if known is not None else ()

    def revision(self, workspace: str) -> str:
        """Names the present state of a workspace: another one after every change of a text, a setting or a library."""
        return f"{self.epoch}-{self.state.revisions.get(workspace, 0)}"

    def latest(self) -> str:
        """Names the present state of all workspaces together."""
        return f"{self.epoch}-{max(list(self.state.revisions.values()), default=0)}"

    def freshness(self, file: FileId, checked: int = 1, total: int = 1) -> Freshness:
        """Which text an answer about `file` describes. A job asks for it behind all else: it may have to start again."""
        with self._lock:
            self.catch_up()
            self.refuse_mixed()
            digest = self.state.texts.digest(file)
            layer = file.layer.partition(":")[0]
            text = self.state.texts.get(file)
            return Freshness(
                revision=self.revision(file.workspace),
                source={"overlay": "speculative", "library": "disk"}.get(layer, layer),
                sha256=digest,
                unsaved=layer == "editor" and text is not None and self._differs_from_disk(file.path, text.source),
                checked=checked,
                total=total,
            )

    # ---- the disk -----------------------------------------------------------------------------------------------

    def look_again(self, path: str) -> None:
        """A file on disk has changed, or may have: what is known of it is read again."""
        with self._lock:
            look = self._look()
            canonical = look.canonical(path)
            known = self.state.texts.at(canonical)
            for file in (*known, *(self.state.texts.at(path) if path != canonical else ())):
                self._read_again(look, file)
            self._show_library(canonical)
            if not known:
                self._changed(Change(look.root(canonical), Kind.DISK, canonical))

    def noticed(self, paths: deque[str]) -> None:
        """A job for files of which somebody says that they changed on disk; each that is looked at leaves the queue."""
        while paths:
            self.checkpoint()
            self.look_again(paths[0])
            paths.popleft()
        self.settle()
        for root in list(self.state.listed):
            self.programs(root)

    def read_paths(self, root: str) -> list[str]:
        """The files below a folder that were read from the disk."""
        return [path for path in self.state.texts.paths() if is_inside(path, root)]

    def watching(self, root: str) -> str:
        """How changes below a root come to be known: "events", "polled", or "" if they are found when somebody asks."""
        return self._watching.state(root) if self._watching is not None else ""

    def watched(self) -> dict[str, str]:
        """The same for all roots that are watched."""
        return self._watching.states() if self._watching is not None else {}

    def roots_in_use(self) -> set[str]:
        """The workspaces that were asked about of late, and the folders of libraries that clients brought along."""
        with self._lock:
            brought = {client.libs for client in self.state.clients.values() if client.libs}
            return {workspace for workspace in self.state.asked if workspace} | brought

    def forget_idle(self, seconds: float = IDLE) -> None:
        """Lets go the workspaces in which nobody works and about which nobody has asked for so long."""
        with self._lock:
            now = time.monotonic()
            used = {buffer.file.workspace for buffer in self.state.buffers.all()}
            folders = {folder for client in self.state.clients.values() for folder in client.folders}
            for workspace, asked in list(self.state.asked.items()):
                is_used = workspace in used or any(is_inside(workspace, one) or is_inside(one, workspace) for one in folders)
                if not is_used and now - asked >= seconds:
                    self.forget_workspace(workspace)

    def settle(self) -> None:
        """Looks whether open buffers are still where they were, and at all settings and libraries."""
        look = self._look()
        # The lock is taken again for each: who types does not wait for all of them.
        for client in list(self.state.clients.values()):
            self.work_in(client, client.named)
        for buffer in self.state.buffers.all():
            self.checkpoint()
            with self._lock:
                if self.state.buffers.get(buffer.client, buffer.named) is buffer:
                    self._settle(look, buffer)
        for workspace, libs in self.state.libraries.known():
            self.checkpoint()
            with self._lock:
                if (workspace, libs) in self.state.libraries.known():
                    self._refresh(workspace, libs, look)

    def forget_workspace(self, workspace: str) -> None:
        """Lets go what was read of a workspace in which nobody works; it is read again when somebody asks."""
        with self._lock:
            for file in list(self.state.texts.of(workspace, "disk")):
                self._disk.forget(file.path)
                self.state.texts.remove(file)
            for scope in self.state.libraries.known():
                if scope[0] == workspace:
                    self._forget_scope(scope)
            self.state.asked.pop(workspace, None)
            self._forget_settings(workspace)
            for root in [root for root in self.state.listed if is_inside(root, workspace)]:
                del self.state.listed[root]
            self._walker.forget(workspace)
            self._changed(Change(workspace, Kind.DISK), silently=True)
