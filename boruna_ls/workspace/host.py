"""The workspace host: owns the one database and keeps its inputs true to editors, disk and inline texts.

Views ask it for a `FileId` and hand that to the queries of `analysis`. Each editor is answered from its own
buffer; agents and the command line see the buffer that was edited last, else the disk. Its methods may be called
from any thread; a job of the worker must call `inline`, `file_for_agent` and `file_for_editor` itself, so that a
cancelled job starts from fresh inputs.

A host is made of parts over one `State`: `jobs` (when inputs are set), `revisions` (names of states, listeners), `settings`,
`libraries`, `texts`, `named` (files that documents name) and `upkeep` (the disk). A snapshot is another host over a copied state.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from analysis.data_classes import replace
from analysis.database import Database
from analysis.documents.file_names import is_document, is_listed, source_of
from analysis.inputs import FileId
from analysis.text.blocks import no_pause
from analysis.text.source import Source
from boruna_ls.workspace.buffers import Buffer, Client
from boruna_ls.workspace.disk import FileUnavailable, size_defect
from boruna_ls.workspace.events import Change, Kind
from boruna_ls.workspace.freeing import free_in_pieces, sweep_in_jobs
from boruna_ls.workspace.freshness import Freshness
from boruna_ls.workspace.jobs import JobRules, Jobs, locked
from boruna_ls.workspace.keeper import TextKeeper
from boruna_ls.workspace.late_imports import LateImports
from boruna_ls.workspace.library_keeper import LibraryKeeper
from boruna_ls.workspace.naming import NamedKeeper
from boruna_ls.workspace.parts import Ground
from boruna_ls.workspace.retention import Retention
from boruna_ls.workspace.revisions import Revisions
from boruna_ls.workspace.roots import DiskView, is_inside
from boruna_ls.workspace.settings_keeper import SettingsKeeper
from boruna_ls.workspace.shared import Shared
from boruna_ls.workspace.state import State
from boruna_ls.workspace.texts import Texts, discard
from boruna_ls.workspace.upkeep import Upkeep
from boruna_ls.workspace.uris import is_file

__all__ = ["Client", "FileUnavailable", "Freshness", "Host"]


class Host:
    """Everything that is shared by all connections of a process: database, worker, buffers, disk."""

    def __init__(self, libs_dir: str | None = None, database: Database | None = None, watch: bool = False) -> None:
        """`libs_dir` is for clients that bring no libraries; with `watch` the disk is watched while there are clients."""
        shared = Shared(os.path.abspath(libs_dir) if libs_dir else "")
        jobs = Jobs(database, shared.names)
        retention = Retention(jobs.db, jobs.worker)
        state = State(Texts(jobs.write))
        state.texts.gone = retention.text_gone
        self._assemble(jobs, state, shared, retention)
        if watch:
            from boruna_ls.workspace.watching import Watching

            shared.watching = Watching(self)
        self.texts.refresh("", shared.libs, jobs.look())

    def over(self, jobs: JobRules, state: State) -> Host:
        """Another host over another state, with the shared parts of this one; it has no listeners."""
        host = Host.__new__(Host)
        host._assemble(jobs, state, self.shared, self.retention)
        return host

    def _assemble(self, jobs: JobRules, state: State, shared: Shared, retention: Retention) -> None:
        self.jobs, self.db, self.worker = jobs, jobs.db, jobs.worker
        self.state = state
        self.shared = shared
        self.retention = retention
        self.revisions = Revisions(state, shared)
        ground = Ground(jobs, state, shared, self.revisions)
        self.settings = SettingsKeeper(ground)
        self.libraries = LibraryKeeper(ground)
        self.texts = TextKeeper(ground, self.settings, self.libraries)
        self.named = NamedKeeper(ground, self.texts)
        self.upkeep = Upkeep(ground, self.settings, self.libraries, self.texts)

    # ---- clients ------------------------------------------------------------------------------------------------

    def connect(self, folders: Iterable[str] = (), libs_dir: str | None = None) -> Client:
        """A new client with the folders (absolute paths) that it works in, and its own folder of libraries, if any.

        Without one it has the host's.
        """
        libs = os.path.abspath(libs_dir) if libs_dir else self.shared.libs
        client = Client(next(self.shared.client_numbers), libs=libs)
        self.work_in(client, folders)
        with self.jobs.lock:
            self.state.clients[client.id] = client
            if self.shared.watching is not None:
                self.shared.watching.use()
            return client

    def free_in_pieces(self) -> None:
        """Evict and free answers, and import late, in the background from now on; for a host that serves clients."""
        free_in_pieces(self.db.debris, self.worker)
        sweep_in_jobs(self.db, self.worker)
        self.db.import_with(LateImports().load)
        self.worker.discard = self.db.debris.add
        self.shared.disk.discard = lambda source: discard(source, self.db)

    def work_in(self, client: Client, folders: Iterable[str]) -> None:
        """A client works in these folders from now on, named as it writes them."""
        client.work_in(folders, self.jobs.look())

    def serve_apart(self, folders: Iterable[str]) -> Callable[[], None]:
        """These folders are workspaces of their own until what this gives is called: nobody is shown what is around them."""
        served = Counter(map(self.canonical, folders))
        self.shared.names.served.update(served)
        return lambda: self.shared.names.served.subtract(served)

    def disconnect(self, client: Client) -> None:
        """Closes everything that a client had open."""
        for buffer in self.state.buffers.of(client):
            self.close(client, buffer.named)
        with self.jobs.lock:
            if self.state.clients.pop(client.id, None) is not None and self.shared.watching is not None:
                self.shared.watching.release()
            self.shared.disk.forget_others(set(self.state.texts.paths()))
            self.upkeep.client_left()
            self.retention.sweep()
            if client.libs != self.shared.libs and all(other.libs != client.libs for other in self.state.clients.values()):
                self.state.texts.drop(client.libs)
                for scope in self.state.libraries.scopes():
                    if scope[1] == client.libs:
                        self.libraries.forget(scope)

    # ---- editors ------------------------------------------------------------------------------------------------

    def open(self, client: Client, path: str, text: str, version: int | None = None, touched: int | None = None) -> FileId:
        """An editor opens a file (or opens it again with another text); `path` as it writes it.

        `touched` is when it was edited, if that was before now (`Buffer.touched`).
        """
        look, canonical, workspace = self._look_ahead(path, client.folders)
        self.texts.look_at(workspace, client.libs, look)
        base = self.state.buffers.get(client, path) or self.state.buffers.latest(canonical)
        source = source_of(canonical, text, base.source if base is not None else self.shared.disk.last_read(canonical))

        def put() -> FileId:
            file = self.texts.place(look, client, canonical, path)
            self.texts.look_at(file.workspace, file.libs, look)
            reopened = self.state.buffers.remove(client, path)
            if reopened is not None and reopened.file._replace(libs="") != file._replace(libs=""):
                self.state.texts.remove(reopened.file)
            self.state.edits += 1
            now = time.monotonic_ns()
            self.state.buffers.put(
                Buffer(client, path, file, source, version, self.state.edits, self.state.edits, min(touched or now, now))
            )
            self.texts.ask(file.workspace, file.libs, look)
            self.state.texts.set(file, source, size_defect(text))
            self.state.texts.with_libraries(file, file.libs)
            self.texts.opened_or_closed(look, canonical)
            self.revisions.changed(Change(file.workspace, Kind.TEXT, canonical, client.id))
            opened = self.state.buffers.get(client, path)
            return opened.file if opened is not None else file

        return locked(self.jobs, look, put)

    def change(self, client: Client, path: str, source: Source, version: int | None = None) -> FileId:
        """The text of an open buffer is now `source` (made with `Source.edited` from the one before).

        Raises KeyError if the client has not opened the file.
        """
        with self.jobs.lock:
            buffer = self.state.buffers.get(client, path)
            if buffer is None:
                raise KeyError(path)
            self.state.edits += 1
            buffer.source, buffer.version, buffer.edited = source, version, self.state.edits
            buffer.touched = time.monotonic_ns()
            file = buffer.file
            if self.state.texts.set(file, source, size_defect(source.text)):
                self.revisions.changed(Change(file.workspace, Kind.TEXT, file.path, client.id))
            self.libraries.show_edited(file.path, source)
            return file

    def close(self, client: Client, path: str) -> None:
        """An editor closes a file; nothing happens if it had not opened it."""
        look = self.jobs.look()
        closed: list[Buffer] = []

        def drop() -> None:
            if (buffer := self.state.buffers.remove(client, path)) is not None:
                self.state.texts.remove(buffer.file)
                closed.append(buffer)
            for buffer in closed:
                self.texts.opened_or_closed(look, buffer.file.path)
                self.revisions.changed(Change(buffer.file.workspace, Kind.TEXT, buffer.file.path, client.id))

        locked(self.jobs, look, drop)

    def buffer(self, client: Client, path: str) -> Buffer | None:
        """The client's open buffer under a path as the client wrote it; None if there is none."""
        return self.state.buffers.get(client, path)

    def current(self, client: Client, path: str) -> Buffer | None:
        """Copy of the client's open buffer under a path; when a job asks, the copy's text is the one in the database.

        A job that finds `edited` unchanged afterwards has seen that text and no other.
        """
        with self.jobs.lock:
            self.jobs.catch_up()
            buffer = self.state.buffers.get(client, path)
            buffer_copy = replace(buffer) if buffer is not None else None
        if buffer_copy is not None:
            self.named.with_named(buffer_copy.file)
        return buffer_copy

    def open_paths(self, client: Client) -> list[str]:
        """The paths that a client has open, as it writes them."""
        return [buffer.named for buffer in self.state.buffers.of(client)]

    def held(self, client: Client) -> int:
        """Number of characters that a client has open or has sent inline."""
        with self.jobs.lock:
            opened = sum(len(buffer.source.text) for buffer in self.state.buffers.of(client))
            return opened + self.state.inline.held(client.id)

    def open_texts(self, paths: Iterable[str] = (), roots: Iterable[str] = ()) -> dict[str, dict[str, Any]]:
        """Buffers of editors for these files and for files below these folders: for each file the latest `text`.

        Keys are the paths as given, else the canonical ones; `unsaved` is True if the disk has another text, or none.
        """
        look = self.jobs.look()
        folders = [look.canonical(root) for root in roots]
        named_paths = {look.canonical(path): path for path in paths}

        def find() -> dict[str, dict[str, Any]]:
            self.texts.settle_unsure(look)
            wanted = {path: path for path in self.state.buffers.paths() if any(is_inside(path, folder) for folder in folders)}
            wanted |= named_paths
            texts = {}
            for path, named in wanted.items():
                buffer = self.state.buffers.latest(path)
                if buffer is not None:
                    unsaved = self.texts.differs_from_disk(look, path, buffer.source)
                    texts[named] = {"text": buffer.source.text, "unsaved": unsaved}
            return texts

        return locked(self.jobs, look, find)

    def spelled(self, client: Client, path: str) -> str:
        """A canonical path as a client writes it: what it has open under its own name, else below the folders that it named."""
        buffer = self.state.buffers.own(client, path)
        return buffer.named if buffer is not None else client.spelled(path)

    # ---- files --------------------------------------------------------------------------------------------------

    def _look_ahead(self, path: str, folders: Iterable[str] = ()) -> tuple[DiskView, str, str]:
        """A look at the disk, and the canonical path and the workspace of a path in it."""
        look = self.jobs.look()
        canonical = path if path in look.programs else look.canonical(path)
        return look, canonical, look.root(canonical, look.canonical_folders(tuple(folders)))

    def file_for_editor(self, client: Client, path: str) -> FileId:
        """The file as this editor sees it: its own buffer, else what agents see. Raises FileUnavailable."""
        self.jobs.catch_up()
        buffer = self.state.buffers.get(client, path)
        if buffer is not None:
            return self.named.with_named(buffer.file)
        look, canonical, workspace = self._look_ahead(path, client.folders)
        self.texts.look_at(workspace, client.libs, look)

        def find() -> FileId:
            buffer = self.state.buffers.own(client, canonical)
            return buffer.file if buffer is not None else self.texts.latest(look, path, client.folders, self.texts.view(client))

        return self.named.with_named(locked(self.jobs, look, find))

    def file_for_agent(self, path: str, folders: Iterable[str] = (), libs: str | None = None) -> FileId:
        """The file in the buffer edited last, else on disk, looked at again now; it sees the libraries of `libs`.

        Raises FileUnavailable. `libs` is `Client.libs` of the caller, by default the host's.
        """
        libs = self.shared.libs if libs is None else libs
        look, canonical, workspace = self._look_ahead(path, folders)
        if not self.state.buffers.at(canonical) and is_file(canonical):
            # Outside of the lock: a keystroke must not wait while a file is read and split.
            with suppress(FileUnavailable):
                look.file(self.shared.disk, canonical, self.jobs.checkpoint)
        self.settings.read_ahead(workspace)
        self.texts.look_at(workspace, libs, look)

        def find() -> FileId:
            self.jobs.catch_up()
            return self.texts.latest(look, canonical, folders, libs)

        return self.named.with_named(locked(self.jobs, look, find))

    def disk(self, path: str, folders: Iterable[str] = (), libs: str | None = None) -> FileId:
        """The file on disk, read again if it changed. Raises FileUnavailable."""
        look, libs = self.jobs.look(), self.shared.libs if libs is None else libs
        return locked(self.jobs, look, lambda: self.texts.on_disk(look, path, folders, libs))

    def inline(
        self,
        text: str,
        file_name: str = "",
        connection: object = None,
        path: str | None = None,
        libs: str | None = None,
        read: Source | None = None,
        folders: Iterable[str] = (),
    ) -> FileId:
        """Text sent by a client, scanned as a difference to the last one of the same connection and `file_name`.

        It stands in a workspace only if `path` or an absolute `file_name` places it there. `read` is what `read_ahead` gave.
        """
        look, _, workspace = self._look_ahead(path if path is not None else file_name, folders)
        libs = self.shared.libs if libs is None else libs
        scanned = self._scanned(workspace, connection, file_name, text, self.jobs.checkpoint) if read is None else read
        self.texts.look_at(workspace, libs, look)

        def put() -> FileId:
            self.texts.ask(workspace, libs, look)
            file, source, dropped = self.state.inline.put(workspace, connection, file_name, text, scanned)
            if self.state.texts.set(file, source, size_defect(text)):
                self.revisions.changed(Change(workspace, Kind.TEXT), silently=True)
            for old in dropped:
                self.state.texts.remove(old)
            return self.state.texts.with_libraries(file, libs)

        return self.named.with_named(locked(self.jobs, look, put))

    def read_ahead(self, text: str, file_name: str, connection: object, path: str | None = None) -> Source:
        """Scans a long text that `inline` will be given, on a thread of the caller: the worker computes for others meanwhile."""
        _, _, workspace = self._look_ahead(path if path is not None else file_name)
        read = self._scanned(workspace, connection, file_name, text)
        read.blocks  # noqa: B018 - grouped now
        return read

    def _scanned(
        self, workspace: str, connection: object, file_name: str, text: str, pause: Callable[[], None] = no_pause
    ) -> Source:
        """An inline text as the difference to the one before, outside of the lock: a key must not wait while it is split."""
        with self.jobs.lock:
            base = self.state.inline.base(workspace, connection, file_name)
        return source_of(file_name, text, base, pause)

    def forget_inline(self, connection: object) -> None:
        """Drops the inline texts of a connection that ended."""
        with self.jobs.lock:
            for file in self.state.inline.forget(connection):
                self.state.texts.remove(file)

    def canonical(self, path: str) -> str:
        """The one name that a path has here (`DiskView.canonical`)."""
        return self.jobs.look().canonical(path)

    def is_in_folders(self, client: Client, path: str) -> bool:
        """True if a path leads to a file below one of the client's folders, with links followed as of now."""
        look = self.jobs.look()
        canonical = path if path in look.programs else look.canonical(path)
        return any(is_inside(canonical, folder) for folder in look.canonical_folders(client.named))

    def roots(self, client: Client) -> list[str]:
        """The workspaces that a client works in; of one that is confined its folders, not what is around them."""
        self.work_in(client, client.named)
        look = self.jobs.look()
        workspaces = {look.root(os.path.join(folder, "_"), [folder]) or folder for folder in client.folders}
        return sorted(client.folders) if client.confined else sorted(workspaces)

    def files(self, root: str) -> list[str]:
        """The `.ax` files of a workspace: those on disk, and those that only an editor has."""
        look = self.jobs.look()
        root = look.canonical(root)
        workspace = look.root(os.path.join(root, "_")) or root

        def ask() -> None:
            self.texts.ask(workspace, self.shared.libs, look)
            self.texts.settle_unsure(look)

        locked(self.jobs, look, ask)
        paths = list(self.upkeep.programs(root).files)
        return paths + [path for path in self._opened(paths, root) if not is_document(path)]

    def documents(self, root: str) -> list[str]:
        """The documents of known kinds of a workspace, such as workflows, likewise."""
        root = self.canonical(root)
        paths = list(self.upkeep.programs(root).documents)
        return paths + [path for path in self._opened(paths, root) if is_listed(path)]

    def _opened(self, paths: Iterable[str], root: str) -> list[str]:
        """Paths that are open in editors below a folder and are not among `paths`."""
        listed = set(paths)
        return [path for path in self.state.buffers.paths() if path not in listed and is_inside(path, root)]

    # ---- what belongs to a whole workspace ----------------------------------------------------------------------

    def problems(self, workspace: str) -> tuple[str, ...]:
        """Faults of the workspace's `boruna.toml`, one sentence each."""
        return self.settings.of(workspace).problems

    def revision(self, workspace: str) -> str:
        """See `Revisions.of`."""
        return self.revisions.of(workspace)

    def latest(self) -> str:
        """See `Revisions.latest`."""
        return self.revisions.latest()

    def checkpoint(self) -> None:
        """See `JobRules.checkpoint`."""
        self.jobs.checkpoint()

    @property
    def listeners(self) -> list[Callable[[Change], None]]:
        """See `Revisions.listeners`."""
        return self.revisions.listeners

    def freshness(self, file: FileId, checked: int = 1, total: int = 1) -> Freshness:
        """Freshness of an answer about `file`. A job calls it last, because the call may restart the job."""
        look = self.jobs.look()

        def find() -> Freshness:
            self.jobs.catch_up()
            self.jobs.refuse_mixed()
            digest = self.state.texts.digest(file)
            layer = file.layer.partition(":")[0]
            text = self.state.texts.get(file)
            return Freshness(
                revision=self.revision(file.workspace),
                source={"overlay": "speculative", "library": "disk"}.get(layer, layer),
                sha256=digest,
                unsaved=layer == "editor" and text is not None and self.texts.differs_from_disk(look, file.path, text.source),
                checked=checked,
                total=total,
            )

        return locked(self.jobs, look, find)

    def watching(self, root: str) -> str:
        """Detection of changes below a root: "events", "polled", or "" if changes are found only at the next request."""
        watching = self.shared.watching
        return watching.state(root) if watching is not None else ""

    def watched(self) -> dict[str, str]:
        """The same for all roots that are watched."""
        return self.shared.watching.states() if self.shared.watching is not None else {}
