"""The flow of chapter 22 through the real client: load, start, getTask, submitTask … completed; and every refusal."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.executions.agents import ASK, Agent, http_agent, stdio_agent
from tests.support.http_server import HttpServer, http_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """One server for all tests that need no other; each test has ids of its own."""
    folder = tmp_path_factory.mktemp("executions")
    (folder / "asker.ax").write_text(ASK)
    (folder.parent / "outside.ax").write_text(ASK)
    options = "--standalone", "--root", str(folder), "--toolsets", "executions"
    with http_server(*options, cwd=folder, BORUNA_LS_STATE=str(folder / "state")) as started:
        yield started


async def flow(agent: Agent) -> None:
    loaded = await agent.ask("load", programId="asker", source=ASK)
    assert (loaded["version"], loaded["replaced"], loaded["capabilities"]) == (1, False, ["llm.call"])
    assert loaded["functions"] == [{"name": "main", "parameters": []}]
    begun = await agent.ask("start", programId="asker", executionId="one")
    assert (begun["state"], begun["isCurrent"]) == ("READY", True)
    first = await agent.ask("getTask")
    assert (first["status"], first["prompt"], first["attempt"], first["expectedType"]) == ("waiting", "First?", 1, "String")
    again = await agent.ask("getTask", executionId="one")
    assert (again["taskId"], again["attempt"]) == (first["taskId"], 2)
    status = await agent.ask("status")
    assert (status["state"], status["function"], status["line"]) == ("AWAITING_COGNITIVE_RESULT", "main", 2)
    taken = await agent.ask("submitTask", result="A", taskId=first["taskId"])
    assert (taken["accepted"], taken["state"]) == (True, "RUNNING")
    second = await agent.ask("getTask")
    assert second["prompt"] == "Second after A?"
    status = await agent.ask("status")
    assert (status["line"], status["variables"], status["tasksAnswered"]) == (3, {"a": '"A"'}, 1)
    last = await agent.ask("submitTask", result="B", getNext=True)
    assert (last["next"]["status"], last["next"]["result"]) == ("completed", "AB")
    record = await agent.ask("get_execution")
    assert [(task["prompt"], task["answer"], task["attempts"]) for task in record["tasks"]] == [
        ("First?", "A", 2),
        ("Second after A?", "B", 1),
    ]
    assert record["eventLog"] == {"calls": 2, "byCapability": {"llm.call": 2}, "interrupted": 0}
    assert (record["state"], record["result"]) == ("COMPLETED", "AB")


async def test_the_flow_over_stdio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    (tmp_path / "asker.ax").write_text(ASK)
    async with stdio_agent(tmp_path) as agent:
        nothing = await agent.refused("getTask")
        assert nothing["message"] == "No current execution. Call list_executions, then set_current."
        unknown = await agent.refused("start", programId="asker", executionId="one")
        assert "call load or loadFile first" in unknown["message"]
        assert (await agent.ask("loadFile", programId="file", filePath="asker.ax"))["name"] == "asker.ax"
        await flow(agent)
    async with stdio_agent(tmp_path) as again:
        # Another process; the current execution is still that of this workspace.
        assert (await again.ask("status"))["executionId"] == "one"


async def test_the_flow_over_http(server: HttpServer) -> None:
    async with http_agent(server) as agent:
        listed = {tool.name for tool in (await agent.client.list_tools()).tools}
        assert {"load", "loadFile", "start", "getTask", "submitTask", "restart", "list_tasks"} <= listed
        await flow(agent)


async def test_wrong_calls_say_what_to_do_and_change_nothing(server: HttpServer) -> None:
    async with http_agent(server) as agent:
        assert "outside of the folders" in (await agent.refused("loadFile", programId="a", filePath="../outside.ax"))["message"]
        missing = await agent.refused("loadFile", programId="a", filePath="asker.xa")
        assert (missing["error_type"], "did you mean `asker.ax`" in missing["message"]) == ("NotFound", True)
        broken = await agent.ask("load", programId="wrong", source="fn main() -> Int { x }\n")
        assert (broken["success"], broken["diagnostics"][0]["id"]) == (False, "E003")
        for wrong in ("", "a b", "ä", "x" * 129, "../x"):
            assert "1 to 128 letters" in (await agent.refused("load", programId=wrong, source=ASK))["message"]
        assert (await agent.ask("loadFile", programId="wrong", filePath="asker.ax"))["name"] == "asker.ax"
        await agent.ask("start", programId="wrong", executionId="A.b-c_9")
        used = await agent.refused("start", programId="wrong", executionId="A.b-c_9")
        assert (used["error_type"], "already exists" in used["message"]) == ("Conflict", True)
        early = await agent.refused("submitTask", result="x")
        assert "the execution is READY, not AWAITING_COGNITIVE_RESULT" in early["message"]
        task = (await agent.ask("getTask"))["taskId"]
        assert task in (await agent.refused("submitTask", result="x", taskId="task-9-00"))["message"]
        too_long = await agent.refused("submitTask", result="x" * 1_048_577)
        assert (too_long["reason"], too_long["taskId"]) == ("answer_too_long", task)
        await agent.ask("submitTask", result="x" * 1_000_000, taskId=task)
        twice = await agent.refused("submitTask", result="y", taskId=task)
        assert (twice["error_type"], "already answered" in twice["message"]) == ("WrongState", True)
        assert "RUNNING" in (await agent.refused("submitTask", result="y"))["message"]
        assert "A.b-c_9" in (await agent.refused("set_current", executionId="other"))["message"]
        done = await agent.completed(lambda _: "z")
        assert (done["status"], done["result"], done["resultOmitted"]) == (
            "completed",
            None,
            "the result takes more than 900000 bytes",
        )
        assert "COMPLETED" in (await agent.refused("submitTask", result="y"))["message"]
        assert (await agent.ask("status"))["executionId"] == "A.b-c_9"


async def test_deleting_needs_a_token_that_holds_once_and_for_one_id(server: HttpServer) -> None:
    async with http_agent(server) as agent:
        await agent.begin("deleted", "d1", ASK)
        await agent.begin("deleted", "d2", ASK)
        asked = await agent.ask("delete_execution", executionId="d1")
        assert asked["confirmationRequired"] is True
        token = asked["confirmToken"]
        assert "of another id" in (await agent.refused("delete_execution", executionId="d2", confirmToken=token))["message"]
        assert "of another id" in (await agent.refused("delete_program", programId="deleted", confirmToken=token))["message"]
        assert (await agent.ask("delete_execution", executionId="d1", confirmToken=token))["deleted"] is True
        assert (await agent.refused("delete_execution", executionId="d1", confirmToken=token))["error_type"] == "NotFound"
        asked = await agent.ask("delete_program", programId="deleted")
        await agent.ask("delete_program", programId="deleted", confirmToken=asked["confirmToken"])
        assert "deleted" not in [one["programId"] for one in (await agent.ask("list_programs"))["programs"]]
        # What was started keeps its version.
        assert (await agent.ask("getTask", executionId="d2"))["prompt"] == "First?"
        assert "no program" in (await agent.refused("restart", programId="deleted"))["message"]


async def test_a_replaced_program_serves_new_executions_only(server: HttpServer) -> None:
    async with http_agent(server) as agent:
        await agent.begin("replaced", "old", ASK)
        replaced = await agent.ask("load", programId="replaced", source=ASK.replace("First", "New"))
        assert (replaced["version"], replaced["replaced"]) == (2, True)
        made = await agent.ask("restart", programId="replaced")
        assert (await agent.ask("getTask"))["prompt"] == "New?"
        assert (await agent.ask("getTask", executionId="old"))["prompt"] == "First?"
        listed = await agent.ask("list_executions", programId="replaced")
        assert [(one["executionId"], one["isCurrent"], one["prompt"]) for one in listed["executions"]] == [
            (made["executionId"], True, "New?"),
            ("old", False, "First?"),
        ]
        page = await agent.ask("list_executions", programId="replaced", limit=1)
        assert (page["total"], page["executions"][0]["executionId"]) == (2, made["executionId"])
        assert (await agent.ask("list_executions", programId="replaced", limit=1, cursor=page["nextCursor"]))["executions"][0][
            "executionId"
        ] == "old"


TYPED = """fn main() -> String !{llm.call} {
    let n = "{\\"n\\": {\\"type\\": \\"integer\\"}}"
    llm_call_as("Rate it", "{\\"type\\": \\"object\\", \\"properties\\": " ++ n ++ ", \\"required\\": [\\"n\\"]}")
}
"""


@pytest.mark.parametrize(
    "answer",
    [
        {"n": 3},
        '{"n": 3}',
        '```json\n{"n": 3}\n```',
        'It is this:\n```json\n{"n": 3}\n```\nBecause of its shape.',
        'I say [sic] {this}: {"n": 3}.',
    ],
)
async def test_typed_answers_are_checked_and_refused_with_the_reason(server: HttpServer, answer: Any) -> None:
    async with http_agent(server) as agent:
        await agent.begin("rate", f"typed-{type(answer).__name__}-{len(str(answer))}", TYPED)
        task = await agent.ask("getTask")
        assert (task["expectedType"], task["schema"]["required"]) == ("JSON", ["n"])
        for wrong, reason in ((["x"], "is not of type"), ({"n": "three"}, "/n: "), ("three", "is not of type"), (None, "null")):
            refused = await agent.refused("submitTask", result=wrong)
            assert (refused["reason"], reason in refused["message"]) == ("answer_refused", True), refused
        refused = await agent.refused("submitTask", result='I say: {"n": "three"}')
        assert "/n: " in refused["message"]
        again = await agent.ask("getTask")
        assert (again["taskId"], again["refusedAnswers"]) == (task["taskId"], 5)
        await agent.ask("submitTask", result=answer)
        assert (await agent.ask("getTask"))["result"] == '{"n":3}'


async def test_the_record_of_an_execution_comes_in_pages_and_each_task_whole(server: HttpServer) -> None:
    many = 'fn main() -> Int !{llm.call} {\n    let mut n: Int = 0\n    while n < 13 { llm_call("?") n = n + 1 }\n    n\n}\n'
    answers = ["x" * 900_000] + ["\x01" * 20_000] * 12
    async with http_agent(server) as agent:
        await agent.begin("many", "many", many)
        await agent.ask("getTask")
        for answer in answers:
            await agent.ask("submitTask", result=answer, getNext=True)
        page = await agent.ask("get_execution")
        assert (page["result"], page["tasksTotal"], page["eventLog"]["calls"]) == (13, 13, 13)
        tasks = page["tasks"]
        while "nextFirstTask" in page:
            assert len(json.dumps(page)) < 1_048_576
            page = await agent.ask("get_execution", firstTask=page["nextFirstTask"])
            tasks += page["tasks"]
        assert [task["answer"] for task in tasks] == [answers[0][:20_000] + "…", *answers[1:]]
        assert [task.get("cut", False) for task in tasks] == [True] + [False] * 12
        (whole,) = (await agent.ask("get_execution", taskId=tasks[0]["taskId"]))["tasks"]
        assert whole["answer"] == answers[0]
        short = await agent.ask("get_execution", firstTask=13, limit=1)
        assert (len(short["tasks"]), "nextFirstTask" in short, "result" in short) == (1, False, False)
        assert "no task" in (await agent.refused("get_execution", taskId="task-99-00000000"))["message"]


FAILING = 'fn half(n: Int) -> Int {\n    10 / n\n}\nfn main() -> Int !{llm.call} {\n    half(parse_int(llm_call("n?")))\n}\n'


async def test_a_program_that_fails_says_where(server: HttpServer) -> None:
    async with http_agent(server) as agent:
        await agent.begin("fails", "fails", FAILING)
        error = await agent.completed(lambda _: "0")
        assert (error["status"], error["state"], error["success"]) == ("error", "ERROR", False)
        assert (error["error"]["message"], error["error"]["kind"]) == ("division by zero", "runtime_error")
        assert (error["error"]["function"], error["error"]["line"]) == ("half", 2)
        assert [frame["function"] for frame in error["error"]["callStack"]] == ["half", "main"]
        assert (await agent.ask("getTask"))["error"] == error["error"]


ENDLESS = 'fn main() -> Int !{llm.call} {\n    while true { llm_call("more?") }\n    0\n}\n'


@pytest.mark.parametrize(
    "budgets, words, answered",
    [
        ({"tasks": 3}, "the budget of 3 tasks is used up", 3),
        ({"tokens": 10}, "the budget of 10 tokens is used up", 2),
        ({"steps": 40}, "the budget of 40 steps is used up", None),
        ({"seconds": 0}, "the budget of 0 seconds is used up", 0),
    ],
)
async def test_budgets_end_an_execution(server: HttpServer, budgets: dict[str, int], words: str, answered: int | None) -> None:
    async with http_agent(server) as agent:
        await agent.begin("endless", f"endless-{next(iter(budgets))}", ENDLESS, budgets=budgets)
        ended = await agent.completed(lambda _: "x" * 24)
        assert (ended["state"], ended["error"]["message"]) == ("ERROR", words)
        assert (ended["error"]["kind"], ended["error"]["budget"]) == ("budget_exceeded", next(iter(budgets)))
        if answered is not None:
            assert (await agent.ask("status"))["tasksAnswered"] == answered
