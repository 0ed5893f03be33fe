"""State of the servers' tools: as their documents say now, without a look at each for every request."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from analysis.inputs import ToolSchema
from boruna_ls.workspace.tool_servers import ToolState, document_path, read, write

WORKSPACE = "/srv/shop"
CONFIGURATION = json.dumps({"mcpServers": {"files": {}, "mail": {}, "notes": {}}})


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))


def _tool(name: str) -> ToolSchema:
    return ToolSchema(name, "", "{}")


def _settled(state: ToolState) -> ToolState:
    """The state once the clock has left the moment of the last change."""
    ends = time.monotonic() + 10
    while (state := state.refreshed(WORKSPACE, CONFIGURATION)).folder is None and time.monotonic() < ends:
        time.sleep(0.05)
    return state


def test_documents_are_looked_at_again_only_when_one_was_replaced() -> None:
    write(WORKSPACE, "files", [_tool("read")])
    state = _settled(ToolState())
    assert [tool.name for tool in state.documents["files"].tools.tools] == ["read"]
    assert state.refreshed(WORKSPACE, CONFIGURATION) is state
    write(WORKSPACE, "files", [_tool("list")])
    write(WORKSPACE, "mail", [_tool("send")])
    changed = state.refreshed(WORKSPACE, CONFIGURATION)
    assert {name: document.tools.tools for name, document in changed.documents.items()} == {
        "files": (_tool("list"),),
        "mail": (_tool("send"),),
    }


def test_changes_within_a_moment_are_all_seen() -> None:
    """A folder that was changed just now may change again without another time of change."""
    state = ToolState()
    for number in range(20):
        write(WORKSPACE, "files", [_tool(f"tool_{number}")])
        state = state.refreshed(WORKSPACE, CONFIGURATION)
        assert state.documents["files"].tools.tools == (_tool(f"tool_{number}"),)


def test_documents_that_go_are_gone() -> None:
    write(WORKSPACE, "files", [_tool("read")])
    state = _settled(ToolState())
    os.unlink(document_path(WORKSPACE, "files"))
    assert not state.refreshed(WORKSPACE, CONFIGURATION).documents


def test_other_servers_are_other_names() -> None:
    write(WORKSPACE, "files", [_tool("read")])
    state = _settled(ToolState())
    fewer = state.refreshed(WORKSPACE, json.dumps({"mcpServers": {"mail": {}}}))
    assert fewer.names == ("mail",)
    assert not fewer.documents
    assert fewer.refreshed(WORKSPACE, CONFIGURATION) == state


def test_an_old_document_grows_older() -> None:
    """Nothing changes on the disk when a document becomes one whose tools may have changed since."""
    write(WORKSPACE, "files", [_tool("read")], failed=True, seen_at=time.time() - 59 * 60 - 59.5)
    state = _settled(ToolState())
    ends = time.monotonic() + 10
    while (age := state.documents["files"].tools.age) != "1 hour" and time.monotonic() < ends:
        state = state.refreshed(WORKSPACE, CONFIGURATION)
        time.sleep(0.05)
    assert age == "1 hour"


def test_a_document_is_read_whoever_laid_it_out() -> None:
    """Tools are read one after the other as we write them, and all at once in any other layout."""
    tools = [_tool("read"), ToolSchema("odd", '\n  "tools": [{}]', '{"a":["\\n  \\"tools\\": ["]}')]
    write(WORKSPACE, "files", tools)
    path = Path(document_path(WORKSPACE, "files"))
    laid_out = path.read_text()
    document = json.loads(laid_out)
    pauses: list[None] = []
    found = read(str(path), lambda: pauses.append(None))
    assert found is not None
    assert found.tools.tools == tuple(tools)
    assert len(pauses) >= len(tools)
    for text in (
        json.dumps(document),
        json.dumps({"tools": document["tools"], **document}, indent=2),
        json.dumps({"tools": document["tools"], **document}, indent=1),
        json.dumps({**document, "more": {"tools": []}}, indent=2),
    ):
        path.write_text(text)
        other = read(str(path))
        assert other is not None
        assert other.tools.tools == found.tools.tools
    for text in (laid_out[:-3], laid_out[:-40], laid_out + "x"):
        path.write_text(text)
        assert read(str(path)) is None
    write(WORKSPACE, "files", [])
    empty = read(str(path))
    assert empty is not None
    assert not empty.tools.tools
