"""The workspace that a file belongs to, and a snapshot of the disk (`DiskView`) that examines each folder and file once.

The nearest ancestor with `boruna.toml` is the root, else the nearest with `.git`, else the client's folder that
holds the file. A folder that is served to others is a root, whatever is around it. Under a lock a look tells only what it
knows (`DiskView.sealed`), because a disk may hang.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from analysis.text.blocks import no_pause
from boruna_ls import bounded
from boruna_ls.mounts import MOUNTS
from boruna_ls.workspace.disk import Disk, DiskFile, FileUnavailable
from boruna_ls.workspace.names import Names
from boruna_ls.workspace.spelling import Folders
from boruna_ls.workspace.uris import is_file

if TYPE_CHECKING:
    from analysis.inputs import FileId
    from boruna_ls.workspace.programs import Programs

T = TypeVar("T")
SETTINGS_FILE: Final = "boruna.toml"


class Unread(Exception):
    """A look was asked under a lock for what it does not know. `read` looks at the disk; the lock must be released before."""

    def __init__(self, read: Callable[[], object]) -> None:
        super().__init__("the disk is not read under a lock")
        self.read = read


class DiskView:
    """Snapshot of the disk: a job examines each folder and file once, however many files it is about."""

    def __init__(self, names: Names | None = None) -> None:
        """`names` is what was found out before about the spelling of names."""
        self._names = names if names is not None else Names()
        self.folders = Folders(self._names)
        self.listed: dict[str, Programs] = {}
        """Programs below each root, by the root."""
        self.programs: set[str] = set()
        """Paths that are known to be canonical."""
        self.refreshed: set[tuple[str, str]] = set()
        """Workspaces and sets of libraries that were looked at."""
        self.read: set[FileId] = set()
        """Files whose text is that of this moment."""
        self.is_settled = False
        """True if the targets of links through which buffers were opened have been looked up again."""
        self._marks: dict[str, tuple[str, str]] = {}
        self._known: dict[Hashable, Any] = {}
        self._is_sealed = False

    def known(self, key: Hashable, find: Callable[[], T]) -> T:
        """What `find` gave when this was asked first. Raises Unread if that is now, under a lock."""
        if key in self._known:
            value: T = self._known[key]
            return value
        if self._is_sealed:
            raise Unread(partial(self.known, key, find))
        value = self._known[key] = find()
        return value

    @contextmanager
    def sealed(self) -> Iterator[None]:
        """While the block runs, the disk is not looked at: Unread is raised instead."""
        before, self._is_sealed = self._is_sealed, True
        try:
            yield
        finally:
            self._is_sealed = before

    def add(self, root: str, programs: Programs) -> None:
        """Notes what lies below a root."""
        self.listed[root] = programs
        self.programs.update(programs.files)

    def canonical_folders(self, folders: tuple[str, ...]) -> tuple[str, ...]:
        """The same for a client's folders, which are asked about with each of its files."""
        return self.known(("folders", folders), lambda: tuple(self.folders.canonical(folder) for folder in folders))

    def canonical(self, path: str) -> str:
        """See `Folders.canonical`."""
        return self.known(("canonical", path), partial(self.folders.canonical, path))

    def file(self, disk: Disk, path: str, pause: Callable[[], None] = no_pause) -> DiskFile:
        """The file at a canonical path, see `Disk.read`. Raises FileUnavailable."""
        file = self.known(("file", path), partial(_file, disk, path, pause))
        if isinstance(file, FileUnavailable):
            raise FileUnavailable(file.path, file.reason)
        return file

    def root(self, path: str, folders: Iterable[str] = ()) -> str:
        """The root of the workspace of a canonical path; "" for a file outside any workspace."""
        if not is_file(path):
            return ""
        folder = os.path.dirname(path)
        marks = self.known(("marks", folder), lambda: self._marked(folder) if MOUNTS.answers(path) else None)
        if marks is None:
            return ""
        settings, repository = marks
        if settings or repository:
            return settings or repository
        return max((root for root in folders if root and is_inside(path, root)), key=len, default="")

    def _marked(self, folder: str) -> tuple[str, str]:
        """The nearest folders with settings and with a repository, from one upwards; with settings nothing above counts."""
        below = []
        while folder not in self._marks:
            above = os.path.dirname(folder)
            if self._names.served[folder] or bounded.is_regular(os.path.join(folder, SETTINGS_FILE)):
                self._marks[folder] = (folder, "")
                break
            below.append(folder)
            if above == folder:
                break
            folder = above
        marks = self._marks.get(folder, ("", ""))
        for folder in reversed(below):
            repository = bounded.is_there(os.path.join(folder, ".git"))
            marks = self._marks[folder] = (marks[0], folder if repository else marks[1])
        return marks


def _file(disk: Disk, path: str, pause: Callable[[], None]) -> DiskFile | FileUnavailable:
    try:
        return disk.read(path, pause)
    except FileUnavailable as error:
        return FileUnavailable(error.path, error.reason)


def is_inside(path: str, root: str) -> bool:
    """True if a path lies in a folder, or is it."""
    return path == root or path.startswith((root.rstrip("/\\") + "/", root.rstrip("\\") + os.sep))
