"""Every `--json` says which state it describes; commands are found in the table, so that a new one cannot be forgotten."""

from __future__ import annotations

import importlib
import json
import os
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import click
import pytest

from boruna_ls.cli.main import COMMANDS
from tests.support.commands import run

PROGRAM = "fn main() -> Int {\n    1\n}\n"
LOG = '{"version":1,"events":[]}'
OF_A_FILE = ("ast", "caps", "check", "compile", "inspect", "repair", "run", "size", "symbols", "trace")
ASKED = {
    **{name: [name, "--json", "a.ax"] for name in OF_A_FILE},
    "app test": ["app", "test", "--json", "a.ax"],
    "app validate": ["app", "validate", "--json", "a.ax"],
    "replay": ["replay", "--json", "a.ax", "log.json"],
    "capabilities": ["capabilities", "--json"],
    "codes": ["codes", "--json"],
    "exec run": ["exec", "run", "--json", "a.ax"],
    "explain": ["explain", "--json", "E003"],
    "policy validate": ["policy", "validate", "--json", "policy.json"],
    "stats": ["stats", "--json"],
    "stdlib check": ["stdlib", "check", "--json", "std-json"],
}
STATES = {
    "app minimize", "app record", "daemon status", "doctor", "evidence inspect", "evidence verify", "exec list",
    "exec resume", "exec show", "literate extract", "mcp-servers list", "mcp-servers tools", "simulate", "template apply",
    "template list", "trust show", "workflow extract", "workflow find", "workflow graph", "workflow validate",
}  # fmt: skip
"""These tell of the installation, of servers, of bundles, executions and definitions, or of what they have written, not of
programs as they are.
"""
REVISION = re.compile(r"[0-9a-f]{8}-\d+")


def with_json() -> Iterator[str]:
    """The commands that have the option."""
    for name in COMMANDS:
        command = importlib.import_module(f"boruna_ls.cli.{name.replace('-', '_')}").command
        inner = command.commands.items() if isinstance(command, click.Group) else [("", command)]
        for more, one in inner:
            if any("--json" in option.opts for option in one.params):
                yield f"{name} {more}".strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("boruna.toml", ""), ("a.ax", PROGRAM), ("log.json", LOG), ("policy.json", '{"schema_version":1}')):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_no_command_is_left_out_here() -> None:
    assert {*with_json()} == {*ASKED} | STATES


@pytest.mark.parametrize("name", ASKED)
def test_each_tells_its_state(folder: Path, name: str) -> None:
    done = run(*ASKED[name], cwd=folder)
    fresh = json.loads(done.stdout)["freshness"]
    assert REVISION.fullmatch(fresh["revision"])
    if name in OF_A_FILE:
        assert fresh["sha256"] == sha256(PROGRAM.encode()).hexdigest()
    assert fresh["coverage"]["checked"] == fresh["coverage"]["total"]


def test_several_files_together(folder: Path) -> None:
    (folder / "b.ax").write_text(PROGRAM)
    done = run("check", "--json", "a.ax", "b.ax", "missing.ax", cwd=folder)
    answer = json.loads(done.stdout)
    assert answer["freshness"]["coverage"] == {"checked": 2, "total": 3}
    assert [one["freshness"]["coverage"]["checked"] for one in answer["files"]] == [1, 1, 0]
    assert answer["freshness"]["revision"] in {one["freshness"]["revision"] for one in answer["files"]}


def test_json_is_utf_8_whatever_files_are_called(folder: Path) -> None:
    with open(os.fsencode(folder) + b"/b\xffd.ax", "w") as file:
        file.write(PROGRAM)
    names = [one["file"] for one in json.loads(run("check", "--json", cwd=folder).stdout)["files"]]
    assert sorted(map(os.fsencode, names)) == [b"a.ax", b"b\xffd.ax", b"policy.json"]
