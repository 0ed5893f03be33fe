"""`docs/architecture.md` names every package and no file that does not exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "docs" / "architecture.md").read_text("utf-8")
QUOTED: Final = re.compile(r"`([\w./-]+(?:\.py|\.md|\.toml|/))(?::(\w+))?`")
PLACEHOLDERS: Final = re.compile(r"\b(?:NAME|CODE)\b")


def _paths() -> dict[str, Path]:
    """Every file and folder by each of the ways in which a path may end."""
    paths: dict[str, Path] = {}
    for base in ("analysis", "boruna_ls", "docs", "tests"):
        for path in (ROOT / base, *(ROOT / base).rglob("*")):
            parts = path.relative_to(ROOT).parts
            for start in range(len(parts)):
                paths.setdefault("/".join(parts[start:]), path)
    return paths


def test_paths_and_functions_exist() -> None:
    paths, wrong = _paths(), []
    assert len(QUOTED.findall(PAGE)) > 100
    for name, function in QUOTED.findall(PAGE):
        path = paths.get(name.rstrip("/"), ROOT / name)
        is_there = path.exists() and path.is_dir() == name.endswith("/")
        if not (is_there or PLACEHOLDERS.search(name)) or (function and f"def {function}(" not in path.read_text("utf-8")):
            wrong.append(f"{name}:{function}")
    assert wrong == []


def test_links_lead_to_pages() -> None:
    links = re.findall(r"\]\(([^)#]+)", PAGE)
    assert len(links) > 15
    assert [link for link in links if not (ROOT / "docs" / link).exists()] == []


def test_the_code_map_is_complete() -> None:
    """Packages and modules of the two roots, and the modules of `semantics/`, which has a table of its own."""
    for folder in ("analysis", "boruna_ls", "analysis/semantics"):
        names = {path.name for path in (ROOT / folder).iterdir() if not path.name.startswith("__") and path.name != "py.typed"}
        for name in sorted(names):
            shown = name.removesuffix(".py") if folder == "analysis/semantics" else name
            assert re.search(rf"`{re.escape(shown)}/?`", PAGE), f"{folder}/{name} is missing in docs/architecture.md"
