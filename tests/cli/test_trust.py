"""`boruna-ls trust` at a terminal and elsewhere, and live runs that the owner starts."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
from pathlib import Path

import pytest

from tests.support.commands import command, run

READ = 'fn main() -> Result<String, String> { fs_read("a.txt") }'


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path.resolve() / "shop"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "a.txt").write_text("inside")
    (folder / "boruna.toml").write_text("")
    (folder / "read.ax").write_text(READ)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return folder


def trust_file(shop: Path) -> Path:
    return shop.parent / "config" / "boruna" / "trust.toml"


def at_terminal(*arguments: str, cwd: Path) -> tuple[int, str]:
    """Exit status and standard error of a command whose standard input is a terminal."""
    outer, inner = pty.openpty()
    try:
        done = subprocess.run(
            [command("boruna-ls"), *arguments],
            stdin=inner,
            capture_output=True,
            encoding="utf-8",
            cwd=cwd,
            timeout=60,
            check=False,
        )
    finally:
        os.close(outer)
        os.close(inner)
    return done.returncode, done.stderr


def test_only_a_terminal_or_a_clear_word_gives_trust(shop: Path) -> None:
    refused = run("trust", "allow", "net", "api.example.org", cwd=shop, stdin="")
    assert (refused.returncode, "--yes" in refused.stderr) == (2, True)
    assert not trust_file(shop).exists()
    assert at_terminal("trust", "allow", "net", "api.example.org", cwd=shop)[0] == 0
    assert run("trust", "allow", "read", "data", "--yes", cwd=shop / "data" / "..").returncode == 0
    shown = json.loads(run("trust", "show", "--json", cwd=shop).stdout)
    assert shown["file"] == str(trust_file(shop))
    ceiling = shown["workspace"][str(shop)]
    assert (ceiling["net_hosts"], ceiling["fs_read"], ceiling["fs_write"]) == (["api.example.org"], [str(shop / "data")], [])
    assert stat.S_IMODE(trust_file(shop).stat().st_mode) == 0o600
    assert stat.S_IMODE(trust_file(shop).parent.stat().st_mode) == 0o700
    assert run("trust", "revoke", "net", cwd=shop, stdin="").returncode == 2
    assert run("trust", "revoke", "net", "--yes", cwd=shop).returncode == 0
    assert "api.example.org" not in run("trust", "show", cwd=shop).stdout
    assert run("trust", "revoke", "--yes", cwd=shop).returncode == 0
    assert run("trust", "show", cwd=shop).stdout.startswith("nothing is allowed")


def test_names_and_texts_come_back_as_they_were(shop: Path) -> None:
    odd = shop / 'da"t\\a é'
    odd.mkdir()
    assert run("trust", "allow", "read", str(odd), "--yes", cwd=shop).returncode == 0
    assert run("trust", "allow", "sandbox-network", "--yes", cwd=shop).returncode == 0
    ceiling = json.loads(run("trust", "show", "--json", cwd=shop).stdout)["workspace"][str(shop)]
    assert (ceiling["fs_read"], ceiling["sandbox_network"]) == ([str(odd)], True)


@pytest.mark.parametrize(
    "kind, value, words",
    [
        ("read", "/", "the whole disk"),
        ("read", os.path.expanduser("~"), "home directory"),
        ("write", "../config/boruna", "its own settings"),
        ("read", "x/.ssh", "hold keys"),
        ("net", "http://a.example/", "not a host name"),
        ("net", "", "not a host name"),
        ("read", "data/\x1b[2J", "cannot be shown"),
    ],
)
def test_what_nobody_may_allow(shop: Path, kind: str, value: str, words: str) -> None:
    refused = run("trust", "allow", kind, value, "--yes", cwd=shop)
    assert (refused.returncode, words in refused.stderr) == (1, True), refused.stderr
    assert not trust_file(shop).exists()


def test_a_broken_file_is_told_and_left_alone(shop: Path) -> None:
    trust_file(shop).parent.mkdir(parents=True, mode=0o700)
    trust_file(shop).write_text("[workspace\n")
    trust_file(shop).chmod(0o600)
    assert "is not TOML" in run("trust", "show", cwd=shop).stderr
    assert run("trust", "allow", "net", "a.example", "--yes", cwd=shop).returncode == 1
    assert trust_file(shop).read_text() == "[workspace\n"


def test_a_live_run_needs_a_terminal_or_a_clear_word(shop: Path) -> None:
    """The owner's policy is the bound: no ceiling is needed, and content of the workspace changes nothing."""
    (shop / "policy.json").write_text(json.dumps({"default_allow": True, "fs_policy": {"allowed_roots": ["data"]}}))
    line = ("run", "read.ax", "--live", "--policy", "policy.json")
    refused = run(*line, cwd=shop, stdin="")
    assert (refused.returncode, refused.stdout, "--yes" in refused.stderr) == (2, "", True)
    assert run(*line, "--yes", cwd=shop).stdout.startswith('Ok("inside")')
    assert at_terminal(*line, cwd=shop)[0] == 0


def test_the_owners_permission_is_enough_for_a_live_run(shop: Path) -> None:
    """A plain folder is a workspace as `trust` and `mcp-servers` say; a clone in it is one of its own."""
    (shop / "boruna.toml").unlink()
    (shop / "again.ax").write_text(READ.replace("a.txt", "data/a.txt"))
    (shop / "none.ax").write_text('fn main() -> Result<String, String> { fs_read("data/none.txt") }')
    (shop / "clone").mkdir()
    (shop / "clone" / "boruna.toml").write_text("")
    (shop / "clone" / "read.ax").write_text(READ)
    assert run("trust", "allow", "read", "data", "--yes", cwd=shop).returncode == 0
    allowed = run("run", "again.ax", "--live", "--yes", cwd=shop)
    assert (allowed.returncode, allowed.stdout.startswith('Ok("inside")')) == (0, True), allowed
    elsewhere = run("run", "clone/read.ax", "--live", "--yes", cwd=shop)
    assert elsewhere.returncode == 1
    assert f"--workspace {shop}/clone" in elsewhere.stderr
    missing = run("run", "none.ax", "--live", "--yes", cwd=shop)
    assert (missing.returncode, missing.stdout.startswith("Err(")) == (1, True)
    (shop / "policy.json").write_text(json.dumps({"default_allow": True, "fs_policy": {"allowed_roots": ["clone"]}}))
    narrower = run("run", "again.ax", "--live", "--yes", "--policy", "policy.json", cwd=shop)
    assert narrower.returncode == 1
    assert "inside" not in narrower.stdout
