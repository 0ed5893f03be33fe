"""Sources of libraries as resources: those of the folder that the server was started with, then the built-in ones.

A library is a folder with `src/core.ax`; its manifest `package.ax.json` may describe it. Links are not followed, since the folder
may belong to a workspace.
"""

from __future__ import annotations

import json
from typing import Final

from boruna_ls import no_follow
from boruna_ls.data import libraries_path
from boruna_ls.workspace.disk import SIZE_LIMIT
from boruna_ls.workspace.libraries import find_libraries

_SOURCE: Final = ("src", "core.ax")
_MANIFEST: Final = ("package.ax.json",)


def library_folders(folder: str) -> dict[str, str]:
    """Name of each library to the folder that has it, names sorted; `folder` is "" if the server has none of its own."""
    own = dict.fromkeys(find_libraries([folder]), folder) if folder else {}
    built_in = libraries_path()
    return dict(sorted((dict.fromkeys(find_libraries([built_in]), built_in) | own).items()))


def library_source(folder: str, name: str) -> str | None:
    """The source of a library, unchanged; None if there is none of that name, or none that can be read."""
    holder = library_folders(folder).get(name)
    return None if holder is None else _text(holder, (name, *_SOURCE))


def library_about(holder: str, name: str) -> str:
    """What the manifest of a library in the folder `holder` says about it."""
    try:
        manifest = json.loads(_text(holder, (name, *_MANIFEST)) or "")
    except (ValueError, RecursionError):
        manifest = None
    about = manifest.get("description") if isinstance(manifest, dict) else None
    return about if isinstance(about, str) and about else f"Source of the library {name}"


def _text(holder: str, parts: tuple[str, ...]) -> str | None:
    try:
        return no_follow.read_below(holder, parts, SIZE_LIMIT).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
