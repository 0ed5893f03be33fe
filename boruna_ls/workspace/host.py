"""The workspace host: owns the one database and keeps its inputs true to editors, disk and inline texts.

Views ask it for a `FileId` and hand that to the queries of `analysis`. Each editor is answered from its own
buffer; agents and the command line see the buffer that was edited last, else the disk. Its methods may be called
from any thread; a job of the worker must call `inline`, `file_for_agent` and `file_for_editor` itself, so that a
cancelled job starts from fresh inputs.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from hashlib import sha256

from analysis import inputs
from analysis.database import Cancelled, Database, Durability
from analysis.inputs import FileId, Libraries
from analysis.text import Source
from boruna_ls.data import libraries_folder
from boruna_ls.workspace.buffers import Buffer, Buffers, Client
from boruna_ls.workspace.disk import Disk, FileUnavailable, size_defect
from boruna_ls.workspace.freshness import Freshness
from boruna_ls.workspace.inline import InlineTexts
from boruna_ls.workspace.libraries import find_libraries
from boruna_ls.workspace.roots import SETTINGS_FILE, is_inside, program_files, workspace_root
from boruna_ls.workspace.settings import parse_settings
from boruna_ls.workspace.upkeep import Upkeep
from boruna_ls.workspace.uris import is_file
from boruna_ls.workspace.worker import Worker

__all__ = ["Client", "FileUnavailable", "Freshness", "Host"]


class Host:
    """Everything that is shared by all connections of a process: database, worker, buffers, disk."""

    def __init__(self, libs_dir: str | None = None, database: Database | None = None) -> None:
        self.db = database if database is not None else Database()
        self.worker = Worker(self.db.cancel, self._begin_job, self._end_job)
        self._upkeep = Upkeep(self.db, self.worker)
        self.epoch = secrets.token_hex(4)
        self.listeners: list[Callable[[], None]] = []
        """Called, on any thread, after a library or a setting changed: what files say that nobody edited."""
        self._libs = os.path.abspath(libs_dir) if libs_dir else ""
        self._lock = threading.RLock()
        self._disk = Disk()
        self._buffers = Buffers()
        self._inline = InlineTexts()
        self._clients = 0
        self._edits = 0
        self._revisions: dict[str, int] = {}
        self._problems: dict[str, tuple[str, ...]] = {}
        self._settings: dict[str, str] = {}
        # Inputs that wait until the worker is between two jobs, so that no event loop ever waits for a computation.
        self._is_computing = False
        self._is_mixed = False
        self._waiting: list[Callable[[], None]] = []
        # What the inputs hold, known here so that nobody waits for a computation in order to look.
        # Files without `libs` are the keys: the same text is an input for each set of libraries with which it was asked for.
        self._texts: dict[FileId, tuple[Source, str]] = {}
        self._variants: dict[FileId, list[FileId]] = {}
        self._digests: dict[FileId, tuple[Source, str]] = {}
        self._libraries: dict[tuple[str, str], Libraries] = {}
        self._built_in = find_libraries([str(libraries_folder())])
        self._library_paths: set[str] = set()
        self._refresh_libraries("", self._libs)

    # ---- editors ------------------------------------------------------------------------------------------------

    def connect(self, folders: Iterable[str] = (), libs_dir: str | None = None) -> Client:
        """A new client with the folders (absolute paths) that it works in, and its own folder of libraries, if any.

        Without one it has the host's.
        """
        with self._lock:
            self._clients += 1
            return Client(self._clients, tuple(folders), libs=os.path.abspath(libs_dir) if libs_dir else self._libs)

    def disconnect(self, client: Client) -> None:
        """Closes everything that a client had open."""
        for path in self._buffers.of(client):
            self.close(client, path)

    def open(self, client: Client, path: str, text: str, version: int | None = None) -> FileId:
        """An editor opens a file (or opens it again with another text)."""
        with self._lock:
            known = self._buffers.latest(path)
            source = known.source.replaced_by(text) if known is not None else Source.from_text(text)
            workspace = workspace_root(path, client.folders)
            file = FileId(workspace, f"editor:{client.id}", path)
            self.refresh(workspace, client.libs)
            self._edits += 1
            self._set(file, source, size_defect(text))
            file = self._seen(file, client.libs)
            self._buffers.put(client, path, Buffer(file, source, version, self._edits))
            self._show_library(path)
            return file

    def change(self, client: Client, path: str, source: Source, version: int | None = None) -> FileId:
        """The text of an open buffer is now `source` (made with `Source.edited` from the one before).

        Raises KeyError if the client has not opened the file.
        """
        with self._lock:
            buffer = self._buffers.get(client, path)
            if buffer is None:
                raise KeyError(path)
            self._edits += 1
            buffer.source, buffer.version, buffer.edited = source, version, self._edits
            self._set(buffer.file, source, size_defect(source.text))
            self._show_library(path)
            return buffer.file

    def close(self, client: Client, path: str) -> None:
        """An editor closes a file; nothing happens if it had not opened it."""
        with self._lock:
            buffer = self._buffers.remove(client, path)
            if buffer is not None:
                self._remove(buffer.file)
                self._show_library(path)

    def buffer(self, client: Client, path: str) -> Buffer | None:
        """What a client has open under a path."""
        return self._buffers.get(client, path)

    def current(self, client: Client, path: str) -> Buffer | None:
        """What a client has open under a path, as a copy whose text is the database's when a job asks for it.

        A job that finds `edited` unchanged afterwards has seen that text and no other.
        """
        with self._lock:
            self.catch_up()
            buffer = self._buffers.get(client, path)
            return replace(buffer) if buffer is not None else None

    def open_paths(self, client: Client) -> list[str]:
        """The paths that a client has open."""
        return self._buffers.of(client)

    # ---- files --------------------------------------------------------------------------------------------------

    def file_for_editor(self, client: Client, path: str) -> FileId:
        """The file as this editor sees it: its own buffer, else what agents see. Raises FileUnavailable."""
        self.catch_up()
        buffer = self._buffers.get(client, path)
        return buffer.file if buffer is not None else self.file_for_agent(path, client.folders, client.libs)

    def file_for_agent(self, path: str, folders: Iterable[str] = (), libs: str | None = None) -> FileId:
        """The file in the buffer edited last, else on disk, looked at again now; it sees the libraries of `libs`.

        Raises FileUnavailable. `libs` is `Client.libs` of whoever asks, by default the host's.
        """
        with self._lock:
            self.catch_up()
            buffer = self._buffers.latest(path)
            if buffer is not None:
                libs = self._libs if libs is None else libs
                self.refresh(buffer.file.workspace, libs)
                return self._seen(buffer.file, libs)
            return self.disk(path, folders, libs)

    def disk(self, path: str, folders: Iterable[str] = (), libs: str | None = None) -> FileId:
        """The file on disk, read again if it changed. Raises FileUnavailable."""
        if not is_file(path):
            raise FileUnavailable(path, "is not an absolute path")
        with self._lock:
            workspace = workspace_root(path, folders)
            libs = self._libs if libs is None else libs
            self.refresh(workspace, libs)
            file = FileId(workspace, "disk", path)
            try:
                read = self._disk.read(path)
            except FileUnavailable:
                self._remove(file)
                raise
            self._set(file, read.source, read.defect)
            return self._seen(file, libs)

    def inline(
        self, text: str, file_name: str = "", connection: object = None, path: str | None = None, libs: str | None = None
    ) -> FileId:
        """Text sent by a client, scanned as a difference to the last one of the same connection and `file_name`.

        It stands in a workspace only if `path` or an absolute `file_name` places it there.
        """
        with self._lock:
            place = path if path is not None else file_name
            workspace = workspace_root(place) if place and is_file(place) else ""
            libs = self._libs if libs is None else libs
            if workspace or (workspace, libs) not in self._libraries:
                self.refresh(workspace, libs)
            file, source, dropped = self._inline.put(workspace, connection, file_name, text)
            self._set(file, source, size_defect(text))
            for old in dropped:
                self._remove(old)
            return self._seen(file, libs)

    def forget_inline(self, connection: object) -> None:
        """Drops the inline texts of a connection that ended."""
        with self._lock:
            for file in self._inline.forget(connection):
                self._remove(file)

    def resolve(self, path: str, folders: Iterable[str]) -> str:
        """An absolute path for one that counts from the client's only root. Raises FileUnavailable with the
        candidates.
        """
        if os.path.isabs(path):
            return os.path.normpath(path)
        candidates = [os.path.normpath(os.path.join(folder, path)) for folder in folders]
        if len(candidates) == 1:
            return candidates[0]
        if not candidates:
            raise FileUnavailable(path, "is relative, and the client named no folder that it could count from")
        existing = [candidate for candidate in candidates if os.path.exists(candidate)]
        if len(existing) == 1:
            return existing[0]
        raise FileUnavailable(path, f"is relative and could be any of {', '.join(existing or candidates)}")

    def files(self, root: str) -> list[str]:
        """The `.ax` files of a workspace: those on disk, and those that only an editor has."""
        found = list(program_files(root))
        known = set(found)
        return found + [path for path in self._buffers.paths() if path not in known and is_inside(path, root)]

    # ---- what belongs to a whole workspace ----------------------------------------------------------------------

    def refresh(self, workspace: str, libs: str | None = None) -> None:
        """Looks again at the settings and the libraries of a workspace; costs some calls of `stat`."""
        with self._lock:
            self._refresh_libraries(workspace, self._libs if libs is None else libs)
            if workspace:
                self._refresh_settings(workspace)

    def problems(self, workspace: str) -> tuple[str, ...]:
        """What is wrong with the workspace's `boruna.toml`, in sentences."""
        return self._problems.get(workspace, ())

    def revision(self, workspace: str) -> str:
        """Names the present state of a workspace: another one after every change of a text, a setting or a library."""
        return f"{self.epoch}-{self._revisions.get(workspace, 0)}"

    def freshness(self, file: FileId, checked: int = 1, total: int = 1) -> Freshness:
        """Which text an answer about `file` describes. A job asks for it behind all else: it may have to start again."""
        with self._lock:
            self.catch_up()
            self.refuse_mixed()
            base = file._replace(libs="")
            source = self._texts[base][0]
            known = self._digests.get(base)
            if known is None or known[0] is not source:
                digest = sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest()
                known = self._digests[base] = (source, digest)
            layer = file.layer.partition(":")[0]
            return Freshness(
                revision=self.revision(file.workspace),
                source={"overlay": "speculative", "library": "disk"}.get(layer, layer),
                sha256=known[1],
                unsaved=layer == "editor" and self._differs_from_disk(file.path, source),
                checked=checked,
                total=total,
            )

    # ---- threads ------------------------------------------------------------------------------------------------

    def catch_up(self) -> None:
        """What editors have sent is in the database from here on.

        A job that finds that something has come since it began starts again: it must not look at two states.
        """
        with self._lock:
            if not self.worker.is_current_thread():
                self._flush()
            elif self._waiting:
                raise Cancelled

    def checkpoint(self) -> None:
        """For jobs that do much between two queries: raises Cancelled if something more urgent waits."""
        if self.worker.is_current_thread() and (self._waiting or self.worker.is_wanted()):
            raise Cancelled

    def refuse_mixed(self) -> None:
        """To be called at the end of a job: raises Cancelled if inputs of editors were set while it ran."""
        if self._is_mixed and self.worker.is_current_thread():
            raise Cancelled

    def has_waiting(self) -> bool:
        """Whether inputs wait for the worker."""
        return bool(self._waiting)

    def _begin_job(self) -> None:
        with self._lock:
            self._flush()
            self._is_computing, self._is_mixed = True, False

    def _end_job(self) -> None:
        with self._lock:
            self._is_computing = False
            self._flush()

    def _write(self, operation: Callable[[], None]) -> None:
        """Sets an input now, or as soon as the worker leaves the job that it is at, which is made to stop."""
        if self._is_computing and not self.worker.is_current_thread():
            self._waiting.append(operation)
            self.db.cancel()
        else:
            self._is_mixed = self._is_mixed or bool(self._waiting)
            self._flush()
            operation()

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        for operation in waiting:
            operation()

    # ---- inside -------------------------------------------------------------------------------------------------

    def _set(self, file: FileId, source: Source, defect: str, durability: Durability | None = None) -> bool:
        base = file._replace(libs="")
        old_source, old_defect = self._texts.get(base, (None, ""))
        if old_source is source and old_defect == defect:
            return False
        self._texts[base] = (source, defect)
        if old_source is not None:
            self._upkeep.text_gone()
        for seen in self._variants.get(base, ()):
            if old_source is not source:
                self._write(partial(inputs.source.set, self.db, seen, source, durability=durability))
            if old_defect != defect:
                self._write(partial(inputs.defect.set, self.db, seen, defect))
        self._bump(file.workspace)
        return True

    def _seen(self, file: FileId, libs: str, durability: Durability | None = None) -> FileId:
        """A file whose text is set, as somebody sees it who has these libraries."""
        base, seen = file._replace(libs=""), file._replace(libs=libs)
        variants = self._variants.setdefault(base, [])
        if seen not in variants:
            variants.append(seen)
            source, defect = self._texts[base]
            self._write(partial(inputs.source.set, self.db, seen, source, durability=durability))
            if defect:
                self._write(partial(inputs.defect.set, self.db, seen, defect))
        return seen

    def _remove(self, file: FileId) -> None:
        base = file._replace(libs="")
        self._digests.pop(base, None)
        if self._texts.pop(base, None) is not None:
            self._upkeep.text_gone()
            for seen in self._variants.pop(base, ()):
                self._write(partial(inputs.source.remove, self.db, seen))
                self._write(partial(inputs.defect.remove, self.db, seen))
            self._bump(file.workspace)

    def _bump(self, workspace: str) -> None:
        self._revisions[workspace] = self._revisions.get(workspace, 0) + 1

    def _differs_from_disk(self, path: str, source: Source) -> bool:
        try:
            return self._disk.read(path).source.text != source.text
        except FileUnavailable:
            return True

    def _refresh_settings(self, workspace: str) -> None:
        try:
            text = self._disk.read(os.path.join(workspace, SETTINGS_FILE)).source.text
        except FileUnavailable:
            text = ""
        if self._settings.get(workspace, "") != text:
            self._settings[workspace] = text
            settings, self._problems[workspace] = parse_settings(text)
            self._write(lambda: inputs.settings.set(self.db, workspace, settings))
            self._bump(workspace)
            self._tell()

    def _refresh_libraries(self, workspace: str, libs: str) -> None:
        folders = [folder for folder in (libs, workspace and os.path.join(workspace, "libs")) if folder]
        found = self._built_in | find_libraries(folders)
        files = tuple((name, FileId("", "library", path)) for name, path in sorted(found.items()))
        for _, file in files:
            # The built-in ones do not change while the process lives.
            if file.path not in self._library_paths or file.path not in self._built_in.values():
                self._library_paths.add(file.path)
                self._show_library(file.path)
        libraries = Libraries(files)
        if self._libraries.get((workspace, libs)) != libraries:
            self._libraries[workspace, libs] = libraries
            self._write(lambda: inputs.libraries.set(self.db, workspace, libs, libraries))
            self._bump(workspace)
            self._tell()

    def _tell(self) -> None:
        for listener in list(self.listeners):
            listener()

    def _show_library(self, path: str) -> None:
        """Sets the text that importers see: the buffer edited last, else the disk."""
        if path not in self._library_paths:
            return
        file = FileId("", "library", path)
        buffer = self._buffers.latest(path)
        try:
            source = buffer.source if buffer is not None else self._disk.read(path).source
        except FileUnavailable:
            source = Source.from_text("")
        durability = Durability.HIGH if buffer is None else Durability.LOW
        if self._set(file, source, "", durability):
            self._seen(file, "", durability)
            for workspace in self._revisions:
                if workspace:
                    self._bump(workspace)
            self._tell()
