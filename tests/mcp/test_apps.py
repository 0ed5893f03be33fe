"""Applications through a real client: an agent's path from a template to a test, and applications that break what they can."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from boruna_ls.data import templates_folder
from tests.support.agents import agent_server
from tests.support.apps import COUNTER
from tests.support.mcp_lines import LineServer, initialize, request


@asynccontextmanager
async def agent(*options: str, **more: Any) -> AsyncIterator[Client]:
    parameters = agent_server(*options, **more)
    async with Client(parameters) as client:
        yield client


async def answer_of(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    answer = json.loads(result.content[0].text)  # type: ignore[union-attr]
    assert result.structured_content == answer
    return dict(answer)


async def test_an_agents_path_from_the_language_to_a_test(tmp_path: Path) -> None:
    async with agent(cwd=tmp_path) as client:
        reference = (await client.read_resource("boruna://language-reference")).contents[0].text  # type: ignore[union-attr]
        assert "`match value { pattern => expression, … }`" in reference
        names = [row["name"] for row in (await answer_of(client, "boruna_template_list"))["templates"]]
        assert "realtime-feed" in names
        made = await answer_of(
            client, "boruna_template_apply", template_name="realtime-feed", args=["feed_name=news"], validate=True
        )
        assert made["validation"] == {"passed": True, "app": {"valid": True, "errors": []}}
        path = tmp_path / made["output_file"]
        path.write_text(made["source"], encoding="utf-8")

        # An edit with a slip: the agent hears of it, and gets a repair that it can take.
        path.write_text(
            made["source"].replace("total_polls: state.total_polls", "total_polls: state.total_pols"), encoding="utf-8"
        )
        broken = await answer_of(client, "boruna_check", path=path.name)
        assert broken["diagnostics"]
        assert "total_pols" in broken["diagnostics"][0]["message"]
        repaired = await answer_of(client, "boruna_repair", path=path.name)
        assert repaired["repaired_source"] == made["source"]
        path.write_text(repaired["repaired_source"], encoding="utf-8")
        assert (await answer_of(client, "boruna_check", path=path.name))["diagnostics"] == []

        messages: list[Any] = ["subscribe", "poll_tick", {"tag": "event_received", "payload": "rain"}]
        session = await answer_of(client, "boruna_framework_test", path=path.name, messages=messages)
        assert session["view"] == 'UINode { tag: "feed", text: "rain" }'
        assert [effect["kind"] for effect in session["cycles"][1]["effects"]] == ["http_request", "timer"]
        sent = {"path": path.name, "messages": ["subscribe", "poll_tick"], "responses": {"event_received": "sun"}}
        answered = await answer_of(client, "boruna_framework_test", **sent)
        assert answered["view"] == 'UINode { tag: "feed", text: "sun" }'

        recorded = await answer_of(client, "boruna_trace2tests", path=path.name, messages=messages, name="test_news")
        tested = repaired["repaired_source"] + "\n" + recorded["test"]
        trial = await answer_of(client, "try_edits", path=path.name, test=True, candidates=[{"text": tested}])
        assert trial["candidates"][0]["test"]["passed"] == 1
        assert trial["candidates"][0]["introduced"] == []
        assert "// boruna: allow W102" in recorded["test"]


async def test_a_failing_session_tells_where_and_becomes_short() -> None:
    async with agent() as client:
        failed = await answer_of(client, "boruna_framework_test", source=COUNTER, messages=["inc:1", "div:0", "inc:1"])
        assert (failed["success"], failed["error_kind"]) == (False, "framework_error")
        assert failed["message"] == "cycle 2 failed: runtime error: division by zero"
        assert failed["error"]["line"] == 8
        assert failed["error"]["call_stack"][0]["function"] == "update"
        assert "test it before dividing" in failed["error"]["hint"]
        assert [cycle.get("state") for cycle in failed["cycles"]] == [[1], None]
        short = await answer_of(client, "boruna_trace2tests", source=COUNTER, messages=["inc:1", "inc:2", "div:0", "inc:1"])
        assert (short["messages"], short["minimized"]["to"]) == (["div:0"], 1)


async def test_what_an_application_does_to_its_process_is_an_answer() -> None:
    grows = (
        "type Out { state: String, effects: List<Int> }\ntype Msg { tag: String, payload: Int }\n"
        'fn init() -> String { "0123456789" }\nfn view(state: String) -> Int { 0 }\n'
        "fn update(state: String, msg: Msg) -> Out { Out { state: state ++ state, effects: [] } }\n"
    )
    async with agent() as client:
        answer = await answer_of(client, "boruna_framework_test", source=grows, messages=["go"] * 60)
        assert answer["success"] is False
        assert answer["limit_kind"] == "memory" or answer["error_kind"] == "framework_error"
        # The next one has a sound process.
        assert (await answer_of(client, "boruna_framework_test", source=COUNTER, messages=["inc:1"]))["final_state"] == [1]
    async with agent("--deadline", "6") as client:
        loops = COUNTER.replace("{ msg.payload }", "{ spin(msg.payload) }")
        loops += "fn spin(n: Int) -> Int { let mut i = 0 while i < 900000 { i = i + 1 } n }\n"
        late = await answer_of(client, "boruna_framework_test", source=loops, messages=["inc:1"] * 2_000)
        assert (late["error_kind"], late["limit_kind"]) == ("limit_exceeded", "wall_ms")
        assert late["cycles"][0]["state"] == [1]


async def test_messages_that_are_none_are_refused() -> None:
    async with agent() as client:
        for messages, said in (
            ([5], "messages[0]"),
            ([{"tag": "a"}], "must have a `payload`"),
            ([{"tag": 5, "payload": 0}], "`tag` that is a string"),
            ([{"tag": "a", "payload": 0, "tog": 1}], "unknown key `tog`"),
            ("inc", "a list"),
        ):
            result = await client.call_tool("boruna_framework_test", {"source": COUNTER, "messages": messages})
            assert result.is_error
            assert said in result.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["../form-basic", "form-basic/../auth-app", "/etc", ""])
async def test_a_template_of_another_folder_is_refused(name: str) -> None:
    async with agent() as client:
        answer = await answer_of(client, "boruna_template_apply", template_name=name, args=[])
        assert answer["message"] == f"invalid template name '{name}'"


async def test_an_own_folder_of_templates(tmp_path: Path) -> None:
    mine = tmp_path / "mine" / "tiny"
    mine.mkdir(parents=True)
    manifest = json.loads((templates_folder() / "form-basic" / "template.json").read_text(encoding="utf-8"))
    (mine / "template.json").write_text(json.dumps(manifest | {"name": "tiny", "args": {}}), encoding="utf-8")
    (mine / "app.ax.template").write_text('fn main() -> String { "' + "x" * 1_000_000 + '" }\n', encoding="utf-8")
    async with agent("--templates-dir", "mine", cwd=tmp_path) as client:
        assert [row["name"] for row in (await answer_of(client, "boruna_template_list"))["templates"]] == ["tiny"]
        made = await answer_of(client, "boruna_template_apply", template_name="tiny", args=[], validate=True)
        assert made["validation"]["passed"] is True
        assert made["validation"]["app"]["valid"] is False
        assert len(made["source"]) > 100_000
        uris = {str(resource.uri) for resource in (await client.list_resources()).resources}
        assert "boruna://templates/tiny" in uris
        assert "boruna://templates/form-basic" not in uris


async def test_changes_of_templates_are_told(tmp_path: Path) -> None:
    def add(name: str, text: str) -> None:
        (tmp_path / "mine" / name).mkdir(parents=True, exist_ok=True)
        manifest = {"name": name, "version": "1", "description": "d", "dependencies": [], "capabilities": [], "args": {}}
        (tmp_path / "mine" / name / "template.json").write_text(json.dumps(manifest), encoding="utf-8")
        (tmp_path / "mine" / name / "app.ax.template").write_text(text, encoding="utf-8")

    add("tiny", "fn main() -> Int { 1 }\n")
    with LineServer("--templates-dir", "mine", cwd=str(tmp_path)) as server:
        told = server.ask(initialize(version="2025-11-25"))["result"]["capabilities"]
        assert told["resources"]["listChanged"] is True
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        server.ask(request(1, "resources/list"))
        server.ask(request(2, "resources/subscribe", {"uri": "boruna://templates/tiny"}))
        assert "error" in server.ask(request(3, "resources/subscribe", {"uri": "boruna://templates/..%2Ftiny"}))
        add("tiny", "fn main() -> Int { 22 }\n")
        add("small", "fn main() -> Int { 1 }\n")
        heard = [server.receive() for _ in range(2)]
        assert sorted(message["method"] for message in heard) == [
            "notifications/resources/list_changed",
            "notifications/resources/updated",
        ]
        assert {"uri": "boruna://templates/tiny"} in [message.get("params") for message in heard]
