"""Where the files live that are shipped beside the code: libraries, templates, pages of the diagnostics, configurations.

In a source checkout they are folders of the repository, in an installed wheel they are under `boruna_ls/share`.
Only paths are given here; who reads them, and through which input of the database, is the workspace's business.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = {
    "libs": "libs",
    "templates": "templates",
    "diagnostics": "docs/diagnostics",
    "editors": "editors",
    "language-reference.md": "docs/language-reference.md",
}


def libraries_folder() -> Path:
    """The built-in libraries: one folder for each, its source in `src/core.ax`."""
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
    shipped = _PACKAGE / "share" / name
    return shipped if shipped.exists() else _PACKAGE.parent / _CHECKOUT[name]
