"""The files that documents name, such as the programs of a workflow: searched when the document is asked about.

A document may come with a repository that nobody vouches for: what it names is looked at inside of its workspace only, wherever
links lead, and a bounded number of files.
"""

from __future__ import annotations

import os
from functools import partial
from typing import Final

from analysis.database import Database
from analysis.documents.file_names import is_document
from analysis.documents.files import Named, named_files
from analysis.inputs import FileId
from boruna_ls.workspace.disk import FileUnavailable
from boruna_ls.workspace.jobs import locked
from boruna_ls.workspace.keeper import TextKeeper
from boruna_ls.workspace.parts import Ground
from boruna_ls.workspace.roots import DiskView, is_inside
from boruna_ls.workspace.state import NamedFiles, Sight
from boruna_ls.workspace.uris import is_file

MOST: Final = 2_000
"""Files of one document that are looked for."""
_OFTEN: Final = 50


class NamedKeeper:
    """Keeps what documents name true."""

    def __init__(self, ground: Ground, texts: TextKeeper) -> None:
        self._jobs = ground.jobs
        self._state = ground.state
        self._disk = ground.shared.disk
        self._texts = texts

    def with_named(self, file: FileId) -> FileId:
        """The same file; of a document the files that it names are inputs from here on, as they are now."""
        if not is_document(file.path):
            return file
        # A process that looks at programs alone does not wait for what documents need.
        from analysis.documents.kinds import kind_of

        if not (named := kind_of(file.path).named):
            return file
        text, before = self._state.texts.get(file), self._state.named.get(file)
        if text is None or not _may_name(file):
            return file
        # Outside of the lock: a keystroke must not wait while a document is read and the disk examined.
        if before is not None and before.text is text.source:
            paths = tuple(sight.path for sight in before.sights)
        else:
            paths = () if text.defect else tuple(named(self._jobs.db, text.source.text))[:MOST]
        look = self._jobs.look()
        sights = self._sights(look, file, paths, before.places if before is not None else frozenset())

        def note() -> FileId:
            if before is not None and self._still_holds(before, sights):
                files = before.files
            else:
                files = tuple(self._named_file(look, file, sight) for sight in sights)
            if before is None or before.files != files:
                self._jobs.write(partial(_set_named, file, files))
            self._state.named[file] = NamedFiles(text.source, sights, files, frozenset(sight.place for sight in sights))
            self._forget_named()
            return file

        return locked(self._jobs, look, note)

    def _still_holds(self, named_files: NamedFiles, sights: tuple[Sight, ...]) -> bool:
        """True if nothing about the named files has changed: the disk is the same, and no editor has one of them open."""
        return (
            named_files.sights == sights
            and named_files.places.isdisjoint(self._state.buffers.paths())
            and all(
                named.file is None or (named.file.layer == "disk" and self._state.texts.get(named.file) is not None)
                for named in named_files.files
            )
        )

    def _sights(self, look: DiskView, document: FileId, paths: tuple[str, ...], earlier: frozenset[str]) -> tuple[Sight, ...]:
        """State of these paths on the disk; `earlier` are canonical paths of the previous look."""
        folder = os.path.dirname(document.path)
        around = document.workspace or folder
        workspaces = look.canonical_folders((document.workspace,) if document.workspace else ())
        sights = []
        for number, path in enumerate(paths):
            if number % _OFTEN == 0:
                self._jobs.checkpoint()
            place = os.path.normpath(os.path.join(folder, path))
            if "\0" in path or not is_inside(place, around):
                sights.append(Sight(path, "", "", None, "is outside of the workspace"))
                continue
            read = self._disk.unchanged(place) if place in earlier and _is_canonical(look, os.path.dirname(place)) else None
            if read is None and not is_inside(place := look.canonical(place), around):
                sights.append(Sight(path, "", "", None, "leads out of the workspace, by a link"))
                continue
            reason = ""
            try:
                read = read or look.file(self._disk, place)
            except FileUnavailable as error:
                reason = error.reason
            sights.append(Sight(path, place, look.root(place, workspaces), read, reason))
        return tuple(sights)

    def _named_file(self, look: DiskView, document: FileId, sight: Sight) -> Named:
        """A file that a document names."""
        if not sight.place:
            return Named(sight.path, None, sight.reason)
        try:
            return Named(sight.path, self._seen_with(look, document, sight))
        except FileUnavailable as error:
            return Named(sight.path, None, error.reason)

    def _seen_with(self, look: DiskView, document: FileId, sight: Sight) -> FileId:
        """A named file as the document's client sees it: its own buffer first. Raises FileUnavailable."""
        place = sight.place
        layer, _, rest = document.layer.partition(":")
        number = rest.partition(":")[0]
        client = self._state.clients.get(int(number)) if layer == "editor" and number.isdecimal() else None
        buffer = self._state.buffers.own(client, place) if client is not None else None
        if buffer is not None:
            return self._state.texts.with_libraries(buffer.file, document.libs)
        if next(iter(self._state.buffers.at(place)), None) is not None:
            return self._texts.latest(look, place, (document.workspace,) if document.workspace else (), document.libs)
        file = FileId(sight.workspace, "disk", place)
        if sight.read is None:
            self._texts.lost(file)
            raise FileUnavailable(place, sight.reason)
        return self._texts.as_read(look, file, sight.read, document.libs)

    def _forget_named(self) -> None:
        for gone in [file for file in self._state.named if self._state.texts.get(file) is None]:
            del self._state.named[gone]
            self._jobs.write(partial(_unset_named, gone))


def _is_canonical(look: DiskView, folder: str) -> bool:
    return look.folders.folder(folder) == folder


def _may_name(file: FileId) -> bool:
    """True if a document may refer to files: it lies in a folder its reader may read. The file name of inline text alone gives no
    folder."""
    return is_file(file.path) and (bool(file.workspace) or not file.layer.startswith("inline"))


def _set_named(file: FileId, files: tuple[Named, ...], db: Database) -> None:
    named_files.set(db, file, files)


def _unset_named(file: FileId, db: Database) -> None:
    named_files.remove(db, file)
