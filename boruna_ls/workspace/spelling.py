"""One name inside for all names outside: symbolic links, Unicode forms, drive letters, `..` and trailing slashes.

Everything in the workspace is keyed by the canonical path; what a client is shown goes back to the way in which it
named its folders and files.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from typing import Final

from boruna_ls.workspace.uris import is_file

_DRIVE: Final = re.compile(r"^[a-z]:(?=[/\\]|$)")


class Folders:
    """Canonical folders, each looked up once: made anew for every look at the disk."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def canonical(self, path: str) -> str:
        """The path of a file without links, in the Unicode form that lies on disk; what is no path on disk as it is.

        A file that is not there yet has the path that it would get.
        """
        if not is_file(path):
            return path
        folder, name = os.path.split(normal(path))
        return self._entry(self.folder(folder), name) if name else folder

    def folder(self, path: str) -> str:
        """The same for a folder whose path is normal."""
        unknown = []
        while path not in self._known:
            above, name = os.path.split(path)
            if not name:
                self._known[path] = path
                break
            unknown.append((path, name))
            path = above
        found = self._known[path]
        for path, name in reversed(unknown):
            found = self._known[path] = self._entry(found, name)
        return found

    def _entry(self, folder: str, name: str) -> str:
        path = os.path.join(folder, name)
        try:
            mode = os.lstat(path).st_mode
        except FileNotFoundError:
            return path if name.isascii() else _existing(folder, name)
        except (OSError, ValueError):
            return path
        return os.path.realpath(path) if stat.S_ISLNK(mode) else path


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


def _existing(folder: str, name: str) -> str:
    """The Unicode form of a name that exists, else the composed one."""
    composed = unicodedata.normalize("NFC", name)
    for form in (composed, unicodedata.normalize("NFD", name)):
        path = os.path.join(folder, form)
        if form != name and os.path.lexists(path):
            return os.path.realpath(path)
    return os.path.join(folder, composed)
