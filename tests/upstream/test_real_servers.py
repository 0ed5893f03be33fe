"""Real servers: the npm file system server and the protocol's "everything", our own over stdio and HTTP, the example of the docs.

`make test-mcp-servers` installs the npm servers; without them their tests are skipped.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import command
from tests.support.http_server import http_server
from tests.support.tool_programs import ToolWorkspace, main

ROOT = Path(__file__).parents[2]
SERVERS = ROOT / ".mcp-servers" / "node_modules" / "@modelcontextprotocol"
EXAMPLE = ROOT / "docs" / "examples" / "mcp"
needs_npm = pytest.mark.skipif(
    not SERVERS.is_dir() or shutil.which("node") is None, reason="the npm servers are not installed: make test-mcp-servers"
)


def npm(name: str, *arguments: str) -> dict[str, Any]:
    return {"command": "node", "args": [str(SERVERS / name / "dist" / "index.js"), *arguments]}


OWN = {"command": command("boruna-mcp"), "args": ["--standalone"]}


def test_our_own_server_over_standard_streams(tmp_path: Path) -> None:
    servers = ToolWorkspace(tmp_path, {"boruna": OWN})
    found = servers.result(main('boruna::boruna_check("fn main() -> Int { lost }").all_text()', "boruna"))
    assert json.loads(found)["diagnostics"][0]["id"] == "E003"
    assert servers.codes(main('boruna::boruna_chek("x", 1).all_text()', "boruna")) == ["E016"]


def test_our_own_server_over_http(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with http_server(cwd=tmp_path) as server:
        monkeypatch.setenv("OWN_TOKEN", server.token)
        asked = {"url": server.url, "headers": {"Authorization": "Bearer ${OWN_TOKEN}"}}
        servers = ToolWorkspace(tmp_path, {"boruna": asked})
        text = main('boruna::boruna_check("fn main() -> Int { lost }").all_text()', "boruna")
        assert json.loads(servers.result(text))["diagnostics"][0]["id"] == "E003"
        monkeypatch.setenv("OWN_TOKEN", "wrong")
        servers.configure({"boruna": asked | {"timeout": 5}})
        other = ToolWorkspace(tmp_path, {"other": asked | {"url": f"{server.base}/nothing"}})
        assert "MCP server" in other.result(main("other::anything(1).all_text()", "other"))


@needs_npm
def test_the_file_system_server(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.txt").write_text("hush")
    servers = ToolWorkspace(tmp_path, {"files": npm("server-filesystem", str(inside))})
    text = main(
        f'let put = files::write_file("{inside}/a.txt", "hello") files::read_text_file("{inside}/a.txt").all_text()', "files"
    )
    assert servers.result(text) == "hello"
    refused = servers.result(main(f'files::read_text_file("{tmp_path}/secret.txt").all_text()', "files"))
    assert "Access denied" in refused


@needs_npm
def test_the_everything_server(tmp_path: Path) -> None:
    servers = ToolWorkspace(tmp_path, {"everything": npm("server-everything")})
    assert servers.result(main('everything::echo("hello").all_text()', "everything")) == "Echo: hello"
    names = servers.result(
        main('let mut all = "" for tool in mcp::list_tools("everything") { all = all ++ tool.name ++ " " } all', "everything")
    )
    assert "echo" in names.split()
    image = servers.result(
        main(
            'match everything::get_tiny_image().structured() { Some(text) => __builtin_string_slice(text, 0, 30), None => "" }',
            "everything",
        )
    )
    assert image.startswith('{"content":[{"type":"image"')


@needs_npm
def test_the_example(tmp_path: Path) -> None:
    folder = tmp_path / "mcp"
    shutil.copytree(EXAMPLE, folder)
    servers = ToolWorkspace(folder, {"files": npm("server-filesystem", "programs"), "boruna": OWN})
    text = (folder / "review.ax").read_text()
    assert sorted(servers.result(text).splitlines()) == ["bad.ax has errors", "good.ax is fine"]
    assert (folder / "programs" / "report.txt").read_text().count("\n") == 2
    assert servers.codes(text) == []
