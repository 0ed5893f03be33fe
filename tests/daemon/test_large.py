"""A workspace of ten thousand files: checked in idle time, asked about in pages, watched, a thousand changed at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.daemon import status, until
from tests.support.live import Agent, Editor

FILES = 10_000
GOOD = "fn main() -> Int {\n    1\n}\n"
BAD = "fn main() -> Int {\n    one\n}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The workspace; a hundred of its files have a mistake."""
    root = tmp_path / "ws"
    root.mkdir()
    (root / "boruna.toml").touch()
    for number in range(FILES):
        folder = root / f"part_{number // 100:03}"
        folder.mkdir(exist_ok=True)
        (folder / f"p{number % 100:02}.ax").write_text(BAD if number % 100 == 7 else GOOD)
    return root


def pages(agent: Agent) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Everything that is wrong with the workspace, and the first page."""
    first = answer = agent.tool("workspace_diagnostics")
    found = list(answer["files"])
    while "next_cursor" in answer:
        answer = agent.tool("workspace_diagnostics", cursor=answer["next_cursor"])
        assert answer["freshness"] == first["freshness"]
        found += answer["files"]
    return found, first


def coverage(editor: Editor) -> list[dict[str, int]]:
    """Coverage of the workspaces by checks in idle time."""
    return [known["coverage"] for known in editor.call("boruna/status", None)["workspaces"]]


def test_ten_thousand_files(root: Path, place: Path) -> None:
    everything = {"checked": FILES, "total": FILES}
    opened = root / "part_000" / "p00.ax"
    with Editor(root) as editor, Agent(root) as agent:
        editor.show(opened, GOOD)
        until(lambda: everything in coverage(editor), 300)
        found, first = pages(agent)
        assert first["freshness"]["coverage"] == everything
        assert {one["file"] for one in found} == {str(root / f"part_{number:03}" / "p07.ax") for number in range(100)}
        until(lambda: [one["watching"] for one in status(place)["workspaces"] if one["root"] == str(root)] == ["events"], 300)
        # A branch switch of a thousand files, with one that comes, one that goes, and one that is typed in meanwhile.
        for number in range(1000):
            (root / f"part_{number // 100:03}" / f"p{number % 100:02}.ax").write_text(BAD)
        (root / "part_099" / "p07.ax").unlink()
        (root / "new.ax").write_text(BAD)
        editor.replace(opened, GOOD + "\n")
        editor.settle()
        found, first = pages(agent)
        assert first["freshness"]["coverage"] == everything
        assert len({one["file"] for one in found}) == 999 + 89 + 1
        assert str(opened) not in {one["file"] for one in found}
