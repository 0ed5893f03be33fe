"""Open tasks of executions in an editor: listed while an agent's program waits, answered, refused with the reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.executions.agents import ASK
from tests.support.commands import run
from tests.support.daemon import Agent, editor
from tests.support.lsp import RawClient
from tests.support.mcp_lines import call, initialize

RATE = 'fn main() -> String !{llm.call} {\n    llm_call_as("Rate it.", "{\\"type\\": \\"integer\\"}")\n}\n'


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    (tmp_path / "boruna.toml").touch()
    agent = Agent(tmp_path)
    agent.ask(initialize())
    yield agent
    agent.leave()


@pytest.fixture
def client(agent: Agent, tmp_path: Path) -> Iterator[RawClient]:
    """An editor at the daemon of the agent."""
    with editor(tmp_path) as client:
        client.initialize({}, rootUri=tmp_path.as_uri())
        yield client


def begin(agent: Agent, name: str, source: str) -> dict[str, Any]:
    """The first task of a new execution."""
    agent.ask(call("load", "load", programId=name, source=source))
    agent.ask(call("start", "start", programId=name, executionId=f"{name}-1"))
    return dict(agent.ask(call("task", "getTask"))["result"]["structuredContent"])


def waits(client: RawClient) -> dict[str, Any]:
    """The executions that an editor shows, by id."""
    return {one["executionId"]: one for one in client.call("boruna/executions", {})["executions"]}


def test_an_editor_answers_the_tasks_of_an_agents_program(client: RawClient, agent: Agent) -> None:
    assert "ask-1" not in waits(client)
    task = begin(agent, "ask", ASK)
    while client.receive().get("method") != "boruna/executions/changed":
        pass
    waiting = waits(client)["ask-1"]
    (shown,) = waiting["tasks"]
    assert (waiting["executionId"], shown["taskId"], shown["prompt"]) == ("ask-1", task["taskId"], "First?")
    given = {"executionId": "ask-1", "taskId": shown["taskId"], "answer": "A"}
    second = client.call("boruna/executions/answer", given)
    assert (second["status"], second["prompt"]) == ("waiting", "Second after A?")
    # The task that was answered is not answered again.
    late = client.call("boruna/executions/answer", {**given, "answer": "B"})
    assert (late["success"], late["error_kind"]) == (False, "already_answered")
    last = client.call("boruna/executions/answer", {**given, "taskId": second["taskId"], "answer": "B"})
    assert (last["status"], last["result"]) == ("completed", "AB")
    assert "ask-1" not in waits(client)


def test_an_answer_that_does_not_fit_is_refused_and_the_task_stays(client: RawClient, agent: Agent) -> None:
    task = begin(agent, "rate", RATE)
    given = {"executionId": "rate-1", "taskId": task["taskId"], "answer": "very good"}
    refused = client.call("boruna/executions/answer", given)
    assert (refused["success"], refused["error_kind"]) == (False, "answer_refused")
    (shown,) = waits(client)["rate-1"]["tasks"]
    assert shown["lastRefusal"]
    assert shown["schema"] == {"type": "integer"}
    assert client.call("boruna/executions/answer", {**given, "answer": "7"})["result"] == "7"
    assert client.refused("boruna/executions/answer", {"executionId": "rate-1"}) == -32602
    unknown = client.call("boruna/executions/answer", {**given, "executionId": "nobody"})
    assert unknown["error_kind"] == "unknown_execution"


def test_an_editor_hears_of_what_the_command_line_does(client: RawClient, agent: Agent) -> None:
    begin(agent, "typed", ASK)
    assert "typed-1" in waits(client)
    answered = run("exec", "answer", "typed-1", "A")
    assert json.loads(answered.stdout)["prompt"] == "Second after A?", answered.stderr
    while client.receive().get("method") != "boruna/executions/changed":
        pass
    while waits(client)["typed-1"]["tasks"][0]["prompt"] != "Second after A?":
        client.receive()
