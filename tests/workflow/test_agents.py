"""Workflows of agents, through the real client and the real processes: runs from memory, decisions, restarts."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from tests.support.commands import command, run

ONE = "fn main() -> Int {\n    42\n}\n"
ECHO = 'fn main() -> String !{step.input} {\n    step_input("v")\n}\n'


def workflow(gate: dict[str, Any] | None = None, slow: bool = False) -> dict[str, Any]:
    steps: dict[str, Any] = {"a": {"kind": "source", "source": "a.ax"}}
    steps["b"] = {"kind": "source", "source": "b.ax", "inputs": {"v": "a.result"}, "depends_on": ["g"] if gate else []}
    if gate is not None:
        steps["g"] = {"kind": "approval_gate", "required_role": "lead", "depends_on": ["a"], **gate}
    document = {"schema_version": 1, "name": "flow", "version": "1", "steps": steps, "edges": []}
    return {"workflow_json": json.dumps(document), "source_files": {"a.ax": LOOP if slow else ONE, "b.ax": ECHO}}


LOOP = "fn main() -> Int {\n    let mut n: Int = 0\n    while n < 700000 {\n        n = n + 1\n    }\n    n\n}\n"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


@asynccontextmanager
async def agent(folder: Path | None = None, **options: Any) -> AsyncIterator[Client]:
    parameters = StdioServerParameters(command=command("boruna-mcp"), args=["--standalone"], env=dict(os.environ), cwd=folder)
    async with Client(parameters, **options) as client:
        yield client


async def answer_of(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(f"boruna_workflow_{tool}", arguments)
    answer = json.loads(result.content[0].text)  # type: ignore[union-attr]
    assert answer == result.structured_content
    return dict(answer)


async def test_a_run_completes_and_is_remembered(state: Path) -> None:
    async with agent() as client:
        answer = await answer_of(client, "run", **workflow())
        assert (answer["success"], answer["status"], answer["execution_order"]) == (True, "completed", ["a", "b"])
        assert answer["step_results"]["b"]["output"] == {"String": '{"Int":42}'}
        assert [step["id"] for step in answer["steps"]] == ["a", "b"]
        assert answer["evidence"]["audit_entries"] == 4
        page = await client.read_resource(f"boruna://workflow-runs/{answer['run_id']}")
        assert json.loads(page.contents[0].text)["steps"] == answer["steps"]  # type: ignore[union-attr]
        listed = await answer_of(client, "list")
        assert [one["run_id"] for one in listed["runs"]] == [answer["run_id"]]
        assert (await answer_of(client, "status", run_id=answer["run_id"]))["steps"] == answer["steps"]


async def test_an_agent_may_not_approve_what_it_started_but_the_owner_may(state: Path) -> None:
    async with agent() as client:
        paused = await answer_of(client, "run", **workflow({}))
        assert (paused["status"], paused["paused_at_step"]) == ("paused", "g")
        refused = await answer_of(client, "approve", run_id=paused["run_id"], step="g")
        assert refused["error_kind"] == "not_allowed"
        assert "boruna-ls workflow approve" in refused["message"]
        # The store is shared with the command line, which is the owner's.
        owner = run("workflow", "approve", paused["run_id"], "g", "--shared", "--as", "ann")
        assert owner.returncode == 0, owner.stderr
        done = await answer_of(client, "resume", run_id=paused["run_id"])
        assert (done["status"], done["step_results"]["g"]["output"]) == ("completed", {"Map": {}})
        again = await answer_of(client, "approve", run_id=paused["run_id"], step="g")
        assert "cannot mutate" in again["message"]


async def test_a_gate_that_allows_it_is_decided_by_the_agent(state: Path) -> None:
    async with agent() as client:
        paused = await answer_of(client, "run", **workflow({"self_approval": True}))
        rejected = await answer_of(client, "reject", run_id=paused["run_id"], step="g", reason="wrong font")
        assert (rejected["status"], rejected["error_kind"]) == ("failed", "step_failed")
        assert "wrong font" in rejected["message"]


async def test_a_run_is_a_task_that_asks_at_its_gate(state: Path) -> None:
    async with agent() as client:
        paused = await answer_of(client, "run", **workflow({}))
        result = await client.call_tool("boruna_wait", {"handle": paused["handle"], "seconds": 5})
        waiting = dict(result.structured_content or {})
        assert (waiting["status"], list(waiting["questions"])) == ("input_required", ["g"])
        assert run("workflow", "approve", paused["run_id"], "g", "--shared").returncode == 0
        await answer_of(client, "resume", run_id=paused["run_id"])
        done = dict((await client.call_tool("boruna_wait", {"handle": paused["handle"]})).structured_content or {})
        assert (done["status"], done["result"]["status"]) == ("completed", "completed")


async def test_subscribers_hear_of_changes_that_the_command_line_makes_and_a_run_is_cancelled(state: Path) -> None:
    told: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            told.put_nowait(str(message.params.uri))

    async with agent(mode="legacy", message_handler=hear) as client:
        paused = await answer_of(client, "run", **workflow({}))
        uri = f"boruna://workflow-runs/{paused['run_id']}"
        await client.subscribe_resource(uri)
        with pytest.raises(MCPError):
            await client.subscribe_resource("boruna://workflow-runs/none")
        waiting = asyncio.create_task(client.call_tool("boruna_wait", {"handle": paused["handle"], "seconds": 1}))
        assert run("workflow", "approve", paused["run_id"], "g", "--shared").returncode == 0
        assert await asyncio.wait_for(told.get(), 20) == uri
        await waiting
        cancelled = await answer_of(client, "cancel", run_id=paused["run_id"])
        assert cancelled["status"] == "cancelled"
        assert await asyncio.wait_for(told.get(), 20) == uri
        assert "is already cancelled" in (await answer_of(client, "cancel", run_id=paused["run_id"]))["message"]
        assert "cancelled" in (await answer_of(client, "approve", run_id=paused["run_id"], step="g"))["message"]


async def test_evidence_of_a_run_is_verified_shown_and_run_again(state: Path, tmp_path: Path) -> None:
    async with agent(tmp_path) as client:
        answer = await answer_of(client, "run", **workflow())
        made = run("evidence", "export", answer["run_id"], "--shared", "--output-dir", str(tmp_path / "out"))
        assert made.returncode == 0, made.stderr
        bundle = tmp_path / "out" / answer["run_id"]
        verified = dict((await client.call_tool("boruna_evidence_verify", {"path": str(bundle)})).structured_content or {})
        assert (verified["valid"], verified["run_id"], verified["vouched_by"]) == (True, answer["run_id"], [])
        shown = dict((await client.call_tool("boruna_evidence_inspect", {"path": str(bundle)})).structured_content or {})
        assert shown["step_outputs"]["a"] == {"Int": 42}
        assert shown["events"][0]["action"] == "WorkflowStarted"
    again = run("evidence", "replay", str(bundle))
    assert (again.returncode, again.stdout) == (0, "2 of 2 steps have the recorded outputs\n")
    (bundle / "sources" / "a.ax").write_text(ONE.replace("42", "43"))
    assert "not valid" in run("evidence", "replay", str(bundle)).stderr


async def test_decisions_in_the_call_make_it_a_rehearsal(state: Path) -> None:
    async with agent() as client:
        answer = await answer_of(client, "run", **workflow({}), approvals={"g": "approved"})
        assert (answer["status"], answer["rehearsal"]) == ("completed", True)
        assert (await answer_of(client, "list"))["runs"] == []


@pytest.mark.parametrize(
    "given, kind, words",
    [
        ({"approvals": {"a": "approved"}}, "invalid_approval", "approvals 'a' is not an approval gate"),
        ({"approvals": {"G": "approved"}}, "invalid_approval", "approvals 'G' is not an approval gate"),
        ({"approvals": {"g": "yes"}}, "invalid_approval", "approvals 'g' must be \"approved\""),
        ({"approvals": {"g": {"rejected": "no", "by": "ann"}}}, "invalid_approval", "approvals 'g' must be"),
        ({"triggers": {"g": "1"}}, "invalid_trigger", "triggers 'g' is not an external_trigger step"),
        ({"triggers": {"t": 1}}, "invalid_trigger", "triggers 't' must be JSON text"),
        ({"triggers": {"t": "{"}}, "invalid_trigger", "is not valid JSON: EOF while parsing an object at line 1 column 1"),
    ],
)
async def test_decisions_and_events_must_be_those_that_steps_wait_for(
    state: Path, given: dict[str, Any], kind: str, words: str
) -> None:
    document = {
        "schema_version": 1,
        "name": "w",
        "version": "1",
        "steps": {
            "a": {"kind": "source", "source": "a.ax"},
            "g": {"kind": "approval_gate", "required_role": "r"},
            "t": {"kind": "external_trigger"},
        },
        "edges": [],
    }
    async with agent() as client:
        programs = {"a.ax": ONE}
        answer = await answer_of(client, "run", workflow_json=json.dumps(document), source_files=programs, **given)
        assert (answer["success"], answer["error_kind"]) == (False, kind)
        assert words in answer["message"]


@pytest.mark.parametrize(
    "files, kind, path",
    [
        ({"a.ax": ONE}, "missing_source", "b.ax"),
        ({"a.ax": ONE, "b.ax": ECHO, "../x.ax": ""}, "invalid_path", "../x.ax"),
        ({"a.ax": ONE, "b.ax": ECHO, "": ""}, "invalid_path", ""),
        ({"a.ax": ONE, "b.ax": ECHO, "c.ax": ""}, "unused_source", None),
        ({"a.ax": "//" + "x" * 300_000, "b.ax": ECHO}, "source_too_large", "a.ax"),
    ],
)
async def test_programs_must_be_exactly_those_of_the_steps(
    state: Path, files: dict[str, str], kind: str, path: str | None
) -> None:
    async with agent() as client:
        answer = await answer_of(client, "run", **(workflow() | {"source_files": files}))
        assert (answer["success"], answer["error_kind"], answer.get("path")) == (False, kind, path)


async def test_a_run_goes_on_after_its_server_was_killed(state: Path) -> None:
    """The server dies in the middle of a step; the next one takes the run up, and every step is recorded once."""
    async with agent() as client:
        call = asyncio.ensure_future(client.call_tool("boruna_workflow_run", workflow(slow=True)))
        while not (found := [one for one in (await answer_of(client, "list"))["runs"] if one["status"] == "running"]):
            await asyncio.sleep(0.05)
        (run_id,) = [one["run_id"] for one in found]
        while not (await answer_of(client, "status", run_id=run_id))["steps"]:
            await asyncio.sleep(0.05)
        services = [pid for pid in os.listdir("/proc") if pid.isdigit() and _is_service(pid, state)]
        assert services
        for pid in services:
            os.kill(int(pid), 9)
        answer = json.loads((await call).content[0].text)  # type: ignore[union-attr]
        while answer["status"] == "running":
            answer = await answer_of(client, "status", run_id=run_id)
            await asyncio.sleep(0.2)
        assert (answer["status"], answer["run_id"]) == ("completed", run_id)
    bundle = run("evidence", "export", run_id, "--shared", "--output-dir", str(state.parent / "out"))
    assert bundle.returncode == 0, bundle.stderr
    log = json.loads((state.parent / "out" / run_id / "audit_log.json").read_text())
    names = [next(iter(entry["event"])) for entry in log]
    assert names == ["WorkflowStarted", "StepCompleted", "StepCompleted", "WorkflowCompleted"]
    assert run("evidence", "verify", str(state.parent / "out" / run_id)).returncode == 0


def _is_service(pid: str, state: Path) -> bool:
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    return b"boruna_ls.workflow.service" in line and str(state).encode() in environment
