"""Paths of the files that are shipped beside the code: libraries, templates, pages of the diagnostics, configurations.

In a source checkout they are folders of the repository, in an installed wheel they are under `boruna_ls/share`.
This module gives paths only; the workspace reads the files into inputs of the database. `pathlib` is
imported on use: a process that checks one file does not wait for it.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

_PACKAGE = os.path.dirname(os.path.realpath(__file__))
_CHECKOUT = {
    "libs": "libs",
    "templates": "templates",
    "diagnostics": "docs/diagnostics",
    "editors": "editors",
    "language-reference.md": "docs/language-reference.md",
}


def libraries_path() -> str:
    """The built-in libraries: one folder for each, its source in `src/core.ax`."""
    return _path("libs")


def libraries_folder() -> Path:
    """The same folder."""
    return _folder("libs")


def templates_folder() -> Path:
    """The stock templates: one folder for each, with `template.json` and `app.ax.template`."""
    return _folder("templates")


def diagnostics_folder() -> Path:
    """The pages that explain the diagnostics: `CODE.md` for each code."""
    return _folder("diagnostics")


def editors_folder() -> Path:
    """The configurations of editors and agents that `boruna-ls setup` writes: a folder for each."""
    return _folder("editors")


def language_reference() -> Path:
    """The language reference, without the table of builtins."""
    return _folder("language-reference.md")


def _folder(name: str) -> Path:
    from pathlib import Path

    return Path(_path(name))


def _path(name: str) -> str:
    shipped = os.path.join(_PACKAGE, "share", name)
    return shipped if os.path.exists(shipped) else os.path.join(os.path.dirname(_PACKAGE), _CHECKOUT[name])
