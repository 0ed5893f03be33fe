"""Every example in README and docs works: commands are carried out, programs checked, documents of other languages read."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tomllib
from doctest import DocTestParser
from pathlib import Path

import pytest

from tests.support.checked import Checker
from tests.support.commands import command
from tests.support.markdown import sections

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    (page, block.language, block.text)
    for page in PAGES
    for section in sections(page.read_text("utf-8"))
    for block in section.blocks
]
COMMANDS = [
    (page.name, line.split("  #")[0].split(" #")[0].strip())
    for page, language, text in BLOCKS
    if language == "sh"
    for line in text.splitlines()
    if line.startswith("boruna-ls ")
]
FAULTY = "fn main() -> Int {\n    let total = 4\n    totl\n}\n"
USAGE = 2


def named(language: str) -> list[tuple[str, str]]:
    return [(page.name, text) for page, found, text in BLOCKS if found == language]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that has the files which the commands name."""
    made = tmp_path_factory.mktemp("examples")
    (made / "boruna.toml").touch()
    (made / "src").mkdir()
    (made / "src" / "app.ax").write_text(FAULTY)
    shutil.copytree(ROOT / "docs" / "examples", made / "docs" / "examples")
    (made / "data").mkdir()
    return made


def test_there_are_examples() -> None:
    assert len(COMMANDS) > 10
    assert len(BLOCKS) > 30


@pytest.mark.parametrize(("page", "line"), COMMANDS, ids=[f"{page}: {line}" for page, line in COMMANDS])
def test_commands_are_carried_out(page: str, line: str, folder: Path) -> None:
    words = [command("boruna-ls"), *shlex.split(line)[1:]]
    if words[1] == "preview":
        environment = {**os.environ, "BROWSER": "true"}
        process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, env=environment)
        assert process.stdout is not None
        assert b"http://127.0.0.1:" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert process.returncode == 0
        return
    if words[1] == "trust" and words[2] != "show":
        # There is no terminal here; the settings are those of the tests.
        words.append("--yes")
    done = subprocess.run(words, cwd=folder, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL, timeout=60)
    assert done.returncode != USAGE, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("page", "text"), named("ax"))
def test_programs_have_no_error(page: str, text: str) -> None:
    assert [found for found in Checker().check(text) if found.severity == "error"] == []


def test_example_programs_are_clean_and_formatted() -> None:
    examples = ROOT / "docs" / "examples"
    # What an example has checked by a tool of its own may be faulty.
    programs = [str(path) for path in sorted(examples.rglob("*.ax")) if path.parent.name != "programs"]
    assert len(programs) > 5
    assert subprocess.run([command("boruna-ls"), "check", *programs], capture_output=True).returncode == 0
    formatted = [str(path) for path in sorted(examples.glob("*.ax"))]
    assert subprocess.run([command("boruna-ls"), "fmt", "--check", *formatted], capture_output=True).returncode == 0


@pytest.mark.parametrize(("page", "text"), named("json"))
def test_documents_are_json(page: str, text: str) -> None:
    # Several documents may stand below each other; `…` stands for what is left out.
    decoder, rest = json.JSONDecoder(), re.sub(r",?\s*…", "", text).strip()
    while rest:
        _, end = decoder.raw_decode(rest)
        rest = rest[end:].strip()


@pytest.mark.parametrize(("page", "text"), named("toml"))
def test_settings_are_toml(page: str, text: str) -> None:
    assert tomllib.loads(text)


@pytest.mark.parametrize(("page", "text"), named("python"))
def test_python_can_be_read(page: str, text: str) -> None:
    # What is written as at a prompt is carried out by a test of its own.
    assert DocTestParser().get_examples(text) if text.startswith(">>> ") else ast.parse(text)
