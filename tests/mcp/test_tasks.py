"""The Tasks extension over lines: long calls of product tools and of a tool that asks, polled, answered, cancelled, told of."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.mcp.tasks import IDENTIFIER
from boruna_ls.state.folder import opened
from tests.support.daemon import until
from tests.support.mcp_lines import INITIALIZED, LineServer, call, envelope, initialize, request

ROOT = Path(__file__).resolve().parents[2]
SLOW = "fn f(n: Int) -> Int { if n < 2 { n } else { f(n - 1) + f(n - 2) } }\nfn main() -> Int { f(60) }\n"
TASKS: dict[str, Any] = {"elicitation": {}, "extensions": {IDENTIFIER: {}}}


class Client(LineServer):
    """A client of 2026-07-28, with what it says of itself in every request."""

    def __init__(self, *options: str) -> None:
        """A server of the product with these options; without any, one with a tool that asks."""
        asking = ("-m", "tests.support.asking", "standalone")
        served = ("--standalone", *options) if options else asking
        super().__init__(*served, program="boruna-mcp" if options else sys.executable, cwd=str(ROOT))
        self._numbers = itertools.count(1)

    def post(self, method: str, able: dict[str, Any] = TASKS, **params: Any) -> int:
        number = next(self._numbers)
        self.send(request(number, method, {**params, "_meta": envelope(**able)}))
        return number

    def asked(self, method: str, able: dict[str, Any] = TASKS, **params: Any) -> dict[str, Any]:
        """The result, or the error."""
        number = self.post(method, able, **params)
        while (message := self.receive()).get("id") != number:
            pass
        return dict(message.get("result") or message["error"])

    def called(self, tool: str, able: dict[str, Any] = TASKS, **arguments: Any) -> dict[str, Any]:
        return self.asked("tools/call", able, name=tool, arguments=arguments)

    def state(self, task: str, *statuses: str) -> dict[str, Any]:
        """The task as soon as it has one of these statuses."""
        found: dict[str, Any] = {}

        def is_there() -> bool:
            found.update(self.asked("tasks/get", taskId=task))
            return found["status"] in statuses

        until(is_there)
        return found


@pytest.fixture
def client() -> Iterator[Client]:
    with Client() as started:
        yield started


def test_a_slow_run_of_the_product_becomes_a_task_and_ends_as_the_tool_would_have_answered(client: Client) -> None:
    made = client.called("boruna_run", source=SLOW, max_steps=2**60, limits={"max_wall_ms": 4000})
    assert (made["resultType"], made["status"]) == ("task", "working")
    assert {"createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs"} <= made.keys()
    assert not {"result", "error", "inputRequests", "requestState"} & made.keys()
    waited = client.called("boruna_wait", handle=made["taskId"], seconds=0)["structuredContent"]
    assert (waited["status"], waited["done"]) == ("working", False)
    ended = client.called("boruna_wait", handle=made["taskId"])["structuredContent"]
    assert (ended["status"], ended["done"], ended["result"]["limit_kind"]) == ("completed", True, "wall_ms")
    state = client.state(made["taskId"], "completed")
    assert state["result"]["structuredContent"] == ended["result"]
    assert client.called("boruna_run", source="fn main() -> Int { 1 }\n")["structuredContent"]["result"] == 1


def test_clients_that_do_not_declare_tasks_get_none(client: Client) -> None:
    ran = client.called("boruna_run", {}, source=SLOW, max_steps=2**60, limits={"max_wall_ms": 2500})
    assert ran["structuredContent"]["limit_kind"] == "wall_ms"
    for method in ("tasks/get", "tasks/cancel", "tasks/update"):
        error = client.asked(method, {}, taskId="call-1", inputResponses={})
        assert (error["code"], error["data"]) == (-32021, {"requiredCapabilities": {"extensions": {IDENTIFIER: {}}}})
    assert client.asked("tasks/get", taskId="call-1")["code"] == -32602
    assert client.asked("tasks/get", taskId="x" * 201)["code"] == -32602
    assert client.asked("tasks/list")["code"] == -32601


def test_sessions_of_2025_know_no_tasks() -> None:
    with Client() as old:
        old.ask(initialize(version="2025-11-25"))
        old.send(INITIALIZED)
        assert old.ask(request(1, "tasks/get", {"taskId": "call-1"}))["error"]["code"] == -32601
        assert (
            old.ask(call(2, "boruna_wait", handle="call-1"))["result"]["structuredContent"]["error"]["error_type"] == "NotFound"
        )


def test_a_task_that_asks_is_answered_and_told_of(client: Client) -> None:
    task = client.called("linger")["taskId"]
    stream = client.post("subscriptions/listen", notifications={"taskIds": [task, "call-unknown"], "toolsListChanged": True})
    acknowledged = client.receive()
    assert acknowledged["params"]["notifications"] == {"toolsListChanged": True, "taskIds": [task, "call-unknown"]}
    waiting = client.state(task, "input_required")
    ((name, question),) = waiting["inputRequests"].items()
    assert question["params"]["message"] == "Go on?"
    assert client.asked("tasks/update", taskId=task, inputResponses={"nothing": {}}) == {"resultType": "complete"} | {
        "_meta": waiting["_meta"]
    }
    assert client.asked("tasks/get", taskId=task)["status"] == "input_required"
    answers = {name: {"action": "accept", "content": {"name": "Ann"}}}
    number = client.post("tasks/update", taskId=task, inputResponses=answers)
    told: list[dict[str, Any]] = []
    while not told or told[-1]["status"] != "completed":
        message = client.receive()
        if message.get("method") == "notifications/tasks":
            told.append(message["params"])
            assert message["params"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": stream}
        else:
            assert message["id"] == number
    assert told[-1]["result"]["structuredContent"]["told"] == {"name": "Ann"}


def test_cancelled_tasks_stop_and_cancelling_again_changes_nothing(client: Client) -> None:
    task = client.called("linger")["taskId"]
    for _ in range(2):
        assert client.asked("tasks/cancel", taskId=task)["resultType"] == "complete"
        assert client.state(task, "cancelled")["taskId"] == task
    assert client.asked("tasks/cancel", taskId="call-none")["code"] == -32602


def test_the_tasks_of_a_client_that_left_are_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "cancelled"
    monkeypatch.setenv("BORUNA_TEST_CANCELLED", str(mark))
    with Client() as client:
        client.state(client.called("linger")["taskId"], "input_required")
        assert client.end()[0] == 0
    assert mark.read_text("utf-8") == "cancelled"


def test_beyond_the_bound_calls_are_answered_when_they_end(client: Client) -> None:
    for _ in range(64):
        assert client.called("linger")["resultType"] == "task"
    assert client.called("linger")["resultType"] == "input_required"


def test_a_server_that_only_reads_neither_answers_nor_cancels_an_execution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    ask = 'fn main() -> String !{llm.call} {\n    llm_call("first?")\n}\n'
    with LineServer("--standalone").open() as writer:
        writer.ask(call(1, "load", programId="ask", source=ask))
        writer.ask(call(2, "start", programId="ask", executionId="asked"))
        task = writer.ask(call(3, "getTask"))["result"]["structuredContent"]
    with Client("--read-only") as reader:
        answers = {task["taskId"]: {"action": "accept", "content": {"answer": "of a reader"}}}
        for refused in (
            reader.asked("tasks/update", taskId=task["handle"], inputResponses=answers),
            reader.asked("tasks/cancel", taskId=task["handle"]),
        ):
            assert "--read-only" in refused["message"]
        assert reader.asked("tasks/get", taskId=task["handle"])["status"] == "input_required"


@pytest.mark.parametrize("part", ["executions", "workflows"])
def test_a_store_that_cannot_be_used_is_named_in_the_error(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path))
    folder = opened(part)
    (folder / {"executions": "executions.db", "workflows": "runs.db"}[part]).write_bytes(b"no database" * 1000)
    kind = {"executions": "execution", "workflows": "workflow"}[part]
    uri = {"executions": "boruna://executions/one", "workflows": "boruna://workflow-runs/one"}[part]
    requests: list[tuple[str, dict[str, Any]]] = [
        ("resources/read", {"uri": uri}),
        ("tasks/get", {"taskId": f"{kind}-1-abc"}),
        ("tasks/cancel", {"taskId": f"{kind}-1-abc"}),
    ]
    with Client("--toolsets", "all") as client:
        for method, params in requests:
            assert "file is not a database" in client.asked(method, **params)["message"]
        waited = client.called("boruna_wait", handle=f"{kind}-1-abc", seconds=0)
        assert "file is not a database" in waited["structuredContent"]["error"]["message"], waited


def test_a_form_whose_only_field_is_named_answer_is_an_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path))
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
    escaped = json.dumps(json.dumps(schema))
    with Client("--toolsets", "executions") as client:
        client.called(
            "load", programId="form", source=f'fn main() -> String !{{llm.call}} {{ llm_call_as("Fill", {escaped}) }}\n'
        )
        client.called("start", programId="form", executionId="form")
        task = client.called("getTask")["structuredContent"]
        answers = {task["taskId"]: {"action": "accept", "content": {"answer": "yes"}}}
        client.asked("tasks/update", taskId=task["handle"], inputResponses=answers)
        ended = client.state(task["handle"], "completed")
        assert ended["result"]["structuredContent"]["result"] == '{"answer":"yes"}'
