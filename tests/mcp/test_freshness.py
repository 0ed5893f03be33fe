"""Freshness in answers: every tool and resource, pages, parts, and files that change meanwhile."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from boruna_ls.mcp.kept import MOST_RESULTS
from boruna_ls.mcp.tools import TOOLS
from tests.support.agents import agent_server

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
REVISION = re.compile(r"[0-9a-f]{8}-\d+")
FAULTY = CLEAN.replace("5", "five")
SELECTED = {"start": {"line": 2, "column": 4}, "end": {"line": 2, "column": 9}}
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("boruna_check", {}),
    ("boruna_ast", {}),
    ("boruna_symbols", {}),
    ("boruna_compile", {}),
    ("boruna_inspect", {}),
    ("boruna_repair", {}),
    ("boruna_run", {}),
    ("boruna_run_live", {}),
    ("boruna_trace", {}),
    ("boruna_run_sealed", {}),
    ("boruna_validate_app", {}),
    ("boruna_framework_test", {"messages": []}),
    ("boruna_trace2tests", {"messages": []}),
    ("get_definition", {"symbol": "main"}),
    ("find_references", {"symbol": "main"}),
    ("try_edits", {"candidates": [{"text": CLEAN}]}),
    ("analyze_types", {}),
    ("boruna_preview", {}),
    ("call_hierarchy", {"symbol": "main"}),
    ("complete_code", {"cursor_position": {"line": 2, "column": 4}}),
    ("explain_error", {"error": "E003"}),
    ("extract_function", {"range": SELECTED, "apply": False}),
    ("get_file_context", {}),
    ("inline_variable", {"symbol": "main", "apply": False}),
    ("list_symbols", {}),
    ("parse_code", {}),
    ("refactor_code", {"kind": "extract_variable", "range": SELECTED, "apply": False}),
    ("rename_symbol", {"symbol": "main", "new_name": "other", "apply": False}),
    ("signature_help", {"position": {"line": 2, "column": 4}}),
    ("suggest_fix", {}),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "boruna.toml").write_text("", encoding="utf-8")
    (tmp_path / "a.ax").write_text(CLEAN, encoding="utf-8")
    for number in range(30):
        (tmp_path / f"file_{number:02}.ax").write_text(FAULTY, encoding="utf-8")
    return tmp_path


@asynccontextmanager
async def agent(folder: Path) -> AsyncIterator[Client]:
    async with Client(agent_server(cwd=folder)) as client:
        yield client


async def answer_of(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = json.loads((await client.call_tool(tool, arguments)).content[0].text)  # type: ignore[union-attr]
    return dict(answer)


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


async def test_every_answer_names_the_text_that_it_describes(folder: Path) -> None:
    async with agent(folder) as client:
        for tool, arguments in ASKED:
            fresh = (await answer_of(client, tool, path="a.ax", **arguments))["freshness"]
            expected = "speculative" if tool == "try_edits" else "disk"
            assert (fresh["sha256"], fresh["source"], fresh["unsaved"]) == (digest(CLEAN), expected, False), tool
            epoch, _, number = fresh["revision"].rpartition("-")
            assert epoch
            assert int(number) > 0
        inline = (await answer_of(client, "boruna_check", source=FAULTY))["freshness"]
        assert (inline["sha256"], inline["source"]) == (digest(FAULTY), "inline")


NO_SANDBOX = {"sandbox_id": "none"}
NO_EXECUTION = {"executionId": "none"}
NO_FILE: dict[str, dict[str, Any]] = {
    "boruna_builtins": {},
    "boruna_wait": {"handle": "none"},
    "enable_toolset": {"toolset": "app"},
    "boruna_capability_list": {},
    "boruna_policy_validate": {"policy_json": "{}"},
    "boruna_template_apply": {"template_name": "form-basic", "args": []},
    "boruna_template_list": {},
    "boruna_evidence_inspect": {"path": "none"},
    "boruna_evidence_verify": {"path": "none"},
    "boruna_workflow_approve": {"run_id": "none", "step": "g"},
    "boruna_workflow_cancel": {"run_id": "none"},
    "boruna_workflow_list": {},
    "boruna_workflow_reject": {"run_id": "none", "step": "g"},
    "boruna_workflow_resume": {"run_id": "none"},
    "boruna_workflow_run": {"workflow_json": "{}", "source_files": {}},
    "boruna_workflow_status": {"run_id": "none"},
    "boruna_workflow_validate": {"workflow_json": "{}"},
    "boruna_stdlib_check": {"names": ["std-json"]},
    # Refused: a sandbox takes more to make than this is about.
    "create_sandbox": {"memory_mib": 1},
    "destroy_sandbox": NO_SANDBOX,
    "execute_code": NO_SANDBOX | {"language": "python", "code": "1"},
    "list_directory": NO_SANDBOX,
    "list_sandboxes": {},
    "read_file": NO_SANDBOX | {"path": "a"},
    "run_command": NO_SANDBOX | {"command": "true"},
    "sandbox_changes": NO_SANDBOX,
    "write_file": NO_SANDBOX | {"path": "a", "content": ""},
    "delete_execution": NO_EXECUTION,
    "delete_program": {"programId": "none"},
    "getTask": NO_EXECUTION,
    "get_execution": NO_EXECUTION,
    "list_executions": {},
    "list_programs": {},
    "list_tasks": NO_EXECUTION,
    "loadFile": {"programId": "none", "filePath": "missing.ax"},
    "restart": {"programId": "none"},
    "set_current": NO_EXECUTION,
    "start": NO_EXECUTION | {"programId": "none"},
    "status": NO_EXECUTION,
    "submitTask": NO_EXECUTION | {"result": 1},
}
OTHERS: dict[str, dict[str, Any]] = {
    "boruna_replay": {"path": "a.ax", "event_log": "{}"},
    "generate_code": {"description": "a function"},
    "load": {"programId": "none", "source": ""},
    "search_workspace": {"query": "main"},
    "workspace_diagnostics": {},
}


def test_no_tool_is_left_out_here() -> None:
    assert {*TOOLS} == {tool for tool, _ in ASKED} | {*NO_FILE} | {*OTHERS}


async def test_every_tool_tells_the_state_also_of_no_file_and_of_what_cannot_be(folder: Path) -> None:
    async with agent(folder) as client:
        for tool, arguments in (NO_FILE | OTHERS).items():
            fresh = (await answer_of(client, tool, **arguments))["freshness"]
            assert REVISION.fullmatch(fresh["revision"]), tool
            assert fresh["coverage"] == {"checked": 0, "total": 0} or tool not in NO_FILE, tool
        for known in TOOLS.values():
            # A refusal is an answer, too.
            refused = await answer_of(client, known.name, **dict.fromkeys(known.load().arguments.model_fields, 7.5))
            if known.load().arguments.model_fields:
                assert refused["success"] is False
            assert REVISION.fullmatch(refused["freshness"]["revision"]), known.name


async def test_resources_and_prompts_of_no_file_do_so_too(folder: Path) -> None:
    async with agent(folder) as client:
        for uri in (
            "boruna://language-reference",
            "boruna://stdlib/std-json",
            "boruna://diagnostics/E003",
            "boruna://templates/form-basic",
        ):
            meta = (await client.read_resource(uri)).contents[0].meta
            assert meta is not None
            assert REVISION.fullmatch(meta["freshness"]["revision"]), uri
        for prompt in (await client.list_prompts()).prompts:
            meta = (await client.get_prompt(prompt.name, {"path": "a.ax", "goal": "greet"})).meta
            assert meta is not None
            assert REVISION.fullmatch(meta["freshness"]["revision"]), prompt.name
            if any(argument.name == "path" for argument in prompt.arguments or ()):
                assert meta["freshness"]["sha256"] == digest(CLEAN), prompt.name


async def test_resources_name_it_beside_the_text(folder: Path) -> None:
    async with agent(folder) as client:
        for uri in ("boruna://file/a.ax", "boruna://file-diagnostics/a.ax"):
            read = (await client.read_resource(uri)).contents[0]
            assert read.meta is not None
            fresh = read.meta["freshness"]
            assert (fresh["sha256"], fresh["coverage"]) == (digest(CLEAN), {"checked": 1, "total": 1})
        assert json.loads(read.text)["freshness"] == fresh  # type: ignore[union-attr]


async def test_a_workspace_that_can_be_read_in_part_says_so(folder: Path) -> None:
    (folder / "file_00.ax").write_bytes(b'fn main() -> String { "\xff" }\n')
    async with agent(folder) as client:
        answer = await answer_of(client, "workspace_diagnostics", severity="error")
        assert answer["freshness"]["coverage"] == {"checked": 30, "total": 31}
        assert [one["id"] for one in answer["files"][0]["diagnostics"]] == ["E014"]


async def test_pages_are_of_one_state_and_are_kept_for_a_while(folder: Path) -> None:
    async with agent(folder) as client:
        first = await answer_of(client, "workspace_diagnostics", severity="error", limit=10)
        (folder / "file_15.ax").write_text(CLEAN, encoding="utf-8")
        (folder / "file_16.ax").unlink()
        second = await answer_of(client, "workspace_diagnostics", cursor=first["next_cursor"], limit=10)
        third = await answer_of(client, "workspace_diagnostics", cursor=second["next_cursor"])
        names = [Path(one["file"]).name for page in (first, second, third) for one in page["files"]]
        assert names == [f"file_{number:02}.ax" for number in range(30)]
        assert all(one["diagnostics"] for page in (first, second, third) for one in page["files"])
        assert first["freshness"] == second["freshness"] == third["freshness"]
        assert "next_cursor" not in third
        now = await answer_of(client, "workspace_diagnostics", severity="error", limit=1)
        assert (now["total"], now["revision"]) != (first["total"], first["revision"])
        # Each client has a bounded number of results; the oldest goes first. A cursor belongs to the tool that gave it.
        for _ in range(MOST_RESULTS - 1):
            await answer_of(client, "workspace_diagnostics", severity="error", limit=1)
        for tool, cursor in (("workspace_diagnostics", first["next_cursor"]), ("find_references", now["next_cursor"])):
            refused = await answer_of(client, tool, path="a.ax", symbol="main", cursor=cursor)
            assert (refused["success"], refused["error"]["field"]) == (False, "cursor")
            assert "call again without `cursor`" in refused["error"]["message"]
        rest = await answer_of(client, "workspace_diagnostics", cursor=now["next_cursor"])
        assert len(rest["files"]) == now["total"] - 1


async def test_answers_are_not_older_than_the_question(folder: Path) -> None:
    """The disk is written again and again; an answer describes what was written before its question, or later."""
    path = folder / "a.ax"
    written = [digest(CLEAN)]
    is_over = False

    async def write() -> None:
        for number in range(200):
            text = f"fn main() -> Int {{\n    {number} + absent_{number}\n}}\n"
            temporary = path.with_suffix(".tmp")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(path)
            written.append(digest(text))
            await asyncio.sleep(0.005)

    async def ask(client: Client) -> int:
        count = 0
        while not is_over:
            count += 1
            before = len(written) - 1
            answer = await answer_of(client, "boruna_check", path="a.ax")
            described = written.index(answer["freshness"]["sha256"])
            assert described >= before
            messages = [one["message"] for one in answer["diagnostics"] if one["id"] == "E003"]
            assert messages == ([f"undefined variable: absent_{described - 1}"] if described else [])
        return count

    async with agent(folder) as client, asyncio.timeout(60):
        asking = [asyncio.ensure_future(ask(client)) for _ in range(3)]
        await write()
        is_over = True
        assert all(await asyncio.gather(*asking))
