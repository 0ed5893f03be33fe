"""Places that no program reaches, whatever a policy or a ceiling says: keys, our own settings, whole homes and disks.

Names are judged after resolution. What is ours is known by its identity on the disk, too, so that another spelling, a second
mount or a hard link leads no program to it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from boruna_ls import bounded
from boruna_ls.rendezvous import places
from boruna_ls.state.folder import default_folder, state_folder

KEY_FOLDERS: Final = frozenset((".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".1password"))
"""Folders that hold keys, wherever they lie."""
_SYSTEM: Final = ("/proc", "/sys", "/dev", "/etc", "/boot")
_HOMES: Final = ("/root", "/home", "/Users")


def config_folder() -> str:
    """Folder of the owner's settings, `trust.toml` among them."""
    return os.path.join(_base("XDG_CONFIG_HOME", "~/.config", "APPDATA"), "boruna")


def refusal_of_root(path: str) -> str | None:
    """Reason why a folder may not be given to programs; None if it may."""
    shown = f"'{path}' is refused as a root"
    # What is opened later follows no link, so a disk that hangs now may be judged by names.
    resolved = bounded.real_path(path)
    for folder in dict.fromkeys((os.path.normpath(path), resolved)):
        if os.path.dirname(folder) == folder:
            return f"{shown}: it is the whole disk. Choose a folder of the project"
        if any(_is_inside(home, folder) for home in _homes()) or os.path.dirname(folder) in _HOMES[1:]:
            return f"{shown}: it is, or contains, a home directory. Choose a folder of the project"
        if KEY_FOLDERS & {part.casefold() for part in folder.split(os.sep)}:
            return f"{shown}: folders such as {os.path.basename(folder)} hold keys"
        if any(_is_inside(folder, ours) or _is_inside(ours, folder) for ours in _ours()):
            return f"{shown}: boruna-ls keeps its own settings and state there"
        if any(_is_inside(folder, system) for system in _SYSTEM):
            return f"{shown}: it belongs to the system"
    return None


def is_key_folder(name: str) -> bool:
    """True if a folder of this name holds keys."""
    return name.casefold() in KEY_FOLDERS


def forbidden() -> frozenset[tuple[int, int]]:
    """Device and number of the folders that are ours, and of the files in them; not of what lies deeper (`is_ours`)."""
    places = set()
    for place in _ours():
        for path in (place, *_listed(place)):
            try:
                status = os.stat(path)
            except OSError:
                continue
            places.add((status.st_dev, status.st_ino))
    return frozenset(places)


def is_ours(status: os.stat_result) -> bool:
    """True if a file that was opened is one of ours, whatever its name: a hard link leads to it from elsewhere."""
    if status.st_nlink < 2:
        return False
    number = status.st_dev, status.st_ino
    return any(number == existing for place in _ours() for existing in _files_below(place))


def _files_below(folder: str) -> Iterator[tuple[int, int]]:
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                status = os.lstat(os.path.join(place, name))
                yield status.st_dev, status.st_ino


def _listed(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries]
    except OSError:
        return []


def _ours() -> Iterator[str]:
    # Also the state's usual folder if another one is named: other processes of the user keep theirs there.
    states = (str(state_folder()), str(default_folder()))
    for folder in dict.fromkeys((config_folder(), *states, _daemon_folder())):
        if folder:
            yield os.path.realpath(folder)


def _daemon_folder() -> str:
    try:
        return places.folder()
    except OSError:
        return ""


def _homes() -> Iterator[str]:
    yield os.path.realpath(os.path.expanduser("~"))
    yield from _HOMES


def _base(variable: str, default: str, on_windows: str) -> str:
    if sys.platform == "win32":
        return os.environ.get(on_windows) or os.path.expanduser("~\\AppData\\Local")
    chosen = os.environ.get(variable, "")
    return chosen if os.path.isabs(chosen) else os.path.expanduser(default)


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
