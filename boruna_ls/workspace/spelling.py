"""One name inside for all names outside: symbolic links, case, Unicode forms, drive letters, `..` and trailing slashes.

Everything in the workspace is keyed by the canonical path; what a client is shown goes back to the way in which it
named its folders and files.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from boruna_ls import bounded
from boruna_ls.mounts import MOUNTS
from boruna_ls.workspace.disk import FileUnavailable
from boruna_ls.workspace.names import UNKNOWN, Identity, Names
from boruna_ls.workspace.uris import LONGEST, is_file

_SHOWN: Final = 100
"""Characters of a path that is too long which a message quotes."""
_DRIVE: Final = re.compile(r"^[a-z]:(?=[/\\]|$)")


class Folders:
    """Canonical folders, each looked up once per check of the disk."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._spellings: dict[str, str] = {}
        self._identities: dict[str, Identity] = {}
        self._followed: set[str] = set()

    def canonical(self, path: str) -> str:
        """The path of a file without links, each name as its folder lists it; what is no path on disk as it is.

        A file that is not there yet has the path that it would get.
        """
        if not is_file(path):
            return path
        if not MOUNTS.answers(normal(path)):
            return normal(path)
        folder, name = os.path.split(normal(path))
        return self._entry(self.folder(folder), name) if name else folder

    def folder(self, path: str) -> str:
        """The same for a folder whose path is normal."""
        unknown = []
        while path not in self._spellings:
            above, name = os.path.split(path)
            if not name:
                self._spellings[path] = path
                break
            unknown.append((path, name))
            path = above
        entry = self._spellings[path]
        for path, name in reversed(unknown):
            entry = self._spellings[path] = self._entry(entry, name)
        return entry

    def _entry(self, folder: str, name: str) -> str:
        path = os.path.join(folder, name)
        try:
            status = bounded.link_status(path)
        except FileNotFoundError:
            path = os.path.join(folder, self._names.awaited(folder, name))
            return self._target(path) if bounded.is_link(path) else path
        except (OSError, ValueError):
            return path
        if stat.S_ISLNK(status.st_mode):
            return self._target(path)
        path = os.path.join(folder, self._names.spelled(folder, name, self._identity(folder)))
        if stat.S_ISDIR(status.st_mode):
            self._identities[path] = (status.st_dev, status.st_ino)
        return path

    def _target(self, path: str) -> str:
        """Canonical target of a link, whose own text may be spelled in any way."""
        with suppress(OSError, ValueError):
            target = os.path.normpath(os.path.join(os.path.dirname(path), bounded.target(path)))
            if not MOUNTS.answers(target):
                return target
        target = bounded.real_path(path)
        if target == path or path in self._followed:
            return target
        self._followed.add(path)
        try:
            return self.canonical(target)
        finally:
            self._followed.discard(path)

    def _identity(self, folder: str) -> Identity:
        cached = self._identities.get(folder)
        if cached is None:
            try:
                status = bounded.status(folder)
                cached = (status.st_dev, status.st_ino)
            except (OSError, ValueError):
                cached = UNKNOWN
            self._identities[folder] = cached
        return cached


def resolved(path: str, folders: Iterable[str]) -> str:
    """An absolute path for one that counts from a client's only root. Raises FileUnavailable with the candidates."""
    if len(path) > LONGEST:
        raise FileUnavailable(f"{path[:_SHOWN]}…", f"has {len(path)} characters; no path has more than {LONGEST}")
    if os.path.isabs(path):
        return os.path.normpath(path)
    candidates = list(dict.fromkeys(os.path.normpath(os.path.join(folder, path)) for folder in folders))
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise FileUnavailable(path, "is relative, and the client has named no folder")
    existing = [candidate for candidate in candidates if bounded.is_there(candidate)]
    if len(existing) == 1:
        return existing[0]
    raise FileUnavailable(path, f"is relative and could be any of {', '.join(existing or candidates)}")


def normal(path: str) -> str:
    """An absolute path without `.`, `..`, doubled or trailing slashes; a drive's letter is a capital."""
    path = os.path.normpath(path)
    if path.startswith("//") and os.sep == "/":
        path = path[1:]
    return path[0].upper() + path[1:] if _DRIVE.match(path) else path


def spelled(path: str, folders: Iterable[tuple[str, str]]) -> str:
    """A canonical path below the folder as its client wrote it; `folders` are pairs of both spellings."""
    best_name, best_folder = "", ""
    for name, folder in folders:
        if (
            name != folder
            and len(folder) > len(best_folder)
            and (path == folder or path.startswith(folder.rstrip(os.sep) + os.sep))
        ):
            best_name, best_folder = name, folder
    return best_name.rstrip(os.sep) + path[len(best_folder.rstrip(os.sep)) :] if best_folder else path
