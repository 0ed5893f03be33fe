"""The workspace that a file belongs to, and a snapshot of the disk (`DiskView`) that examines each folder once.

The nearest ancestor with `boruna.toml` is the root, else the nearest with `.git`, else the client's folder that
holds the file. A folder that is served to others is a root, whatever is around it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from boruna_ls.workspace import bounded
from boruna_ls.workspace.mounts import MOUNTS
from boruna_ls.workspace.names import Names
from boruna_ls.workspace.spelling import Folders
from boruna_ls.workspace.uris import is_file

if TYPE_CHECKING:
    from analysis.inputs import FileId
    from boruna_ls.workspace.programs import Programs

SETTINGS_FILE: Final = "boruna.toml"


class DiskView:
    """Snapshot of the disk: a job examines each folder once, however many files it is about."""

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
        self._clients: dict[tuple[str, ...], tuple[str, ...]] = {}

    def add(self, root: str, programs: Programs) -> None:
        """Notes what lies below a root."""
        self.listed[root] = programs
        self.programs.update(programs.files)

    def canonical_folders(self, folders: tuple[str, ...]) -> tuple[str, ...]:
        """The same for a client's folders, which are asked about with each of its files."""
        cached = self._clients.get(folders)
        if cached is None:
            cached = self._clients[folders] = tuple(self.folders.canonical(folder) for folder in folders)
        return cached

    def canonical(self, path: str) -> str:
        """See `Folders.canonical`."""
        return self.folders.canonical(path)

    def root(self, path: str, folders: Iterable[str] = ()) -> str:
        """The root of the workspace of a canonical path; "" for a file outside any workspace."""
        if not is_file(path) or not MOUNTS.answers(path):
            return ""
        settings, repository = self._marked(os.path.dirname(path))
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


def is_inside(path: str, root: str) -> bool:
    """True if a path lies in a folder, or is it."""
    return path == root or path.startswith((root.rstrip("/\\") + "/", root.rstrip("\\") + os.sep))
