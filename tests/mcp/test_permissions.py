"""Files and folders that may not be read: a diagnostic, a warning, never an answer that reads as a clean one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters

from tests.support.commands import AS_ANYBODY, command

PROGRAM = "fn main() -> Int {\n    1\n}\n"
pytestmark = pytest.mark.skipif(AS_ANYBODY is None, reason="the superuser may read every file")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A workspace of which a file, a folder and the settings may not be read."""
    root = tmp_path / "ws"
    (root / "closed").mkdir(parents=True)
    for name in ("boruna.toml", "open.ax", "secret.ax", "closed/c.ax"):
        (root / name).write_text(PROGRAM if name.endswith(".ax") else "")
    shut = (root / "secret.ax", root / "closed", root / "boruna.toml")
    for path in shut:
        path.chmod(0)
    yield root
    root.chmod(0o700)
    for path in shut:
        path.chmod(0o700)


def server(folder: Path) -> StdioServerParameters:
    line = [*(AS_ANYBODY or ()), command("boruna-mcp"), "--standalone"]
    return StdioServerParameters(command=line[0], args=line[1:], cwd=folder)


async def answer_of(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = json.loads((await client.call_tool(tool, arguments)).content[0].text)  # type: ignore[union-attr]
    return dict(answer)


async def test_what_may_not_be_read_is_told(folder: Path) -> None:
    async with Client(server(folder)) as client:
        answer = await answer_of(client, "workspace_diagnostics", severity="error")
        told = {Path(one["file"]).name: [found["message"] for found in one["diagnostics"]] for one in answer["files"]}
        assert told == {"secret.ax": ["file cannot be read: permission denied"]}
        assert answer["freshness"]["coverage"] == {"checked": 1, "total": 3}
        first, second = sorted(answer["warnings"])
        assert first == f"{folder / 'closed'} could not be listed, so nothing below it was checked: permission denied"
        assert second == "boruna.toml counts as empty: file cannot be read: permission denied"
        (found,) = (await answer_of(client, "boruna_check", path="secret.ax"))["diagnostics"]
        assert (found["id"], found["message"]) == ("E014", "file cannot be read: permission denied")
        assert (await answer_of(client, "boruna_run", path="secret.ax"))["error_kind"] == "unreadable"
        with pytest.raises(MCPError, match="file cannot be read"):
            await client.read_resource("boruna://file/secret.ax")
        # As soon as it may be read it is.
        for path, mode in ((folder / "secret.ax", 0o600), (folder / "closed", 0o700), (folder / "boruna.toml", 0o600)):
            path.chmod(mode)
        answer = await answer_of(client, "workspace_diagnostics", severity="error")
        assert (answer["files"], answer["freshness"]["coverage"]) == ([], {"checked": 3, "total": 3})
        assert "warnings" not in answer, answer["warnings"]


async def test_a_workspace_that_may_not_be_listed_is_not_clean(folder: Path) -> None:
    async with Client(server(folder)) as client:
        assert (await answer_of(client, "workspace_diagnostics"))["freshness"]["coverage"]["checked"] == 1
        folder.chmod(0)
        answer = await answer_of(client, "workspace_diagnostics")
        assert answer["freshness"]["coverage"] == {"checked": 0, "total": 1}
        assert any(f"{folder} could not be listed" in warning for warning in answer["warnings"])
