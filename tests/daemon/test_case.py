"""A real disk that ignores case under a daemon: an editor, an agent and a terminal that spell one file differently."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from boruna_ls.rendezvous import places
from tests.support.commands import run
from tests.support.daemon import stopped, until
from tests.support.folding import MOUNTS, REASON, can_mount
from tests.support.live import Agent, Editor

GOOD = "fn main() -> Int {\n    1\n}\n"
BAD = "fn main() -> Int {\n    one\n}\n"
KINDS = [pytest.param(kind, marks=pytest.mark.skipif(not can_mount(kind), reason=REASON)) for kind in MOUNTS]


@pytest.fixture(params=KINDS)
def disk(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A mounted disk, and a daemon that ends before it is unmounted."""
    monkeypatch.setenv(places.VARIABLE, str(tmp_path / "d"))
    folder = tmp_path / "disk"
    folder.mkdir()
    with MOUNTS[request.param](folder):
        (folder / "Project").mkdir()
        (folder / "Project" / "boruna.toml").touch()
        (folder / "Project" / "Main.ax").write_text(GOOD)
        yield folder
        stopped(tmp_path / "d")


def test_all_see_what_the_editor_has_under_another_spelling(disk: Path) -> None:
    opened = disk / "PROJECT" / "mAIN.ax"
    with Editor(disk / "PROJECT") as editor, Agent(disk / "project") as agent:
        editor.show(opened, GOOD)
        for path in ("main.ax", "Main.ax", str(disk / "Project" / "MAIN.ax")):
            assert agent.tool("boruna_check", path=path)["freshness"]["source"] == "editor", path
        editor.replace(opened, BAD)
        # Diagnostics come back under the editor's own spelling.
        until(lambda: editor.is_alive() and len(editor.shown.get(opened, [])) == 1)
        answer = agent.tool("boruna_check", path="main.ax")
        assert ([one["id"] for one in answer["diagnostics"]], answer["freshness"]["unsaved"]) == (["E003"], True), answer
        everything = agent.tool("workspace_diagnostics")
        assert everything["freshness"]["coverage"] == {"checked": 1, "total": 1}
        (link,) = editor.call("textDocument/definition", _at(opened, 0, 3))
        assert link.get("uri", link.get("targetUri")) == opened.as_uri()
        done = run("check", "--json", "Main.ax", cwd=disk / "Project")
        assert [one["id"] for one in json.loads(done.stdout)["diagnostics"]] == ["E003"], done
        # Somebody writes, and the editor goes away without saving.
        (disk / "Project" / ("Main.ax" if "Main.ax" in os.listdir(disk / "Project") else "main.ax")).write_text("// written\n")
        editor.shut(opened)
        editor.settle()
        text = agent.resource("file", disk / "Project" / "main.ax")
        assert text == "// written\n"


def _at(path: Path, line: int, character: int) -> dict[str, object]:
    return {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}
