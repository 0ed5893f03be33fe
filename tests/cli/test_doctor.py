"""`boruna-ls doctor`: quiet about a sound installation; of a damaged one it says what is wrong and how to mend it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

from boruna_ls import __version__
from boruna_ls.cli.doctor import satisfies
from tests.support.commands import command

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sysconfig.get_path("scripts")


def doctor(
    cwd: Path, *arguments: str, path: str = SCRIPTS, program: list[str] | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": os.pathsep.join([path, os.defpath]), **variables}
    line = program or [command("boruna-ls"), "doctor", *arguments]
    return subprocess.run(line, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=180)


def rows(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    checks: list[dict[str, Any]] = json.loads(done.stdout)["checks"]
    return checks


def test_a_sound_installation(tmp_path: Path) -> None:
    done = doctor(tmp_path, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    answer = json.loads(done.stdout)
    assert (answer["success"], answer["version"]) == (True, __version__)
    levels = {row["check"]: row["level"] for row in answer["checks"]}
    assert levels == dict.fromkeys(levels, "ok")
    assert {"python", "packages", "libraries", "templates", "diagnostics", "configurations", "commands", "lsp", "mcp"} == set(
        levels
    )
    assert [row["message"] for row in answer["checks"] if row["check"] in ("lsp", "mcp")] == [
        "the server finds E003 in a program with that mistake"
    ] * 2


def test_what_may_be_meant_that_way(tmp_path: Path) -> None:
    other = tmp_path / "bin"
    other.mkdir()
    (other / "boruna-lsp").write_text("#!/bin/sh\n")
    (other / "boruna-lsp").chmod(0o755)
    (tmp_path / "libs").mkdir()
    done = doctor(tmp_path, path=str(other))
    assert done.returncode == 0
    assert f"boruna-lsp on PATH is {other / 'boruna-lsp'}" in done.stdout
    assert "boruna-mcp is not on PATH" in done.stdout
    assert f"add {SCRIPTS} to PATH" in done.stdout
    assert "libs/NAME/src/core.ax" in done.stdout
    assert done.stdout.endswith("0 errors, 4 warnings\n")


def test_the_project(tmp_path: Path) -> None:
    (tmp_path / "boruna.toml").write_text("[check")
    (tmp_path / "libs" / "mine" / "src").mkdir(parents=True)
    (tmp_path / "libs" / "mine" / "src" / "core.ax").touch()
    done = doctor(tmp_path, "--json")
    assert done.returncode == 1
    found = [row for row in rows(done) if row["check"] == "project"]
    assert [row["level"] for row in found] == ["error", "ok"]
    assert "boruna.toml cannot be read" in found[0]["message"]
    assert found[1]["message"].endswith(": mine")


def test_a_damaged_installation(tmp_path: Path) -> None:
    """A copy of the code without its data, and a library that breaks on import."""
    for name in ("analysis", "boruna_ls"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text("raise ImportError('broken on purpose')\n")
    program = [sys.executable, "-c", "from boruna_ls.cli.main import main; raise SystemExit(main())", "doctor", "--json"]
    done = doctor(tmp_path, program=program, PYTHONPATH=str(tmp_path))
    assert done.returncode == 1, done.stderr
    wrong = {row["check"]: row for row in rows(done) if row["level"] == "error"}
    assert set(wrong) == {"libraries", "templates", "diagnostics", "configurations", "mcp"}
    assert "broken on purpose" in wrong["mcp"]["message"]
    assert all("install boruna-ls again" in row["mend"] for row in wrong.values())


@pytest.mark.parametrize("version", ["1.0", "2.0.0", "2.3", "2.3.1", "2.10", "3", "2025.0.0", "8.2.1"])
@pytest.mark.parametrize("clauses", ["", ">=2.3,<2.4", "==2025.0.*", ">=8.2,<9", "~=2.3", "!=2.3", "==2", "<=2.3,>1", "!=2.*"])
def test_versions_are_compared_as_pip_does(version: str, clauses: str) -> None:
    assert satisfies(version, clauses) == SpecifierSet(clauses).contains(version)
