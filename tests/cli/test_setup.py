"""`boruna-ls setup`: what is printed is what `editors/` holds, what is written keeps what others have written."""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.cli.jsonc import merged, parsed
from boruna_ls.cli.setup import CLIENTS, original
from tests.support.commands import command

SCRIPTS = sysconfig.get_path("scripts")
JSON_CLIENTS = {
    "claude-code": "mcpServers",
    "cursor": "mcpServers",
    "vscode": "servers",
    "windsurf": "mcpServers",
    "zed": "context_servers",
}


class Home:
    """A person's home folder and a project in it, both empty at first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "project"
        self.project.mkdir()
        self.path = os.pathsep.join([SCRIPTS, os.environ["PATH"]])

    def setup(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        kept = {
            name: value for name, value in os.environ.items() if name not in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "CODEX_HOME")
        }
        environment = {**kept, "HOME": str(self.folder), "PATH": self.path}
        line = [command("boruna-ls"), "setup", *arguments]
        return subprocess.run(line, cwd=self.project, env=environment, capture_output=True, encoding="utf-8", timeout=60)

    def files(self) -> dict[str, str]:
        """The texts; the grammar (`tests/editors/test_grammar_setup.py`) is none."""
        paths = [path for path in sorted(self.folder.rglob("*")) if path.is_file() and path.suffix != ".so"]
        return {str(f.relative_to(self.folder)): f.read_text("utf-8") for f in paths if "tree-sitter-boruna" not in f.parts}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    # Some texts name files of the home folder.
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return Home(tmp_path)


@pytest.mark.parametrize("client", CLIENTS)
def test_printed_is_what_the_repository_holds(home: Home, client: str) -> None:
    done = home.setup(client)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(map(original, CLIENTS[client]))
    assert done.stderr.split("\n")[0].endswith(":")
    assert home.files() == {}


@pytest.mark.parametrize("client", CLIENTS)
def test_written_into_an_empty_home_and_then_again(home: Home, client: str) -> None:
    done = home.setup(client, "--write")
    assert done.returncode == 0, done.stderr
    files = home.files()
    wanted = set(map(original, CLIENTS[client]))
    plain = {json.dumps(json.loads(text), indent=2) + "\n" if text.startswith("{") else text for text in wanted}
    assert set(files.values()) == plain
    again = home.setup(client, "--write")
    assert again.returncode == 0
    assert again.stderr.count("nothing to change") == len(CLIENTS[client])
    assert home.files() == files


@pytest.mark.parametrize("client, key", JSON_CLIENTS.items())
def test_other_entries_of_json_stay(home: Home, client: str, key: str) -> None:
    home.setup(client, "--write")
    ((name, text),) = [(name, text) for name, text in home.files().items() if f'"{key}"' in text]
    ours = json.loads(text)[key]["boruna"]
    others: dict[str, Any] = {
        "über": [1.0, None],
        key: {"other": {"command": "x"}, "boruna": {"command": "old", "args": ["--libs-dir", "l"]}},
    }
    (home.folder / name).write_text(json.dumps(others, indent=4, ensure_ascii=False), "utf-8")
    done = home.setup(client, "--write")
    assert done.returncode == 0, done.stderr
    written = (home.folder / name).read_text("utf-8")
    assert written.startswith('{\n    "über"')
    assert json.loads(written) == {
        "über": [1.0, None],
        key: {"other": {"command": "x"}, "boruna": {**ours, "args": ["--libs-dir", "l"]}},
    }


@pytest.mark.parametrize(
    "text, reason",
    [
        ('{"mcpServers": {', "it ends too early at line 1"),
        ('{\n  "mcpServers": {} // mine\n  "x": 1\n}\n', "`,` or `}` is missing at line 3"),
        ('{"mcpServers": {}, "mcpServers": {}}', "a key occurs twice"),
        ('{"mcpServers": {}} x', "unexpected text after the end"),
        ("[" * 100_000, "it is nested too deep"),
        ("[]", "the document is not an object"),
        ('{"mcpServers": []}', "mcpServers is not an object"),
        ('{"mcpServers": {"boruna": 1}}', "mcpServers.boruna is not an object"),
    ],
)
def test_json_that_is_left_alone(home: Home, text: str, reason: str) -> None:
    (home.project / ".mcp.json").write_text(text)
    done = home.setup("claude-code", "--write")
    assert done.returncode == 1
    assert done.stderr.startswith("error: .mcp.json: ")
    assert reason in done.stderr
    assert '"command": "boruna-mcp"' in done.stderr
    assert home.files() == {"project/.mcp.json": text}


COMMENTED = """// Zed's own settings
{
  "theme": "One", // a comment with "quotes" and { braces }
  /* several
     lines */
  "context_servers": {
    "other": { "command": "x" }, // theirs
  },
  "vim_mode": false // no comma
}
"""


def test_comments_and_layout_stay(home: Home) -> None:
    file = home.folder / ".config" / "zed" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text(COMMENTED)
    assert home.setup("zed", "--write").returncode == 0
    written = file.read_text()
    assert parsed(written)["context_servers"].keys() == {"other", "boruna"}
    assert parsed(written)["context_servers"]["boruna"]["command"] == "boruna-mcp"
    left = [line for line in written.splitlines() if line in COMMENTED.splitlines()]
    assert left == COMMENTED.splitlines()
    again = home.setup("zed", "--write")
    assert ("nothing to change" in again.stderr, file.read_text()) == (True, written)
    file.write_text(written.replace('"boruna-mcp"', '"old"'))
    home.setup("zed", "--write")
    assert file.read_text() == written


def test_line_ends_and_byte_order_mark_stay(home: Home) -> None:
    (home.project / ".mcp.json").write_bytes(b"\xef\xbb\xbf{\r\n    // mine\r\n}\r\n")
    assert home.setup("claude-code", "--write").returncode == 0
    written = (home.project / ".mcp.json").read_bytes()
    assert written.startswith(b'\xef\xbb\xbf{\r\n    // mine\r\n    "mcpServers": {\r\n')
    assert written.count(b"\n") == written.count(b"\r\n")


@pytest.mark.parametrize(
    "old",
    [
        "{}",
        "{ }\n",
        "{\n}\n",
        "{\n  // nothing yet\n}\n",
        '{"a": 1}',
        '{"a": 1,}',
        '{ "a": 1 /* one */ }',
        '{\n\t"a": 1\n}',
        '{\n\t"a": 1,\n}',
        '{\n  "a": 1 // one\n}',
        '{\n  "a": 1, // one\n  // two\n}',
        '{\n  "a": 1\n  // two\n  , "b": 2 }',
        '{\n  "a": [1, /* 2 */ 3,], "mcpServers": {}\n}',
        '{"mcpServers": {"x": {"command": "y"}}}',
        '{\n  "mcpServers": {"x": {"command": "y"}}\n}',
        '{\n  "mcpServers": {\n    "x": {"command": "y"}}\n}',
        '{\r\n  "a": 1\r\n}\r\n',
        "// only\n{}\n// comments\n",
    ],
)
def test_every_layout_of_json_takes_new_members(old: str) -> None:
    added = {"mcpServers": {"boruna": {"command": "boruna-mcp", "args": []}}, "more": [1]}
    new = merged(old, added)
    before, after = parsed(old), parsed(new)
    assert after == {**before, "more": [1], "mcpServers": {**before.get("mcpServers", {}), **added["mcpServers"]}}  # type: ignore[dict-item]
    assert merged(new, added) == new
    # Nothing that was there is lost, and it stands in the same order.
    rest = iter(new)
    assert all(character in rest for character in old if not character.isspace())


def test_bytes_that_are_no_text(home: Home) -> None:
    (home.project / ".mcp.json").write_bytes(b"\xff{}")
    done = home.setup("claude-code", "--write")
    assert (done.returncode, "is not UTF-8" in done.stderr) == (1, True)
    assert (home.project / ".mcp.json").read_bytes() == b"\xff{}"


@pytest.mark.parametrize("client, name", [("codex", ".codex/config.toml"), ("helix", ".config/helix/languages.toml")])
def test_toml(home: Home, client: str, name: str) -> None:
    file = home.folder / name
    file.parent.mkdir(parents=True)
    mine = '# mine\n[[language]]\nname = "rust"\n\n[language-server.other]\ncommand = "x"\n'
    file.write_text(mine)
    assert home.setup(client, "--write").returncode == 0
    written = file.read_text()
    assert written == mine + "\n" + original(CLIENTS[client][0])
    assert tomllib.loads(written)["language"][0] == {"name": "rust"}
    assert home.setup(client, "--write").returncode == 0
    assert file.read_text() == written
    for text, reason in (("= 1", "is not TOML"), (written.replace('"boruna-', '"other-'), "other settings for boruna")):
        file.write_text(text)
        done = home.setup(client, "--write")
        assert done.returncode == 1
        assert reason in done.stderr
        assert file.read_text() == text


def test_emacs_takes_the_file_that_is_there(home: Home) -> None:
    (home.folder / ".emacs").write_text("(setq mine t)\n")
    assert home.setup("emacs", "--write").returncode == 0
    form, mode = map(original, CLIENTS["emacs"])
    assert home.files() == {".emacs": "(setq mine t)\n\n" + form, ".emacs.d/boruna/boruna-mode.el": mode}
    (home.folder / ".emacs").write_text("(define-derived-mode boruna-mode text-mode)\n")
    assert home.setup("emacs", "--write").returncode == 1


def test_a_file_of_ours_that_was_changed_is_left_alone(home: Home) -> None:
    home.setup("neovim", "--write")
    file = home.folder / ".config" / "nvim" / "plugin" / "boruna.lua"
    file.write_text("-- mine\n")
    done = home.setup("neovim", "--write")
    assert done.returncode == 1
    assert "contains other text" in done.stderr
    assert file.read_text() == "-- mine\n"


def test_a_link_stays_a_link_and_the_mode_stays(home: Home) -> None:
    shared = home.project / "shared.json"
    shared.write_text("{}")
    shared.chmod(0o600)
    (home.project / ".mcp.json").symlink_to(shared)
    assert home.setup("claude-code", "--write").returncode == 0
    assert (home.project / ".mcp.json").is_symlink()
    assert "boruna" in json.loads(shared.read_text())["mcpServers"]
    assert shared.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in home.folder.iterdir()] == ["project"]


def test_a_command_that_is_not_on_the_path_is_written_in_full(home: Home) -> None:
    home.path = os.defpath
    written = json.loads(home.setup("claude-code").stdout)
    assert written["mcpServers"]["boruna"]["command"] == command("boruna-mcp")


def test_an_unknown_client(home: Home) -> None:
    done = home.setup("ed")
    assert done.returncode == 2
    assert all(client in done.stderr for client in CLIENTS)
