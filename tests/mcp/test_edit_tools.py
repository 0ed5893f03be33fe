"""Tools that edit: edits with their delta, `apply` for all files or none, on disk and through the editor that has a file open."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.mcp.test_analysis_tools import APP, LIBRARY, answer_of, workspace
from tests.support.agents import agent_server

__all__ = ["workspace"]


@asynccontextmanager
async def agent(folder: Path, *more: str) -> AsyncIterator[Client]:
    async with Client(agent_server("--toolsets", "analysis", *more, cwd=folder)) as client:
        yield client


async def test_a_symbol_of_a_library_is_renamed_everywhere_or_nowhere(workspace: Path) -> None:
    async with agent(workspace) as client:
        told = await answer_of(client, "rename_symbol", path="app.ax", symbol="twice", new_name="double")
        assert (told["occurrences_renamed"], told["old_name"], told["applied"]) == (2, "twice", False)
        assert (workspace / "app.ax").read_text("utf-8") == APP
        assert told["delta"]["introduced_count"] == 0
        done = await answer_of(client, "rename_symbol", path="app.ax", symbol="twice", new_name="double", apply=True)
        assert {one["how"] for one in done["written"]} == {"disk"}
        assert (workspace / "app.ax").read_text("utf-8") == APP.replace("twice", "double")
        assert (workspace / "libs/shop/src/core.ax").read_text("utf-8") == LIBRARY.replace("twice", "double")
        refused = await answer_of(client, "rename_symbol", path="app.ax", symbol="due", new_name="main")
        assert refused["success"] is False
        assert refused["error_kind"] == "refused"


async def test_all_files_are_written_or_none(workspace: Path) -> None:
    (workspace / "libs/shop/src/core.ax").unlink()
    outside = workspace.parent / "outside.ax"
    outside.write_text(LIBRARY, encoding="utf-8")
    async with agent(workspace) as client:
        # What lies behind a link out of the workspace is not written, and then nothing is.
        (workspace / "libs/shop/src/core.ax").symlink_to(outside)
        result = await client.call_tool(
            "rename_symbol", {"path": "app.ax", "symbol": "twice", "new_name": "double", "apply": True}
        )
        assert result.structured_content is not None
        assert result.structured_content["success"] is False
        assert outside.read_text("utf-8") == LIBRARY
        assert (workspace / "app.ax").read_text("utf-8") == APP
        (workspace / "app.ax").chmod(0o640)
        await answer_of(client, "rename_symbol", path="app.ax", symbol="due", new_name="owed", apply=True)
        assert (workspace / "app.ax").read_text("utf-8") == APP.replace("due", "owed")
        assert (workspace / "app.ax").stat().st_mode & 0o777 == 0o640
        assert sorted(one.name for one in workspace.iterdir()) == ["app.ax", "boruna.toml", "libs", "other.ax"]


async def test_functions_are_extracted_and_variables_inlined(workspace: Path) -> None:
    code = "fn main() -> Int {\n    let base = 4\n    let area = base * base\n    area + 1\n}\n"
    lines = {"start": {"line": 3, "column": 15}, "end": {"line": 3, "column": 26}}
    async with agent(workspace) as client:
        made = await answer_of(client, "extract_function", code=code, range=lines, new_function_name="square")
        assert made["function_signature"] == "fn square(base: Int) -> Int"
        assert made["captured_variables"] == ["base"]
        assert "let area = square(base)" in made["refactored_code"]
        inlined = await answer_of(client, "inline_variable", code=code, symbol="area")
        assert inlined["refactored_code"] == "fn main() -> Int {\n    let base = 4\n    base * base + 1\n}\n"
        assert inlined["occurrences_replaced"] == 1
        cut = {"start": {"line": 3, "column": 15}, "end": {"line": 3, "column": 24}}
        refused = await answer_of(client, "extract_function", code=code, range=cut)
        assert "cuts an expression" in refused["message"]
        wrong = await answer_of(client, "inline_variable", True, code=code, symbol="area", apply=True)
        assert wrong["field"] == "apply"


async def test_other_refactorings_by_their_names(workspace: Path) -> None:
    (workspace / "libs/shop/src/core.ax").write_text(
        LIBRARY + "\nexport fn add(a: Int, b: Int) -> Int {\n    a - b\n}\n", "utf-8"
    )
    code = 'import "shop"\n\nfn helper(n: Int) -> Int {\n    n + 1\n}\n\nfn main() -> Int {\n    add(helper(3), 4)\n}\n'
    (workspace / "calc.ax").write_text(code, "utf-8")
    async with agent(workspace) as client:
        swapped: dict[str, Any] = {"kind": "change_signature", "parameters": [{"number": 1}, {"number": 0}]}
        made = await answer_of(client, "refactor_code", path="calc.ax", symbol="add", apply=True, **swapped)
        assert made["calls_changed"] == 1
        assert "add(4, helper(3))" in (workspace / "calc.ax").read_text("utf-8")
        assert "fn add(b: Int, a: Int)" in (workspace / "libs/shop/src/core.ax").read_text("utf-8")
        moved = await answer_of(
            client, "refactor_code", path="calc.ax", symbol="helper", kind="move_item", library="tools", apply=True
        )
        assert moved["delta"]["introduced_count"] == 0
        assert (workspace / "libs/tools/src/core.ax").read_text("utf-8").startswith("export fn helper(n: Int)")
        assert 'import "tools"' in (workspace / "calc.ax").read_text("utf-8")
        checked = await answer_of(client, "workspace_diagnostics", paths=["calc.ax"])
        assert checked["files"] == []
        escape = await answer_of(client, "refactor_code", path="other.ax", symbol="due", kind="move_item", library="..")
        assert escape["success"] is False
        told = await answer_of(
            client, "refactor_code", code="fn main() -> Int { if 1 < 2 { 3 } else { 4 } }", position={"line": 1, "column": 24}
        )
        assert [one["kind"] for one in told["refactorings"]] == ["flip_binary"]


BROKEN = "fn good(n: Int) -> Int {\n    n + 1\n}\n\nfn main() -> Int {\n    let a = good(2\n    a + )\n    a\n}\n"
AT_A = {"line": 8, "col": 5}
WITH_ONE_MORE = {"kind": "change_signature", "parameters": [{"number": 0}, {"name": "by", "type": "Int", "value": "1"}]}
NEEDING_WHAT_IS_BROKEN: list[tuple[str, dict[str, Any]]] = [
    ("extract_function", {"range": {"start": AT_A, "end": {"line": 8, "col": 6}}, "new_function_name": "part"}),
    ("inline_variable", {"position": AT_A}),
    ("rename_symbol", {"position": {"line": 7, "col": 9}, "new_name": "b"}),
    ("refactor_code", {"position": AT_A}),
    ("refactor_code", {"position": AT_A, "kind": "flip_binary"}),
    ("refactor_code", {"symbol": "main", "kind": "move_item", "library": "tools"}),
    # The function parses, its caller does not.
    ("refactor_code", {"symbol": "good", **WITH_ONE_MORE}),
]


async def test_what_needs_an_item_that_does_not_parse_names_the_error_and_its_place(workspace: Path) -> None:
    (workspace / "broken.ax").write_text(BROKEN, "utf-8")
    async with agent(workspace) as client:
        for tool, arguments in NEEDING_WHAT_IS_BROKEN:
            for given in ({"code": BROKEN}, {"path": "broken.ax"}):
                error = await answer_of(client, tool, True, **given, **arguments)
                assert (error["error_type"], error["code"]) == ("ParseError", "E002"), (tool, arguments, error)
                where = error["location"]
                assert (where["line"], where["col"], where["column"]) == (6, 17, 16), (tool, arguments, error)
                assert Path(where["file"]).name == Path(given.get("path", "<code>")).name
                assert "is never closed" in error["message"]
        # What parses can be changed beside it.
        for tool, arguments in (
            ("rename_symbol", {"symbol": "n", "new_name": "number"}),
            ("refactor_code", {"kind": "flip_binary", "position": {"line": 2, "col": 7}}),
        ):
            made = await answer_of(client, tool, path="broken.ax", **arguments)
            assert list(made["changes"]) == [str(workspace / "broken.ax")]


async def test_types_of_a_text_without_an_item_that_parses(workspace: Path) -> None:
    async with agent(workspace) as client:
        for code, arguments in (("not a program", {}), ('{"a": 1}', {"cursor_position": {"line": 1, "col": 3}})):
            error = await answer_of(client, "analyze_types", True, code=code, **arguments)
            assert (error["error_type"], error["location"]["line"], error["location"]["col"]) == ("ParseError", 1, 1)
        # A faulty program is an answer: what parses has types.
        told = await answer_of(client, "analyze_types", code=BROKEN)
        assert told["inferred_types"]["n"] == "Int"
        assert (await answer_of(client, "analyze_types", code="// nothing yet\n"))["inferred_types"] == {}


async def test_a_server_that_only_reads_has_no_tool_that_writes(workspace: Path) -> None:
    async with agent(workspace, "--read-only") as client:
        names = {one.name for one in (await client.list_tools()).tools}
        assert "find_references" in names
        assert not names & {"rename_symbol", "extract_function", "inline_variable", "refactor_code"}
        with pytest.raises(MCPError):
            await client.call_tool("rename_symbol", {"path": "app.ax", "symbol": "due", "new_name": "owed"})
