"""Agents whose daemon is killed: calls that only read are made again, others are answered with an error that says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from boruna_ls.rendezvous import places
from tests.support.commands import command
from tests.support.daemon import Agent, processes, stopped
from tests.support.kills import kill, read, suspended
from tests.support.mcp_lines import call, request

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
FAULTY = "fn main() -> Int {\n    five\n}\n"
CLIENTS = 100
PATIENCE = 60.0


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the daemons that are killed here."""
    with pytest.MonkeyPatch.context() as fix:
        place = tmp_path_factory.mktemp("a") / "d"
        fix.setenv(places.VARIABLE, str(place))
        yield place
        stopped(place)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    (tmp_path / "program.ax").write_text(FAULTY, encoding="utf-8")
    agent = Agent(tmp_path)
    yield agent.open()
    agent.process.kill()
    agent.process.wait()


def test_a_call_that_reads_is_made_again(agent: Agent, folder: Path) -> None:
    with suspended(folder):
        agent.send(call("read", "boruna_check", path="program.ax"))
        read(agent.process)
        kill(folder)
    answer = agent.receive(PATIENCE)
    assert (answer["id"], answer["result"]["structuredContent"]["diagnostics_count"]) == ("read", 1)
    agent.leave()


def test_toolsets_that_were_enabled_are_listed_by_the_next_daemon(agent: Agent, folder: Path) -> None:
    agent.send(call(1, "enable_toolset", toolset="run"))
    assert "id" in [*agent.receive(PATIENCE), *agent.receive(PATIENCE)]
    listed = agent.ask(request(2, "tools/list"))["result"]["tools"]
    kill(folder)
    again = [message for message in [agent.ask(request(3, "tools/list"))] if "id" in message]
    while not again:
        again = [message for message in [agent.receive(PATIENCE)] if "id" in message]
    assert [tool["name"] for tool in again[0]["result"]["tools"]] == [tool["name"] for tool in listed]
    agent.end()


def test_a_live_run_is_not(agent: Agent, folder: Path) -> None:
    with suspended(folder):
        agent.send(call(1, "boruna_run_live", source=CLEAN))
        read(agent.process)
        kill(folder)
    error = agent.receive(PATIENCE)["error"]
    assert (error["code"], error["data"]) == (-32000, {"method": "tools/call", "tool": "boruna_run_live"})
    assert "may or may not have been carried out" in error["message"]
    # It is safe, so the agent calls again.
    assert agent.ask(call(2, "boruna_run_live", source=CLEAN))["result"]["structuredContent"]["result"] == 11
    agent.leave()


def test_a_run_that_no_daemon_has_got_is_carried_out(agent: Agent, folder: Path) -> None:
    kill(folder)
    assert agent.ask(call(1, "boruna_run_live", source=CLEAN))["result"]["structuredContent"]["result"] == 11
    agent.leave()


def test_an_end_that_was_asked_for_answers_as_clearly(agent: Agent, folder: Path) -> None:
    lengthy = "fn f(n: Int) -> Int { if n < 2 { n } else { f(n - 1) + f(n - 2) } }\nfn main() -> Int { f(40) }\n"
    agent.send(call("run", "boruna_run_live", source=lengthy), call("read", "boruna_check", source=FAULTY))
    read(agent.process)
    stopped(folder)
    answers = {message["id"]: message for message in (agent.receive(PATIENCE), agent.receive(PATIENCE))}
    assert answers["run"]["error"]["data"] == {"method": "tools/call", "tool": "boruna_run_live"}
    assert answers["read"]["result"]["structuredContent"]["diagnostics_count"] == 1
    agent.leave()


def test_who_listens_goes_on_listening(agent: Agent, folder: Path, tmp_path: Path) -> None:
    uri = "boruna://file-diagnostics/program.ax"
    assert agent.ask(request(1, "resources/subscribe", {"uri": uri}))["result"] == {}
    kill(folder)
    # What has changed while nobody looked, nobody knows.
    assert agent.receive(PATIENCE) == updated(uri)
    assert agent.ask(request(2, "ping"))["result"] == {}
    (tmp_path / "program.ax").write_text(CLEAN, encoding="utf-8")
    assert agent.receive(PATIENCE) == updated(uri)
    agent.leave()


def updated(uri: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}


def test_half_a_line_at_the_moment_of_the_kill(agent: Agent, folder: Path) -> None:
    line = json.dumps(call(1, "boruna_check", source=FAULTY)).encode() + b"\n"
    agent.send_raw(line[:30])
    kill(folder)
    agent.send_raw(line[30:])
    assert agent.receive(PATIENCE)["result"]["structuredContent"]["diagnostics_count"] == 1
    agent.leave()


def test_what_is_owed_at_the_end_of_the_input_is_answered_by_the_next_daemon(agent: Agent, folder: Path) -> None:
    with suspended(folder):
        agent.send(call("a", "boruna_check", source=FAULTY), call("b", "boruna_check", source=CLEAN))
        read(agent.process)
        kill(folder)
        status, messages = agent.end()
    counts = {message["id"]: message["result"]["structuredContent"]["diagnostics_count"] for message in messages}
    assert (status, counts) == (0, {"a": 1, "b": 0})


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_python_client_in_both_eras(mode: str, tmp_path: Path, folder: Path) -> None:
    (tmp_path / "program.ax").write_text(FAULTY, encoding="utf-8")
    server = StdioServerParameters(command=command("boruna-ls"), args=["mcp"], cwd=tmp_path, env={places.VARIABLE: str(folder)})
    async with Client(stdio_client(server), mode=mode) as client:
        for _ in range(2):
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert "boruna_check" in names
            answer = await client.call_tool("boruna_check", {"path": "program.ax"})
            assert answer.structured_content is not None
            assert answer.structured_content["diagnostics_count"] == 1
            kill(folder)
        resources = await client.read_resource("boruna://file/program.ax")
        assert [getattr(each, "text", None) for each in resources.contents] == [FAULTY]


def test_a_hundred_clients_come_back_to_one_daemon(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "program.ax").write_text(FAULTY, encoding="utf-8")
    agents = [Agent(tmp_path) for _ in range(CLIENTS)]
    try:
        for agent in agents:
            agent.open()
        first = kill(folder)
        for agent in agents:
            agent.send(call("check", "boruna_check", path="program.ax"))
        answers = [agent.receive(PATIENCE) for agent in agents]
        assert [one["result"]["structuredContent"]["diagnostics_count"] for one in answers] == [1] * CLIENTS
        (second,) = processes(folder)
        assert second != first
        for agent in agents:
            agent.leave()
    finally:
        for agent in agents:
            agent.process.kill()
            agent.process.wait()
