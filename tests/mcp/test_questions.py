"""Tools that ask their client, in both generations of the protocol: in one process, through forwarder and daemon, over HTTP."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from boruna_ls.rendezvous import places
from boruna_ls.rendezvous.ask import ask
from tests.support.commands import command, end
from tests.support.daemon import until
from tests.support.http_server import http_server
from tests.support.mcp_lines import INITIALIZED, LineServer, call, initialize

ROOT = Path(__file__).resolve().parents[2]
MODES = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
ROUTES = pytest.mark.parametrize("route", ["standalone", "daemon", "http"])


async def user(_: Any, params: Any) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"name": params.message})


async def model(_: Any, params: Any) -> types.CreateMessageResult:
    content = types.TextContent(type="text", text=f"{params.messages[0].content.text} Paris.")
    return types.CreateMessageResult(role="assistant", content=content, model="m")


async def folders(_: Any) -> types.ListRootsResult:
    return types.ListRootsResult(roots=[types.Root.model_validate({"uri": "file:///somewhere"})])


ABLE: dict[str, Any] = {"elicitation_callback": user, "sampling_callback": model, "list_roots_callback": folders}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The folder of a daemon that has the asking tools."""
    folder = str(tmp_path_factory.mktemp("daemon"))
    os.chmod(folder, 0o700)
    process = subprocess.Popen([sys.executable, "-m", "tests.support.asking", "daemon", folder], cwd=ROOT)

    def answers() -> bool:
        try:
            return ask(folder, "status", 10) is not None
        except OSError:
            return False

    try:
        until(answers)
        yield folder
    finally:
        end(process)


@asynccontextmanager
async def agent(route: str, daemon: str, mode: str, **able: Any) -> AsyncIterator[Client]:
    environment = {**os.environ, places.VARIABLE: daemon}
    if route == "http":
        with http_server(cwd=ROOT, **{places.VARIABLE: daemon}) as server:
            async with server.client(mode, **able) as client:
                yield client
        return
    line = [command("boruna-ls"), "mcp"] if route == "daemon" else [sys.executable, "-m", "tests.support.asking", "standalone"]
    parameters = StdioServerParameters(command=line[0], args=line[1:], env=environment, cwd=ROOT)
    async with Client(parameters, mode=mode, **able) as client:
        yield client


async def tool_result(client: Client, tool: str) -> Any:
    result = await client.call_tool(tool, {})
    assert result.is_error is False, result
    return (result.structured_content or {})["told"]


@ROUTES
@MODES
async def test_the_client_is_asked_and_its_answers_arrive(route: str, daemon: str, mode: str) -> None:
    async with agent(route, daemon, mode, **ABLE) as client:
        for _ in range(2):
            answers = await tool_result(client, "ask_in_turn")
            assert answers == {
                "user": "{'name': 'What is your name?'}",
                "model": "What is the capital of France? Paris.",
                "roots": "1",
            }
        at_once = await tool_result(client, "ask_at_once")
        assert sorted(one["name"] for one in at_once) == ["Question 0?", "Question 1?", "Question 2?"]


@ROUTES
@MODES
async def test_a_client_that_cannot_answer_is_not_asked(route: str, daemon: str, mode: str) -> None:
    async with agent(route, daemon, mode) as client:
        answers = await tool_result(client, "ask_in_turn")
    assert [text.partition(": ")[0] for text in answers.values()] == ["cannot ask"] * 3
    assert "cannot" in answers["user"]


@MODES
async def test_an_error_of_the_client_and_of_the_tool_are_answers(daemon: str, mode: str) -> None:
    async def refuses(_: Any, __: Any) -> types.ErrorData:
        return types.ErrorData(code=-1, message="the user is away")

    async with agent("standalone", daemon, mode, **ABLE | {"sampling_callback": refuses}) as client:
        if mode == "legacy":
            assert "the user is away" in (await tool_result(client, "ask_in_turn"))["model"]
        failed = await client.call_tool("fail", {})
        assert failed.is_error is True
        assert (failed.structured_content or {})["error"]["error_type"] == "InternalError"


async def test_the_name_of_a_suspended_call_is_for_one_call_and_once(daemon: str) -> None:
    async with agent("daemon", daemon, "2026-07-28", **ABLE) as client:
        asked = await client.session.call_tool("ask_in_turn", {}, allow_input_required=True)
        assert isinstance(asked, types.InputRequiredResult)
        ((name, question),) = (asked.input_requests or {}).items()
        assert question.method == "elicitation/create"
        answers: dict[str, Any] = {name: types.ElicitResult(action="decline")}

        async def again(tool: str, state: str | None) -> Any:
            return await client.session.call_tool(
                tool, {}, input_responses=answers, request_state=state, allow_input_required=True
            )

        for tool, state in (("ask_in_turn", f"{asked.request_state}x"), ("ask_at_once", asked.request_state)):
            with pytest.raises(MCPError, match="requestState"):
                await again(tool, state)
        following = await again("ask_in_turn", asked.request_state)
        assert [one.method for one in following.input_requests.values()] == ["sampling/createMessage"]
        with pytest.raises(MCPError, match="requestState"):
            await again("ask_in_turn", asked.request_state)


def test_malformed_answers_end_the_question_and_nothing_else() -> None:
    line = ["-m", "tests.support.asking", "standalone"]
    with LineServer(*line, program=sys.executable, cwd=str(ROOT)) as server:
        opening = initialize(version="2025-11-25")
        opening["params"]["capabilities"] = {"elicitation": {}, "sampling": {}, "roots": {}}
        server.ask(opening)
        server.send(INITIALIZED, call(7, "ask_in_turn"))
        for answer in ({"result": 5}, {"error": "no"}, {"result": {"action": 3}}):
            question = server.receive()
            server.send({"jsonrpc": "2.0", "id": 999, "result": {}}, {"jsonrpc": "2.0", "id": question["id"], **answer})
        result = server.receive()["result"]
        assert [text.partition(": ")[0] for text in result["structuredContent"]["told"].values()] == ["cannot ask"] * 3


@MODES
@pytest.mark.parametrize("choice", ["Allow once", "Deny", "whatever", None])
async def test_the_user_decides_about_a_live_effect(tmp_path: Path, daemon: str, mode: str, choice: str | None) -> None:
    (tmp_path / "boruna.toml").write_text("", encoding="utf-8")
    (tmp_path / "a.txt").write_text("inside", encoding="utf-8")
    program = f'fn main() -> Result<String, String> !{{fs.read}} {{ fs_read("{tmp_path / "a.txt"}") }}'
    asked: list[str] = []

    async def decides(_: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"answer": choice}) if choice else types.ElicitResult(action="cancel")

    environment = {**os.environ, places.VARIABLE: daemon, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    parameters = StdioServerParameters(command=command("boruna-ls"), args=["mcp"], env=environment, cwd=tmp_path)
    able: dict[str, Any] = {"elicitation_callback": decides}
    async with Client(parameters, mode=mode, **able) as client:
        for _ in range(2):
            answer = (await client.call_tool("boruna_run_live", {"source": program})).structured_content or {}
            if choice == "Allow once":
                assert answer["result_text"] == 'Ok("inside")'
            else:
                assert answer["message"].startswith("capability denied: fs.read")
    assert len(asked) == 2
    assert all(f'"{tmp_path}"' in question and "fs.read" in question for question in asked)
