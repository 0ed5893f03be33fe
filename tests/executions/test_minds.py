"""Sources of answers: a client's model, its user, a task of the Tasks extension; actors that think in parallel; effects in
between."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from tests.executions.agents import ASK, Agent, http_agent, stdio_agent
from tests.support.commands import run as run_command
from tests.support.http_server import HttpServer, http_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    folder = tmp_path_factory.mktemp("minds")
    options = "--standalone", "--root", str(folder), "--toolsets", "executions"
    with http_server(*options, cwd=folder, BORUNA_LS_STATE=str(folder / "state")) as started:
        yield started


PARALLEL = """fn first() -> String !{llm.call} {
    llm_call("one?")
}
fn second() -> String !{llm.call} {
    llm_call("two?") ++ llm_call("three?")
}
fn text(message: Result<String, String>) -> String {
    match message { Ok(said) => said, Err(reason) => reason }
}
fn main() -> String !{llm.call} {
    spawn first
    spawn second
    text(receive) ++ text(receive)
}
"""


async def test_actors_wait_in_parallel_and_are_answered_in_any_order(server: HttpServer) -> None:
    async with http_agent(server) as agent:
        loaded = await agent.ask("load", programId="parallel", source=PARALLEL)
        assert loaded["success"], loaded
        await agent.ask("start", programId="parallel", executionId="parallel")
        first = await agent.ask("getTask")
        listed = (await agent.ask("list_tasks"))["tasks"]
        assert [(task["prompt"], task["actor"]) for task in listed] == [("one?", 1), ("two?", 2)]
        assert (first["prompt"], first["openTasks"]) == ("one?", 2)
        await agent.ask("submitTask", result="B", taskId=listed[1]["taskId"])
        assert (await agent.ask("getTask"))["prompt"] == "one?"
        await agent.ask("submitTask", result="C", taskId=(await agent.ask("list_tasks"))["tasks"][1]["taskId"])
        assert (await agent.ask("getTask"))["prompt"] == "one?"
        await agent.ask("submitTask", result="A", taskId=listed[0]["taskId"])
        assert (await agent.ask("getTask"))["result"] == "BCA"


async def model(context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
    text = params.messages[0].content.text  # type: ignore[union-attr]
    return types.CreateMessageResult(role="assistant", content=types.TextContent(type="text", text=f"<{text}>"), model="scripted")


async def person(context: Any, params: Any) -> types.ElicitResult:
    if set(params.requested_schema["properties"]) == {"n"}:
        return types.ElicitResult(action="accept", content={"n": 7})
    return types.ElicitResult(action="accept", content={"answer": f"person: {params.message.partition('asks:')[2].strip()}"})


RATED = """fn main() -> String !{llm.call} {
    llm_call_as("Rate", "{\\"type\\": \\"object\\", \\"properties\\": {\\"n\\": {\\"type\\": \\"integer\\"}}}")
}
"""


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_clients_model_and_its_user_answer(server: HttpServer, mode: str) -> None:
    async with server.client(mode=mode, sampling_callback=model, elicitation_callback=person) as client:
        agent = Agent(client)
        await agent.begin("minds", f"model-{mode}", ASK)
        done = await agent.ask("getTask", driver="client")
        assert (done["status"], done["result"]) == ("completed", "<First?><Second after <First?>?>")
        await agent.ask("restart", programId="minds")
        done = await agent.ask("getTask", driver="user")
        assert done["result"].startswith("person: First?person: Second")
        await agent.begin("rated", f"form-{mode}", RATED)
        assert (await agent.ask("getTask", driver="user"))["result"] == '{"n":7}'
    async with http_agent(server) as agent:
        await agent.ask("restart", programId="minds")
        waiting = await agent.ask("getTask", driver="client")
        assert (waiting["status"], "submitTask" in waiting["note"]) == ("waiting", True)


@pytest.mark.parametrize("mode, tasks, answered", [("legacy", 105, 100), ("auto", 20, 8)])
async def test_a_call_ends_before_its_client_loses_patience(server: HttpServer, mode: str, tasks: int, answered: int) -> None:
    loop = f'let mut n: Int = 0\n    while n < {tasks} {{ llm_call("?") n = n + 1 }}'
    many = f"fn main() -> Int !{{llm.call}} {{\n    {loop}\n    n\n}}\n"
    async with server.client(mode=mode, sampling_callback=model) as client:
        agent = Agent(client)
        await agent.begin("patience", f"patience-{mode}", many)
        first = await agent.ask("getTask", driver="client")
        assert first["status"] == "waiting"
        assert first["note"] == f"{answered} tasks were answered, and there are more: call getTask again with driver client"
        while (ended := await agent.ask("getTask", driver="client"))["status"] == "waiting":
            assert "call getTask again" in ended["note"]
        assert ended["result"] == tasks


async def test_an_execution_is_a_task_and_a_resource_that_tells_of_changes(server: HttpServer) -> None:
    told: list[str] = []

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            told.append(str(message.params.uri))

    async with server.client(mode="legacy", message_handler=hear) as client:
        agent = Agent(client)
        await agent.begin("asked", "a.b_c-1", ASK)
        uri = "boruna://executions/a.b_c-1"
        await client.subscribe_resource(uri)
        handle = (await agent.ask("status"))["handle"]
        waiting = await agent.ask("boruna_wait", handle=handle, seconds=20)
        ((task, question),) = waiting["questions"].items()
        assert (waiting["status"], question["params"]["message"]) == (
            "input_required",
            'The program "asked" (execution "a.b_c-1") asks:\n\nFirst?',
        )
        await agent.ask("submitTask", result="A", taskId=task)
        waiting = await agent.ask("boruna_wait", handle=handle, seconds=20)
        assert waiting["status"] == "input_required"
        await agent.ask("submitTask", result="B")
        done = await agent.ask("boruna_wait", handle=handle, seconds=20)
        assert (done["status"], done["result"]["result"]) == ("completed", "AB")
        page = json.loads((await client.read_resource(uri)).contents[0].text)  # type: ignore[union-attr]
        assert [one["answer"] for one in page["tasks"]] == ["A", "B"]
        for _ in range(100):
            if len(told) >= 3:
                break
            await asyncio.sleep(0.05)
        assert set(told) == {uri}
        assert len(told) >= 3
        assert (await agent.refused("boruna_wait", handle=handle[:-1] + "x"))["error_type"] == "NotFound"


async def test_subscribers_hear_of_what_the_command_line_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    told: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            told.put_nowait(str(message.params.uri))

    async with stdio_agent(tmp_path, mode="legacy", message_handler=hear) as agent:
        await agent.begin("heard", "heard-1", ASK)
        await agent.ask("getTask")
        handle = (await agent.ask("submitTask", result="A", getNext=True))["next"]["handle"]
        uri = "boruna://executions/heard-1"
        await agent.client.subscribe_resource(uri)
        (question,) = (await agent.ask("boruna_wait", handle=handle))["questions"]
        assert question.startswith("task-2-")
        assert told.empty()
        done = await asyncio.to_thread(run_command, "exec", "answer", "heard-1", "B")
        assert json.loads(done.stdout)["result"] == "AB", done.stderr
        assert await asyncio.wait_for(told.get(), 20) == uri
        done_task = await agent.ask("boruna_wait", handle=handle, seconds=20)
        assert (done_task["status"], done_task["result"]["result"]) == ("completed", "AB")


EFFECT = """fn main() -> String !{llm.call, fs.write} {
    let text = llm_call("What to write?")
    match fs_write("out.txt", text) { Ok(done) => "written", Err(reason) => reason }
}
"""


async def test_effects_stay_inside_policy_and_ceiling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    work = tmp_path / "work"
    work.mkdir()
    (work / "boruna.toml").write_text("")
    policy = {
        "schema_version": 1,
        "rules": {"fs.write": {"allow": True, "budget": 0}},
        "fs_policy": {"allowed_roots": [str(work)]},
    }
    async with stdio_agent(work) as agent:
        await agent.begin("writes", "denied", EFFECT)
        assert "capability denied: fs.write" in (await agent.completed(lambda _: "x"))["error"]["message"]
        await agent.ask("start", programId="writes", executionId="ceiling", policy=policy)
        ended = await agent.completed(lambda _: "x")
        assert "boruna-ls trust allow" in ended["error"]["message"]
        assert not (work / "out.txt").exists()
        (tmp_path / "config" / "boruna").mkdir(parents=True, mode=0o700)
        trust = tmp_path / "config" / "boruna" / "trust.toml"
        trust.write_text(f'[workspace."{work}"]\nfs_write = ["{work}"]\n')
        trust.chmod(0o600)
        await agent.ask("start", programId="writes", executionId="allowed", policy=policy)
        assert (await agent.completed(lambda _: "hello"))["result"] == "written"
    assert (work / "out.txt").read_text() == "hello"


async def test_clients_over_the_network_cause_no_effects(server: HttpServer) -> None:
    async with http_agent(server) as agent:
        await agent.begin("writes", "network", EFFECT, policy="allow-all")
        ended = await agent.completed(lambda _: "x")
        assert ended["state"] == "ERROR" or "policy" in ended["result"]
        assert server.folder is not None
        assert not (server.folder / "out.txt").exists()


SLOW = """fn main() -> Int !{llm.call} {
    let mut n: Int = 0
    while true {
        n = n + 1
    }
    n
}
"""


async def test_a_long_step_tells_its_progress_until_it_is_stopped(server: HttpServer) -> None:
    told: asyncio.Queue[float] = asyncio.Queue()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.put_nowait(progress)

    async with http_agent(server) as agent, http_agent(server) as other:
        await agent.begin("slow", "slow", SLOW, budgets={"steps": 10**12})
        running = asyncio.create_task(agent.client.call_tool("getTask", {"executionId": "slow"}, progress_callback=hear))
        assert await asyncio.wait_for(told.get(), 20) >= 100_000
        token = (await other.ask("delete_execution", executionId="slow"))["confirmToken"]
        await other.ask("delete_execution", executionId="slow", confirmToken=token)
        stopped = await running
    assert stopped.is_error
    assert "is being deleted" in stopped.content[0].text  # type: ignore[union-attr]
