"""Libraries that import each other, or themselves: none conflicts with itself, and all channels say the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.rendezvous import places
from tests.support.commands import run
from tests.support.daemon import stopped
from tests.support.live import Agent, Editor

LIBRARIES = {
    "ping": "import pong\nfn ping(n: Int) -> Int {\n    pong(n) + missing\n}\n",
    "pong": "import ping\nimport pong\nfn pong(n: Int) -> Int {\n    ping(n)\n}\n",
}
EXPECTED = {"ping": ["E003 undefined variable: missing"], "pong": ["W404 'pong' imports itself"]}


@pytest.fixture(autouse=True)
def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(places.VARIABLE, str(tmp_path / "d"))
    yield
    stopped(tmp_path / "d")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    root = tmp_path / "ws"
    found = {name: root / "libs" / name / "src" / "core.ax" for name in LIBRARIES}
    for name, file in found.items():
        file.parent.mkdir(parents=True)
        file.write_text(LIBRARIES[name], encoding="utf-8")
    (root / "boruna.toml").write_text("", encoding="utf-8")
    return found


def _shown(diagnostics: list[dict[str, Any]]) -> list[str]:
    """Code and first line of the message of each: an editor's message ends with the help."""
    return sorted(f"{entry.get('id') or entry['code']} {entry['message'].splitlines()[0]}" for entry in diagnostics)


def _in_terminal(file: Path) -> list[str]:
    checked = json.loads(run("check", "--json", str(file)).stdout)
    return _shown(checked["diagnostics"])


def test_all_channels_agree_whoever_has_a_library_open(files: dict[str, Path]) -> None:
    root = files["ping"].parents[3]
    assert {name: _in_terminal(file) for name, file in files.items()} == EXPECTED
    with Editor(root, pulls=True) as first, Editor(root, pulls=True) as second:
        for editor in (first, second):
            for name, file in files.items():
                editor.show(file, LIBRARIES[name])
                assert _shown(editor.pull(file)) == EXPECTED[name]
        with Agent(root) as agent:
            for name, file in files.items():
                assert _shown(first.pull(file)) == EXPECTED[name]
                answer = agent.tool("boruna_check", path=str(file))
                assert (_shown(answer["diagnostics"]), answer["freshness"]["source"]) == (EXPECTED[name], "editor")
                assert _in_terminal(file) == EXPECTED[name]
