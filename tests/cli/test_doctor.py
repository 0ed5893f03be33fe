"""`boruna-ls doctor`: quiet about a sound installation; of a damaged one it says what is wrong and how to mend it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

from boruna_ls import __version__
from boruna_ls.cli.checkup import Report
from boruna_ls.cli.doctor import satisfies
from boruna_ls.cli.doctor_daemon import daemon, installations
from boruna_ls.rendezvous import places
from tests.daemon.test_life_upgrade import AgentOf, installed
from tests.support.commands import command
from tests.support.daemon import stopped

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
    expected = "python packages libraries templates diagnostics configurations commands daemon isolation lsp mcp sandboxes"
    assert set(expected.split()) == set(levels)
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


def test_settings_that_are_a_link_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret_token = 1\n")
    (tmp_path / "clone").mkdir()
    (tmp_path / "clone" / "boruna.toml").symlink_to(tmp_path / "secret")
    done = doctor(tmp_path / "clone")
    assert "secret_token" not in done.stdout + done.stderr
    assert "it is a symbolic link" in done.stdout


def test_the_project(tmp_path: Path) -> None:
    (tmp_path / "boruna.toml").write_text("[check")
    (tmp_path / "libs" / "mine" / "src").mkdir(parents=True)
    (tmp_path / "libs" / "mine" / "src" / "core.ax").touch()
    done = doctor(tmp_path, "--json")
    assert done.returncode == 1
    found = [row for row in rows(done) if row["check"] == "project"]
    assert [row["level"] for row in found] == ["error", "ok"]
    assert found[0]["message"].startswith("boruna.toml:1: ")
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


def report_of(check: Callable[[], Iterator[Report]]) -> tuple[str, str, str]:
    """The one thing that a check finds: level, message, how to mend it."""
    (report,) = check()
    return report.level, report.message, report.mend


def test_no_daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "place" / "d"
    monkeypatch.setenv(places.VARIABLE, str(folder))
    assert report_of(daemon)[:2] == ("ok", f"not running; {folder} is created when it starts")
    assert not folder.exists()
    folder.mkdir(parents=True, mode=0o700)
    Path(places.socket_path(str(folder))).touch()
    level, message, _ = report_of(daemon)
    assert (level, "a killed daemon left daemon-1.sock" in message) == ("ok", True)
    folder.chmod(0o755)
    level, message, _ = report_of(daemon)
    assert (level, "chmod 700" in message) == ("error", True)
    (tmp_path / "file").touch()
    monkeypatch.setenv(places.VARIABLE, str(tmp_path / "file" / "d"))
    level, message, _ = report_of(daemon)
    assert level == "error", message


def test_a_daemon_of_this_version_and_of_another(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version, expected in ((__version__, "ok"), ("0.0.7", "warning")):
        folder = tmp_path_factory.mktemp("d")
        folder.chmod(0o700)
        monkeypatch.setenv(places.VARIABLE, str(folder))
        agent = AgentOf(ROOT if version == __version__ else installed(tmp_path, version), tmp_path)
        agent.open()
        level, message, mend = report_of(daemon)
        assert (level, f"version {version}, 1 client" in message) == (expected, True), message
        assert ("daemon restart" in mend) == (expected == "warning")
        agent.end()
        stopped(folder)


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no Unix sockets")
def test_a_daemon_that_does_not_answer(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path_factory.mktemp("d")
    folder.chmod(0o700)
    monkeypatch.setenv(places.VARIABLE, str(folder))
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(places.socket_path(str(folder)))
        silent.listen()
        level, message, _ = report_of(daemon)
    assert (level, "does not answer" in message) == ("error", True)


def test_several_installations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, version in (("one", "0.0.7"), ("two", "0.0.8")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "boruna-ls").write_text(f"#!/bin/sh\necho boruna-ls {version}\n")
        (tmp_path / name / "boruna-ls").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path / "one"), str(tmp_path / "two"), os.defpath]))
    level, message, mend = report_of(installations)
    assert (level, bool(mend)) == ("warning", True)
    assert f"0.0.7 in {tmp_path / 'one' / 'boruna-ls'}, 0.0.8 in {tmp_path / 'two' / 'boruna-ls'}" in message


@pytest.mark.parametrize("version", ["1.0", "2.0.0", "2.3", "2.3.1", "2.10", "3", "2025.0.0", "8.2.1"])
@pytest.mark.parametrize("clauses", ["", ">=2.3,<2.4", "==2025.0.*", ">=8.2,<9", "~=2.3", "!=2.3", "==2", "<=2.3,>1", "!=2.*"])
def test_versions_are_compared_as_pip_does(version: str, clauses: str) -> None:
    assert satisfies(version, clauses) == SpecifierSet(clauses).contains(version)
