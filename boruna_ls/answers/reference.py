"""The texts that explain the language and its libraries: the reference with its tables, sources and pages of libraries."""

from __future__ import annotations

import json
from collections.abc import Iterable

from analysis.database import Database
from analysis.ide.signature import documentation, signature
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.declarations import chunk_tree
from analysis.syntax.tree import Enum, Function, Item, Record
from analysis.text.source import Source
from boruna_ls.data import language_reference, libraries_folder

_SLASHES = "//"


def language_page() -> str:
    """The language reference in Markdown; the builtins are those of the table that the checker uses."""
    summaries = {name: library_summary(name) for name in library_names()}
    libraries = [f"- `{name}`: {summary}" for name, summary in summaries.items() if summary]
    others = ", ".join(f"`{name}`" for name, summary in summaries.items() if not summary)
    builtins = [f"- `{builtin.signature}`: {builtin.documentation}" for builtin in BUILTINS.values()]
    text = language_reference().read_text(encoding="utf-8").rstrip()
    return "\n".join([text, "", *libraries, f"- {others}", "", "## Builtin functions", "", *builtins, ""])


def library_names() -> list[str]:
    """The built-in libraries."""
    return sorted(folder.name for folder in libraries_folder().iterdir() if (folder / "src" / "core.ax").is_file())


def library_text(name: str) -> str | None:
    """The source of a built-in library; None if there is none of that name."""
    if name not in library_names():
        return None
    return (libraries_folder() / name / "src" / "core.ax").read_text(encoding="utf-8")


def library_summary(name: str) -> str:
    """The sentence at the top of a library's source; "" if its first comment is that of an item."""
    return summary_of(library_text(name) or "")


def summary_of(text: str) -> str:
    """The same of a library's text."""
    first, _, rest = text.partition("\n")
    return first.removeprefix(_SLASHES).strip() if first.startswith(_SLASHES) and rest.startswith(_SLASHES) else ""


def library_description(name: str) -> str:
    """Purpose of a built-in library: the sentence of its source, else that of its manifest."""
    manifest = libraries_folder() / name / "package.ax.json"
    return library_summary(name) or str(json.loads(manifest.read_text(encoding="utf-8"))["description"])


def library_page(name: str) -> str | None:
    """Every item of a library with what its comment says, in Markdown; None if there is none of that name."""
    text = library_text(name)
    if text is None:
        return None
    summary, db, source = library_summary(name), Database(), Source.from_text(text)
    items = [item for chunk in source.chunks for item in chunk_tree(db, chunk.text).items]
    offered = offered_names(items)
    parts = [f"# {name}", library_description(name), f'```ax\nimport "{name}"\n```']
    for chunk in source.chunks:
        for item in chunk_tree(db, chunk.text).items:
            if item.name in offered:
                parts.append(f"```ax\n{signature(item, chunk.text).removeprefix('export ')}\n```")
                about = documentation(chunk.text, item.start).removeprefix(summary).strip()
                parts += [about] if about else []
    return "\n\n".join(parts) + "\n"


def offered_names(items: Iterable[Item]) -> set[str]:
    """The names that a library offers: what it exports; everything but `main` if nothing is exported."""
    declared = [item for item in items if isinstance(item, Function | Record | Enum) and item.name != "main"]
    exported = {item.name for item in declared if item.exported}
    return exported or {item.name for item in declared}
