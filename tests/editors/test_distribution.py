"""Artefacts published beside the wheel: the plugin for Claude Code, the MCPB bundle, the registry's entry, the container file.

Their own tools check them whole (`make claude-plugin`, `make mcpb`); here: versions agree, examples are right.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import boruna_ls
from tests.support.commands import run

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "editors" / "claude-code"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
HOME = PROJECT["urls"]["Homepage"]


def document(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return content


def test_versions_and_addresses_agree() -> None:
    files = [PLUGIN / ".claude-plugin" / "plugin.json", ROOT / "editors" / "mcpb" / "manifest.json", ROOT / "server.json"]
    files.append(ROOT / "editors" / "vscode" / "package.json")
    for file in files:
        content = document(file)
        assert content["version"] == boruna_ls.__version__, file
        addresses = set(re.findall(r"https://github\.com/[\w-]+/[\w-]+", file.read_text("utf-8")))
        assert addresses == {HOME}, file


def test_the_plugin_starts_the_installed_commands() -> None:
    scripts = set(PROJECT["scripts"])
    servers = [*document(PLUGIN / ".mcp.json")["mcpServers"].values(), *document(PLUGIN / ".lsp.json").values()]
    assert [server["command"] for server in servers] == ["boruna-mcp", "boruna-lsp"]
    assert {server["command"] for server in servers} <= scripts
    (plugin,) = document(ROOT / ".claude-plugin" / "marketplace.json")["plugins"]
    assert (ROOT / plugin["source"]).samefile(PLUGIN)


def test_the_page_for_models_holds_programs_that_are_right(tmp_path: Path) -> None:
    page = (PLUGIN / "skills" / "boruna" / "SKILL.md").read_text("utf-8")
    programs = re.findall(r"^```ax\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert programs
    for program in programs:
        file = tmp_path / "a.ax"
        file.write_text(program)
        checked = run("check", str(file))
        assert checked.stdout.startswith("no diagnostics"), checked.stdout
        assert run("fmt", "--check", str(file)).returncode == 0
    tools = (ROOT / "docs" / "tools.md").read_text("utf-8")
    assert {name for name in re.findall(r"`(boruna_\w+|try_edits)`", page) if f"`{name}`" not in tools} == set()


def test_the_registry_entry() -> None:
    entry = document(ROOT / "server.json")
    (package,) = entry["packages"]
    assert (package["identifier"], package["version"]) == (PROJECT["name"], boruna_ls.__version__)
    assert [one["value"] for one in package["packageArguments"]] == ["mcp"]
    # The registry believes who owns the package by this line of its description.
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text("utf-8")
    assert len(entry["description"]) <= 100


def test_the_container_serves_as_nobody_special() -> None:
    text = (ROOT / "Containerfile").read_text("utf-8")
    assert re.findall(r"^USER (\S+)", text, re.MULTILINE) == ["10001"]
    assert "HEALTHCHECK" in text
    entry = json.loads(re.findall(r"^ENTRYPOINT (\[.*?\])", text.replace("\\\n", ""), re.MULTILINE)[0])
    assert entry[:3] == ["boruna-ls", "serve", "--http"]
    for source in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE):
        assert all((ROOT / name).exists() for name in source.split()), source
