"""The same preview in an editor's webview, in its browser, and as an MCP App."""

from __future__ import annotations

import json
import shutil
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.daemon import Agent, editor
from tests.support.lsp import RawClient
from tests.support.mcp_lines import call, initialize, request

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "todo.ax"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "boruna.toml").touch()
    return Path(shutil.copy(EXAMPLE, tmp_path / "todo.ax"))


@pytest.fixture
def client(path: Path) -> Iterator[RawClient]:
    with editor(path.parent) as client:
        client.initialize({"window": {"showDocument": {"support": True}}}, rootUri=path.parent.as_uri())
        client.open(path.as_uri(), path.read_text("utf-8"))
        yield client


def preview(client: RawClient, path: Path, *more: Any) -> int:
    return client.ask("workspace/executeCommand", {"command": "boruna.preview", "arguments": [path.as_uri(), *more]})


def updated(client: RawClient, condition: Any) -> dict[str, Any]:
    """The first update that is as it should be."""
    while True:
        message = client.receive()
        if message.get("method") == "boruna/preview/update" and condition(message["params"]["update"]):
            return dict(message["params"]["update"])


def test_a_webview_is_told_of_messages_and_edits(client: RawClient, path: Path) -> None:
    opened = client.answer(preview(client, path, {"webview": True}))["result"]
    assert opened["title"] == "todo.ax"
    assert 'data-transport="vscode"' in opened["html"]
    name = {"preview": opened["preview"]}
    client.ask("boruna/preview/act", name)
    first = updated(client, lambda update: update["length"] == 1)
    assert first["labels"] == ["init"]
    client.ask("boruna/preview/act", {**name, "action": {"do": "send", "tag": "save"}})
    saved = updated(client, lambda update: update["position"] == 1 and not update["busy"])
    assert saved["step"]["effects"][0]["kind"] == "http_request"
    client.change(path.as_uri(), 2, {"text": path.read_text("utf-8").replace('"To do"', '"Things"')})
    edited = updated(client, lambda update: "Things" in json.dumps(update["shown"]))
    assert edited["shown"]["outline"]["parts"][2]["text"] == '"saving"'
    assert client.refused("boruna/preview/act", {**name, "action": {"do": "nothing"}}) == -32602
    assert client.call("boruna/preview/close", name) == {}
    assert client.refused("boruna/preview/act", name) == -32602


def test_another_editor_is_asked_to_open_the_page(client: RawClient, path: Path) -> None:
    asked = preview(client, path)
    while (message := client.receive()).get("method") != "window/showDocument":
        continue
    assert message["params"]["external"] is True
    client.frame(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"success": True}}).encode())
    answer = client.answer(asked)["result"]
    assert answer == {"success": True, "url": message["params"]["uri"]}
    with urllib.request.urlopen(answer["url"], timeout=20) as page:
        assert b"page.js" in page.read()


def test_only_an_application_has_the_lens(client: RawClient, path: Path) -> None:
    lenses = client.call("textDocument/codeLens", {"textDocument": {"uri": path.as_uri()}})
    assert [lens["command"]["title"] for lens in lenses] == ["Preview"]
    client.open((path.parent / "other.ax").as_uri(), "fn view(state: Int) -> Int { state }\n")
    assert not client.call("textDocument/codeLens", {"textDocument": {"uri": (path.parent / "other.ax").as_uri()}})


def test_an_mcp_app(path: Path) -> None:
    def answer_of(agent: Agent, **arguments: Any) -> dict[str, Any]:
        result = agent.ask(call("call", "boruna_preview", **arguments))["result"]
        return dict(result["structuredContent"])

    agent = Agent(path.parent, "--toolsets", "app")
    try:
        agent.ask(initialize(version="2025-11-25"))
        agent.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        tools = agent.ask(request("tools", "tools/list"))["result"]["tools"]
        (meta,) = [tool["_meta"] for tool in tools if tool["name"] == "boruna_preview"]
        assert meta == {"ui": {"resourceUri": "ui://boruna/preview"}}
        (page,) = agent.ask(request("page", "resources/read", {"uri": "ui://boruna/preview"}))["result"]["contents"]
        assert page["mimeType"] == "text/html;profile=mcp-app"
        assert 'data-transport="mcp"' in page["text"]

        begun = answer_of(agent, path="todo.ax", messages=["draft:Buy milk", "add"])
        assert begun["update"]["labels"] == ["init", 'draft: "Buy milk"', "add"]
        assert "Buy milk" in json.dumps(begun["update"]["shown"]["view"])
        path.write_text(path.read_text("utf-8").replace('"To do"', '"Things"'), "utf-8")
        version = begun["update"]["version"]
        waited = answer_of(agent, preview=begun["preview"], action={"do": "wait", "since": version})
        assert waited["update"] == {"version": version + 1}
        assert answer_of(agent, preview=begun["preview"], action={"do": "wait", "since": version}) == waited
        looked = answer_of(agent, preview=begun["preview"], action={"do": "look"})
        assert "Things" in json.dumps(looked["update"]["shown"])
        assert (looked["update"]["labels_from"], looked["update"]["position"]) == (3, 2)
        # A call that waits ends with the next edit, whoever makes it.
        agent.send(call("waits", "boruna_preview", preview=begun["preview"], action={"do": "wait", "since": version + 1}))
        path.write_text(path.read_text("utf-8").replace('"Things"', '"Chores"'), "utf-8")
        assert agent.receive()["result"]["structuredContent"]["update"]["version"] == version + 2
        back = answer_of(agent, preview=begun["preview"], action={"do": "go", "to": 0})
        assert "Buy milk" not in json.dumps(back["update"]["shown"])

        for wrong in ({"preview": "none"}, {"path": "/etc/passwd"}, {"path": "todo.ax", "action": {"do": "x"}}, {}):
            assert agent.ask(call("wrong", "boruna_preview", **wrong))["result"]["isError"] is True, wrong
        agent.leave()
    finally:
        agent.__exit__()
