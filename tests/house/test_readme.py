"""Snippets of the README equal the files of the repository, and the commands and files that it names exist."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
EDITORS = ROOT / "editors"
SNIPPETS = ["neovim/boruna.lua", "helix/languages.toml", "emacs/boruna.el", "sublime/LSP.sublime-settings"]
SNIPPETS += [f"agents/{path.relative_to(EDITORS / 'agents')}" for path in sorted((EDITORS / "agents").rglob("*.*"))]
FOUND = [path for path in sorted(EDITORS.rglob("*")) if "node_modules" not in path.parts]
CONFIGURATIONS = [path for path in FOUND if path.suffix in (".json", ".toml")]
COMMANDS = set(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"])


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets_are_the_files_of_editors(name: str) -> None:
    assert f"\n{(EDITORS / name).read_text('utf-8')}```\n" in README


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets_start_commands_that_are_installed(name: str) -> None:
    text = (EDITORS / name).read_text("utf-8")
    named = set(re.findall(r'"(boruna-[a-z]+)"', text))
    assert named
    assert named <= COMMANDS


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda p: str(p.relative_to(EDITORS)))
def test_configurations_parse(path: Path) -> None:
    text = path.read_text("utf-8")
    assert tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


def test_links_lead_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    pages = README + (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert set(re.findall(r"(?:^|`)make ([a-z]+)", pages, re.MULTILINE)) <= targets


def test_every_sub_command_is_named() -> None:
    from boruna_ls.cli.main import COMMANDS as sub_commands

    (table,) = re.findall(r"## Command line\n(.*?)\n## ", README, re.DOTALL)
    assert set(re.findall(r"(?:\| |, )`([a-z-]+)(?: [^`]*)?`(?=.*\|)", table)) >= set(sub_commands)


def test_every_tool_is_named() -> None:
    names = {
        re.search(r'name="(boruna_[a-z_]+)"', file.read_text("utf-8")) for file in (ROOT / "boruna_ls/mcp/tools").glob("*.py")
    }
    (table,) = re.findall(r"### Tools\n(.*?)\n## ", README, re.DOTALL)
    assert {found[1] for found in names if found} == set(re.findall(r"`(boruna_[a-z_]+)`", table))


def test_every_dependency_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    page = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    for requirement in [*project["dependencies"], *project["optional-dependencies"]["dev"]]:
        name = re.split(r"[\[<>=~! ]", requirement)[0]
        assert re.search(rf"^\|.*`{name}`.*\|", page, re.MULTILINE), name


def test_pages_name_modules_that_exist() -> None:
    folders = [ROOT / name for name in ("analysis", "boruna_ls", "tests", "benchmarks", "demo", "docs", "editors")]
    known = [str(path) for folder in folders for path in folder.rglob("*.*") if path.suffix in (".py", ".lua", ".md")]
    for page in [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
        named = set(re.findall(r"`([\w./-]+\.(?:py|lua|md))(?::\w+)?`", text))
        gone = [
            name for name in named if not any(path.endswith(f"/{name}") for path in known) and not re.search("[A-Z]{4}", name)
        ]
        assert gone == [], page.name


def test_the_page_about_security_names_tests_that_exist() -> None:
    page = (ROOT / "docs" / "security.md").read_text("utf-8")
    named = re.findall(r"`([a-z]+/[\w.]+\.(?:py|md))`", page.partition("## Tests")[2].partition("\n## ")[0])
    assert len(named) > 20
    assert [name for name in named if not (ROOT / "tests" / name).is_file()] == []
