"""What all looks at the disk share: the spelling of names, and the folders that are served to others.

Spelling: which folders treat `Main.ax` and `main.ax` as one file, and the spelling they list.

Kept as long as the host: case sensitivity is determined once for each folder, so a look at the disk costs nothing more where
case counts. Where it does not, one more `stat` tells whether the cached listing of a folder is still current.
"""

from __future__ import annotations

import os
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import Final

from boruna_ls import bounded
from boruna_ls.workspace.disk import Stamp

Identity = tuple[int, int]
"""Device and inode of a folder."""
UNKNOWN: Final = (0, 0)

_MOST: Final = 50_000
"""Folders, and names of files that are not there, that are remembered."""
_IGNORES: Final = sys.platform in ("darwin", "win32")
"""Case insensitivity assumed for a folder that is empty, so that nothing can be tested there."""
_LETTERS: Final = {ord(letter): letter.swapcase() for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"}


class _Folder:
    """A folder; `ignores` is None as long as none of its names had a letter."""

    __slots__ = ("identity", "ignores", "is_racy", "listed", "spellings", "stamp")

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.ignores: bool | None = None
        self.stamp: Stamp | None = None
        self.is_racy = False
        self.listed: frozenset[str] = frozenset()
        self.spellings: dict[str, str] = {}


class Names:
    """The names that folders list, for canonical folders. May be asked from any thread."""

    def __init__(self) -> None:
        self._folders: dict[str, _Folder] = {}
        self._awaited: dict[tuple[str, str], str] = {}
        self._is_plain = True
        self.served: Counter[str] = Counter()
        """Canonical folders that are served to others, and how often: each is a workspace of its own, whatever is around it."""

    def spelled(self, folder: str, name: str, identity: Identity) -> str:
        """The name as the folder lists it, of something that is there under `name`. `identity` is the folder's now."""
        record = self._folder(folder, identity)
        ignores = record.ignores
        if ignores is None:
            ignores = self.ignores(folder)
            record.ignores = _ignores_case(folder, name, ignores)
            self._is_plain = self._is_plain and not record.ignores
            ignores = ignores if record.ignores is None else record.ignores
        if not ignores and (name.isascii() or not _is_there(folder, _other_form(name))):
            return name
        listed = self._listed_as(folder, record, name)
        if ignores:
            self._remember(folder, listed)
        return listed

    def awaited(self, folder: str, name: str) -> str:
        """One name for all spellings of something that is not there: the one that was seen or asked about first."""
        if self.ignores(folder):
            return self._awaited.get((folder, _folded(name))) or self._remember(folder, unicodedata.normalize("NFC", name))
        composed = unicodedata.normalize("NFC", name)
        forms = (form for form in (composed, unicodedata.normalize("NFD", name)) if form != name and _is_there(folder, form))
        return composed if name.isascii() else next(forms, composed)

    def ignores(self, folder: str) -> bool:
        """True if a folder ignores the case of names; an empty or missing folder is treated as its parent."""
        if self._is_plain and not _IGNORES:
            return False
        device = None
        while True:
            record = self._folders.get(folder)
            if record is not None:
                if device is not None and record.identity[0] != device:
                    return _IGNORES
                if record.ignores is not None:
                    return record.ignores
                device = record.identity[0]
            above = os.path.dirname(folder)
            if above == folder:
                return _IGNORES
            folder = above

    def is_settled(self, path: str) -> bool:
        """True if a canonical path stays canonical until a link is created, whatever else is created, renamed or deleted."""
        if self._is_plain and not _IGNORES:
            return path.isascii()
        folder = os.path.dirname(path)
        while path != folder:
            if self.ignores(folder):
                return False
            path, folder = folder, os.path.dirname(folder)
        return path.isascii()

    def _folder(self, folder: str, identity: Identity) -> _Folder:
        record = self._folders.get(folder)
        if record is None or record.identity != identity:
            if len(self._folders) >= _MOST:
                self._folders.clear()
            record = self._folders[folder] = _Folder(identity)
        return record

    def _listed_as(self, folder: str, record: _Folder, name: str) -> str:
        try:
            stamp = Stamp.of(bounded.status(folder))
            if stamp != record.stamp or record.is_racy:
                read_at = time.time_ns()
                record.listed, record.spellings = frozenset(bounded.names_in(folder)), {}
                record.stamp, record.is_racy = stamp, stamp.is_racy(read_at)
        except (OSError, ValueError):
            # It can be passed but not be read: all that counts is that there is one spelling.
            return self.awaited(folder, name)
        if name in record.listed:
            return name
        if (spelling := record.spellings.get(name)) is None:
            spelling = record.spellings[name] = _match(name, record.listed)
        # A system that remembers names may find what was deleted; Windows finds files by short names that it does not list.
        spelling = spelling or self._awaited.get((folder, _folded(name)), "")
        return spelling or os.path.basename(bounded.real_path(os.path.join(folder, name)))

    def _remember(self, folder: str, name: str) -> str:
        if len(self._awaited) >= _MOST:
            self._awaited.clear()
        self._awaited[folder, _folded(name)] = name
        return name


def _ignores_case(folder: str, name: str, suspected: bool) -> bool | None:
    """True if a folder ignores case, tested with an existing entry; None if its name has no letter, or the result is
    unreliable."""
    other = name.translate(_LETTERS)
    if other == name:
        return None
    is_other = _is_there(folder, other)
    if not is_other and not suspected:
        return False
    try:
        listed = bounded.names_in(folder)
    except OSError:
        return None
    if not is_other:
        # A system may remember a file that has been deleted under another spelling.
        return False if name in listed else None
    return not (name in listed and other in listed)


def _is_there(folder: str, name: str) -> bool:
    try:
        bounded.link_status(os.path.join(folder, name))
    except (OSError, ValueError):
        return False
    return True


def _other_form(name: str) -> str:
    composed = unicodedata.normalize("NFC", name)
    return unicodedata.normalize("NFD", name) if name == composed else composed


def _match(name: str, listed: frozenset[str]) -> str:
    """The listed entry that matches a name under the weakest folding; "" if none does."""
    folds: tuple[Callable[[str], str], ...] = (_composed, _folded, _casefolded)
    for fold in folds:
        folded = fold(name)
        matches = sorted(entry for entry in listed if fold(entry) == folded)
        if matches:
            return matches[0]
    return ""


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).lower()


def _casefolded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
