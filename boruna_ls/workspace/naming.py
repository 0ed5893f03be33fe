"""The files that documents name, such as the programs of a workflow: searched when the document is asked about.

A document may come with a repository that nobody vouches for: what it names is looked at inside of its workspace only, wherever
links lead, and a bounded number of files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Final

from analysis.database import Database
from analysis.documents.files import Named, named_files
from analysis.documents.names import is_document
from analysis.inputs import FileId
from boruna_ls.workspace.disk import FileUnavailable
from boruna_ls.workspace.keeper import TextKeeper
from boruna_ls.workspace.parts import Ground
from boruna_ls.workspace.roots import Look, is_inside
from boruna_ls.workspace.state import NamedFiles
from boruna_ls.workspace.uris import is_file

MOST: Final = 2_000
"""Files of one document that are looked for."""


class NamedKeeper:
    """Keeps what documents name true."""

    def __init__(self, ground: Ground, texts: TextKeeper) -> None:
        self._jobs = ground.jobs
        self._state = ground.state
        self._texts = texts

    def with_named(self, file: FileId) -> FileId:
        """The same file; of a document the files that it names are inputs from here on, as they are now."""
        if not is_document(file.path):
            return file
        # A process that looks at programs alone does not wait for what documents need.
        from analysis.documents.kinds import kind_of

        if not (named := kind_of(file.path).named):
            return file
        text, known = self._state.texts.get(file), self._state.named.get(file)
        if text is None or not _may_name(file):
            return file
        if known is not None and known.text is text.source:
            paths: Sequence[str] = known.paths
        else:
            # Not under the lock: nobody who types waits while a document is read.
            paths = () if text.defect else tuple(named(text.source.text))[:MOST]
        with self._jobs.lock:
            look = self._jobs.look()
            found = [self._named(look, file, path) for path in paths]
            files = tuple(each for each, _ in found)
            places = frozenset(place for _, place in found)
            if known is None or known.files != files:
                self._jobs.write(partial(_set_named, file, files))
            self._state.named[file] = NamedFiles(text.source, tuple(paths), files, places)
            self._forget_named()
        return file

    def _named(self, look: Look, document: FileId, path: str) -> tuple[Named, str]:
        """A file that a document names, and its canonical path."""
        folder = os.path.dirname(document.path)
        place = os.path.normpath(os.path.join(folder, path))
        if "\0" in path or not is_inside(place, document.workspace or folder):
            return Named(path, None, "is outside of the workspace"), ""
        place = look.canonical(place)
        if not is_inside(place, document.workspace or folder):
            return Named(path, None, "leads out of the workspace, by a link"), ""
        try:
            return Named(path, self._seen_with(look, document, place)), place
        except FileUnavailable as error:
            return Named(path, None, error.reason), place

    def _seen_with(self, look: Look, document: FileId, place: str) -> FileId:
        """A file as whoever sees the document sees it: an editor its own buffer first. Raises FileUnavailable."""
        layer, _, rest = document.layer.partition(":")
        number = rest.partition(":")[0]
        client = self._state.clients.get(int(number)) if layer == "editor" and number.isdecimal() else None
        buffer = self._state.buffers.own(client, place) if client is not None else None
        if buffer is not None:
            return self._state.texts.seen(buffer.file, document.libs)
        return self._texts.seen(look, place, (document.workspace,) if document.workspace else (), document.libs)

    def _forget_named(self) -> None:
        for gone in [file for file in self._state.named if self._state.texts.get(file) is None]:
            del self._state.named[gone]
            self._jobs.write(partial(_unset_named, gone))


def _may_name(file: FileId) -> bool:
    """Whether a document stands in a folder that whoever sees it may look into; the name of inline text alone places nothing."""
    return is_file(file.path) and (bool(file.workspace) or not file.layer.startswith("inline"))


def _set_named(file: FileId, files: tuple[Named, ...], db: Database) -> None:
    named_files.set(db, file, files)


def _unset_named(file: FileId, db: Database) -> None:
    named_files.remove(db, file)
