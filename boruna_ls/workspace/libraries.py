"""Finds libraries: a folder `NAME` with `src/core.ax` under `--libs-dir`, a workspace's `libs/` or the built-in ones.

The first place that has a name wins. Only folders are listed here; the host reads the files. A link among the libraries of a
workspace counts only if it leads to a program of that workspace.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from analysis.inputs import FileId, Libraries
from boruna_ls import bounded
from boruna_ls.data import libraries_path
from boruna_ls.mounts import MOUNTS
from boruna_ls.workspace.roots import DiskView, is_inside

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+")
_EDITOR: Final = "//editor:"
_SOURCE: Final = ("src", "core.ax")
_SUFFIX: Final = ".ax"
Scope = tuple[str, str]
"""A workspace, and `FileId.libs`."""


def find_libraries(folders: Iterable[str]) -> dict[str, str]:
    """Library name to the path of its source, for folders in order of precedence, names sorted."""
    libraries: dict[str, str] = {}
    for folder in folders:
        for name in _names_in(folder):
            path = _source_of(folder, name)
            if name not in libraries and bounded.is_regular(path):
                libraries[name] = path
    return dict(sorted(libraries.items()))


def may_be_library(path: str) -> bool:
    """True if a canonical path has the form of a library's."""
    return os.path.basename(path).lower() == _SOURCE[1] and os.path.basename(os.path.dirname(path)).lower() == _SOURCE[0]


def _library_folder(path: str) -> str:
    return os.path.dirname(os.path.dirname(os.path.dirname(path)))


def _names_in(folder: str) -> list[str]:
    if not MOUNTS.answers(folder):
        return []
    try:
        return [name for name in bounded.names_in(folder) if _NAME.fullmatch(name)]
    except OSError:
        return []


def _source_of(folder: str, name: str) -> str:
    return os.path.join(folder, name, *_SOURCE)


def own_view(libs: str, client: int) -> str:
    """`FileId.libs` of an editor that sees the libraries that it has open as it has them, other people's edits aside."""
    return f"{libs}{_EDITOR}{client}"


def library_file(path: str) -> FileId:
    """A library as importers see it."""
    return FileId("", "library", path)


class LibrarySets:
    """Libraries visible to the files of each scope."""

    def __init__(self) -> None:
        # The built-in ones do not change while the process lives.
        self._built_in = find_libraries([os.path.realpath(libraries_path())])
        self._sets: dict[Scope, Libraries] = {}
        self._scopes: dict[str, set[Scope]] = {path: set() for path in self._built_in.values()}

    def copied(self) -> LibrarySets:
        """The same sets, which go their own way from here."""
        other = LibrarySets.__new__(LibrarySets)
        other._built_in, other._sets = self._built_in, dict(self._sets)
        other._scopes = {path: set(scopes) for path, scopes in self._scopes.items()}
        return other

    def scopes(self) -> list[Scope]:
        """The scopes that were looked at."""
        return list(self._sets)

    def is_library(self, path: str) -> bool:
        """True if any set of libraries contains a file."""
        return path in self._scopes

    def is_built_in(self, path: str) -> bool:
        """True if a library is one of the built-in ones."""
        return path in self._built_in.values()

    def owner(self, scope: Scope) -> int | None:
        """The editor that a scope belongs to, if it does to one."""
        number = scope[1].partition(_EDITOR)[2]
        return int(number) if number else None

    def scopes_of(self, path: str) -> set[Scope]:
        """The scopes that see a library."""
        return self._scopes.get(path, set())

    def find(self, scope: Scope, look: DiskView, opened: Iterable[str] = ()) -> dict[str, str]:
        """The libraries that a scope has now: names and canonical paths. One of which only an editor has the source is one.

        `opened` are canonical paths of open buffers.
        """
        workspace, libs = scope
        folders = [(libs.partition(_EDITOR)[0], ""), (workspace and os.path.join(workspace, "libs"), workspace)]
        candidates = {path for path in opened if may_be_library(path)}
        libraries: dict[str, str] = {}
        for folder, place in folders:
            if not folder:
                continue
            for name, path in look.known(("libraries", folder), partial(find_libraries, [folder])).items():
                source = look.canonical(path)
                if source.endswith(_SUFFIX) and (not place or is_inside(source, place)):
                    libraries.setdefault(name, source)
            if candidates:
                for name in self._only_open(folder, look, candidates):
                    libraries.setdefault(name, look.canonical(_source_of(folder, name)))
        return self._built_in | libraries

    def _only_open(self, folder: str, look: DiskView, opened: set[str]) -> list[str]:
        """Names of libraries below a folder whose sources editors have open: where links lead decides."""
        base = look.canonical(folder)
        names = {os.path.basename(os.path.dirname(os.path.dirname(path))) for path in opened if _library_folder(path) == base}
        names.update(look.known(("names", folder), partial(_names_in, folder)))
        return sorted(name for name in names if _NAME.fullmatch(name) and look.canonical(_source_of(folder, name)) in opened)

    def set(self, scope: Scope, paths: dict[str, str], file_of: Callable[[str], FileId | None]) -> Libraries | None:
        """Notes what a scope has; None if it is what it had. `file_of` gives the file of a library that the scope alone sees."""
        files = tuple((name, file_of(path) or library_file(path)) for name, path in sorted(paths.items()))
        libraries = Libraries(files)
        if self._sets.get(scope) == libraries:
            return None
        self._leave(scope)
        self._sets[scope] = libraries
        for path in paths.values():
            self._scopes.setdefault(path, set()).add(scope)
        return libraries

    def remove(self, scope: Scope) -> list[str]:
        """Forgets a scope; returns the libraries that are no longer visible."""
        self._leave(scope)
        self._sets.pop(scope, None)
        return self.unseen()

    def unseen(self) -> list[str]:
        """Forgets and returns the libraries that are no longer visible."""
        gone = [path for path, scopes in self._scopes.items() if not scopes and not self.is_built_in(path)]
        for path in gone:
            del self._scopes[path]
        return gone

    def _leave(self, scope: Scope) -> None:
        for scopes in self._scopes.values():
            scopes.discard(scope)
