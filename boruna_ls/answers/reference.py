"""The texts that explain the language and its libraries: the reference with the table of builtins, the sources of libraries."""

from __future__ import annotations

from analysis.semantics.builtins import BUILTINS
from boruna_ls.data import language_reference, libraries_folder


def language_page() -> str:
    """The language reference in Markdown; the builtins are those of the table that the checker uses."""
    rows = [f"- `{builtin.signature}`: {builtin.documentation}" for builtin in BUILTINS.values()]
    return language_reference().read_text(encoding="utf-8").rstrip() + "\n\n" + "\n".join(rows) + "\n"


def library_names() -> list[str]:
    """The built-in libraries."""
    return sorted(folder.name for folder in libraries_folder().iterdir() if (folder / "src" / "core.ax").is_file())


def library_text(name: str) -> str | None:
    """The source of a built-in library; None if there is none of that name."""
    if name not in library_names():
        return None
    return (libraries_folder() / name / "src" / "core.ax").read_text(encoding="utf-8")
