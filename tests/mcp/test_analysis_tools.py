"""The analysis tools of agents: symbols first, both forms of positions, refused calls that teach, trials that nobody sees."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.support.agents import agent_server

LIBRARY = "// Doubles.\nexport fn twice(n: Int) -> Int {\n    n * 2\n}\n"
APP = """import "shop"

type Order { total: Int, paid: Bool }
enum State { Open, Closed(Int) }

// What is left to pay.
fn due(order: Order) -> Int {
    let left: Int = twice(order.total)
    left
}

fn main() -> Int {
    let order: Order = Order { total: 4, paid: false }
    let state: State = State::Closed(1)
    match state {
        Open => due(order),
        Closed(n) => n,
    }
}
"""
OTHER = "fn due(n: Int) -> Int {\n    n + missing\n}\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "boruna.toml").write_text("", encoding="utf-8")
    (tmp_path / "libs/shop/src").mkdir(parents=True)
    (tmp_path / "libs/shop/src/core.ax").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "app.ax").write_text(APP, encoding="utf-8")
    (tmp_path / "other.ax").write_text(OTHER, encoding="utf-8")
    return tmp_path


@asynccontextmanager
async def agent(folder: Path) -> AsyncIterator[Client]:
    async with Client(agent_server(cwd=folder)) as client:
        yield client


async def answer_of(client: Client, tool: str, is_error: bool = False, **arguments: Any) -> dict[str, Any]:
    """The answer, which is as the tool's schema says, or the error of a refused call."""
    result = await client.call_tool(tool, arguments)
    answer = json.loads(result.content[0].text)  # type: ignore[union-attr]
    assert answer == result.structured_content
    assert result.is_error is is_error, answer
    schema = next(one.output_schema for one in (await client.list_tools()).tools if one.name == tool)
    jsonschema.validate(answer, schema or {})
    if is_error:
        assert answer["success"] is False
        assert answer["error"]["example"]
        return dict(answer["error"])
    assert {"revision", "source", "sha256", "unsaved", "coverage"} <= answer["freshness"].keys()
    return dict(answer)


async def test_definition_of_symbols(workspace: Path) -> None:
    async with agent(workspace) as client:
        due = (await answer_of(client, "get_definition", path="app.ax", symbol="due"))["definition"]
        assert (due["signature"], due["doc"]) == ("fn due(order: Order) -> Int", "What is left to pay.")
        assert (due["range"]["line"], due["range"]["col"], due["range"]["column"]) == (7, 4, 3)
        for symbol, line in (
            ("Order.total", 3),
            ("State::Closed", 4),
            ("order", None),
            ("app.ax:due", 7),
            ("app.ax:State::Open", 4),
        ):
            arguments: dict[str, Any] = (
                {"symbol": symbol} if ":" in symbol.replace("::", "") else {"file": "app.ax", "symbol": symbol}
            )
            if line is None:
                found = await answer_of(client, "get_definition", True, **arguments)
                assert {one["kind"] for one in found["candidates"]} == {"parameter", "local"}
            else:
                assert (await answer_of(client, "get_definition", **arguments))["definition"]["range"]["line"] == line
        library = (await answer_of(client, "get_definition", path="app.ax", symbol="twice"))["definition"]
        assert (library["file"], library["doc"]) == (str(workspace / "libs/shop/src/core.ax"), "Doubles.")
        builtin = await answer_of(client, "get_definition", path="app.ax", symbol="string_slice")
        assert builtin["signature"] == "fn __builtin_string_slice(s: String, start: Int, end: Int) -> String"
        assert (builtin["definition"], builtin["kind"]) == (None, "builtin")
        assert "substring" in builtin["doc"]
        assert (await answer_of(client, "get_definition", symbol="Order"))["definition"]["file"] == str(workspace / "app.ax")


async def test_positions_in_both_forms(workspace: Path) -> None:
    line = '    let text: String = "é"  text ++ text\n'
    code = f"fn main() -> String {{\n{line}}}\n"
    column = line.rindex("text")
    async with agent(workspace) as client:
        for position in ({"line": 2, "column": column}, {"line": 2, "col": len(line[:column].encode()) + 1}):
            answer = await answer_of(client, "get_definition", code=code, position=position)
            assert answer["definition"]["range"]["line"] == 2
            assert answer["freshness"]["source"] == "inline"
        echoed = answer["definition"]["range"]
        again = await answer_of(
            client, "find_references", code=code, position={key: echoed[key] for key in ("line", "col", "column")}
        )
        assert [one["kind"] for one in again["references"]] == ["declaration", "read", "read"]


async def test_references_in_the_whole_workspace(workspace: Path) -> None:
    async with agent(workspace) as client:
        answer = await answer_of(client, "find_references", path="libs/shop/src/core.ax", symbol="twice")
        places = [(Path(one["file"]).name, one["kind"], one["line_text"]) for one in answer["references"]]
        assert places == [
            ("core.ax", "declaration", "export fn twice(n: Int) -> Int {"),
            ("app.ax", "call", "let left: Int = twice(order.total)"),
        ]
        assert answer["freshness"]["coverage"] == {"checked": 3, "total": 3}
        kinds = {one["kind"] for one in (await answer_of(client, "find_references", path="app.ax", symbol="Order"))["references"]}
        assert {"declaration", "construct"} <= kinds
        first = await answer_of(client, "find_references", path="app.ax", symbol="due", limit=1)
        assert (len(first["references"]), first["total"]) == (1, 2)
        rest = await answer_of(client, "find_references", path="app.ax", symbol="due", cursor=first["next_cursor"])
        assert [one["kind"] for one in rest["references"]] == ["call"]
        (workspace / "app.ax").write_text(APP.replace("due", "owed"), encoding="utf-8")
        again = await answer_of(client, "find_references", path="app.ax", symbol="due", cursor=first["next_cursor"])
        assert again == rest
        unknown = await answer_of(client, "find_references", True, path="app.ax", symbol="due", cursor="0123@1")
        assert "expired" in unknown["message"]


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("get_definition", {}, "ValidationError", "position"),
    ("get_definition", {"path": "app.ax"}, "ValidationError", "position"),
    ("get_definition", {"symbol": "due", "position": {"line": 1, "col": 1}, "path": "app.ax"}, "ValidationError", "position"),
    ("get_definition", {"path": "app.ax", "position": {"line": 1}}, "ValidationError", "position"),
    ("get_definition", {"path": "app.ax", "position": {"line": 999, "col": 1}}, "ValidationError", "position"),
    ("get_definition", {"path": "app.ax", "position": {"line": 1, "col": 999}}, "ValidationError", "position"),
    ("get_definition", {"path": "app.ax", "code": "", "symbol": "due"}, "ValidationError", "code"),
    ("get_definition", {"path": "app.ax", "code": "x", "symbol": "due"}, "ValidationError", "path"),
    ("get_definition", {"path": "app.ax", "symbol": "x" * 201}, "ValidationError", "symbol"),
    ("get_definition", {"path": "app.ax", "symbol": 5}, "ValidationError", "symbol"),
    ("get_definition", {"path": "app.ax", "symbol": "deu"}, "NotFound", "symbol"),
    ("get_definition", {"symbol": "due"}, "NotFound", "symbol"),
    ("get_definition", {"path": "none.ax", "symbol": "due"}, "NotFound", "path"),
    ("find_references", {"code": "y" * 1_000_001, "symbol": "y"}, "ValidationError", "code"),
    ("workspace_diagnostics", {"severity": "bad"}, "ValidationError", "severity"),
    ("workspace_diagnostics", {"cursor": "nothing@1"}, "ValidationError", "cursor"),
    ("workspace_diagnostics", {"paths": [1]}, "ValidationError", "paths"),
    ("try_edits", {}, "ValidationError", "candidates"),
    ("try_edits", {"path": "app.ax", "candidates": []}, "ValidationError", "candidates"),
    ("try_edits", {"path": "app.ax", "candidates": [{"text": ""}] * 101}, "ValidationError", "candidates"),
    ("try_edits", {"path": "app.ax", "candidates": [{}]}, "ValidationError", "candidates"),
    ("try_edits", {"candidates": [{"text": ""}]}, "ValidationError", "candidates"),
    (
        "try_edits",
        {"path": "app.ax", "candidates": [{"edits": [{"old_text": "due", "new_text": ""}]}]},
        "ValidationError",
        "candidates",
    ),
    ("try_edits", {"path": "app.ax", "candidates": [{"edits": "x"}]}, "ValidationError", "candidates"),
    ("try_edits", {"candidates": [{"files": {"none.ax": ""}}]}, "NotFound", "path"),
]


async def test_refused_calls_say_what_is_accepted(workspace: Path) -> None:
    async with agent(workspace) as client:
        for tool, arguments, kind, field in REFUSED:
            error = await answer_of(client, tool, True, **arguments)
            assert (error["error_type"], error["field"]) == (kind, field), (arguments, error)
        large = await answer_of(client, "workspace_diagnostics", True, limit=2**63)
        assert large["accepted"].startswith("an integer from 0 to 10000"), large
        many = await answer_of(client, "try_edits", True, path="app.ax", candidates=[{"label": "x", "text": ""}] * 1000)
        assert many["accepted"].startswith("a list of at most "), many
        similar = await answer_of(client, "get_definition", True, path="app.ax", symbol="deu")
        assert similar["candidates"][0]["symbol"] == "due"
        ambiguous = await answer_of(client, "get_definition", True, symbol="due")
        assert {Path(one["file"]).name for one in ambiguous["candidates"]} == {"app.ax", "other.ax"}


async def test_diagnostics_of_the_workspace_and_what_changed(workspace: Path) -> None:
    async with agent(workspace) as client:
        first = await answer_of(client, "workspace_diagnostics", severity="error")
        assert [(Path(one["file"]).name, len(one["diagnostics"])) for one in first["files"]] == [("other.ax", 1)]
        assert (first["counts"], first["freshness"]["coverage"]) == ({"error": 1}, {"checked": 3, "total": 3})
        same = await answer_of(client, "workspace_diagnostics", severity="error", since=first["revision"])
        assert (same["files"], same["removed"], same["revision"]) == ([], [], first["revision"])
        (workspace / "other.ax").write_text(OTHER.replace("missing", "1"), encoding="utf-8")
        (workspace / "new.ax").write_text("fn main() -> Int { nothing }\n", encoding="utf-8")
        changed = await answer_of(client, "workspace_diagnostics", severity="error", since=first["revision"])
        found = {Path(one["file"]).name: len(one["diagnostics"]) for one in changed["files"]}
        assert found == {"new.ax": 1, "other.ax": 0}
        (workspace / "new.ax").unlink()
        removed = await answer_of(client, "workspace_diagnostics", severity="error", since=changed["revision"])
        assert [Path(path).name for path in removed["removed"]] == ["new.ax"]
        unknown = await answer_of(client, "workspace_diagnostics", severity="error", since="nothing-1")
        assert "nothing-1" in unknown["warnings"][0]
        assert [Path(one["file"]).name for one in unknown["files"]] == []
        some = await answer_of(client, "workspace_diagnostics", paths=["libs/*/src/*.ax"])
        assert some["freshness"]["coverage"] == {"checked": 1, "total": 1}


async def test_trials_are_ranked_and_leave_nothing_behind(workspace: Path) -> None:
    async with agent(workspace) as client:
        before = await answer_of(client, "workspace_diagnostics", severity="hint")
        candidates = [
            {"label": "worse", "edits": [{"old_text": "missing", "new_text": "missing + absent"}]},
            {"label": "good", "edits": [{"start": {"line": 2, "column": 8}, "end": {"line": 2, "column": 15}, "new_text": "n"}]},
            {"label": "broken", "text": "fn due("},
            {"label": "effects", "text": OTHER.replace("-> Int", "-> Int !{fs.read}")},
        ]
        answer = await answer_of(client, "try_edits", path="other.ax", candidates=candidates)
        assert (answer["best"], answer["written"], answer["freshness"]["source"]) == ("good", False, "speculative")
        by_label = {one["label"]: one for one in answer["candidates"]}
        assert [one["id"] for one in by_label["good"]["resolved"]] == ["E003"]
        assert by_label["good"]["introduced"] == []
        assert [one["message"] for one in by_label["worse"]["introduced"]] == ["undefined variable: absent"]
        assert by_label["worse"]["resolved"] == []
        assert by_label["effects"]["capabilities_gained"] == ["fs.read"]
        assert sorted(one["rank"] for one in by_label.values()) == [1, 2, 3, 4]
        many = [{"text": OTHER.replace("missing", f"absent{number}")} for number in range(100)]
        tried = await answer_of(client, "try_edits", path="other.ax", candidates=many, detail="full")
        messages = [one["introduced"][0]["message"] for one in tried["candidates"]]
        assert messages == [f"undefined variable: absent{number}" for number in range(100)]
        after = await answer_of(client, "workspace_diagnostics", severity="hint")
        assert after == before
    assert (workspace / "other.ax").read_text(encoding="utf-8") == OTHER


async def test_a_trial_of_a_library_tells_what_breaks_elsewhere(workspace: Path) -> None:
    async with agent(workspace) as client:
        renamed = {"libs/shop/src/core.ax": LIBRARY.replace("twice", "double")}
        both = renamed | {"app.ax": APP.replace("twice", "double")}
        candidates = [{"label": "one", "files": renamed}, {"label": "both", "files": both}]
        answer = await answer_of(client, "try_edits", candidates=candidates)
        one, whole = answer["candidates"]
        errors = [Path(found["location"]["file"]).name for found in one["introduced"] if found["severity"] == "error"]
        assert errors == ["app.ax"]
        assert (whole["introduced_count"], answer["best"]) == (0, "both")
        assert (one["files_checked"], one["files_unchanged"]) == (3, 2)
        assert (await answer_of(client, "get_definition", path="app.ax", symbol="twice"))["definition"]


async def test_detail_decides_how_much_is_told(workspace: Path) -> None:
    async with agent(workspace) as client:
        told = {
            detail: (await answer_of(client, "get_definition", path="app.ax", symbol="due", detail=detail))["definition"]
            for detail in ("summary", "standard", "full")
        }
        assert told["summary"].keys() < told["standard"].keys() < told["full"].keys()
        assert told["full"]["text"].startswith("fn due(order: Order) -> Int {\n")
        uses: dict[str, Any] = {"path": "app.ax", "symbol": "due"}
        counted = await answer_of(client, "find_references", detail="summary", **uses)
        assert (counted["reference_count"], counted["total"]) == (2, 1)
        assert counted["files"] == [{"file": str(workspace / "app.ax"), "count": 2, "kinds": {"declaration": 1, "call": 1}}]
        shown = (await answer_of(client, "find_references", detail="full", **uses))["references"]
        assert shown[1]["context"] == [
            "    let state: State = State::Closed(1)",
            "    match state {",
            "        Open => due(order),",
            "        Closed(n) => n,",
            "    }",
        ]
        assert "context" not in (await answer_of(client, "find_references", **uses))["references"][1]
        counts = await answer_of(client, "workspace_diagnostics", severity="error", detail="summary")
        assert counts["files"] == [{"file": str(workspace / "other.ax"), "counts": {"error": 1}}]
        full = (await answer_of(client, "workspace_diagnostics", severity="error", detail="full"))["files"][0]["diagnostics"][0]
        assert (full["id"], full["line_text"], "why" in full) == ("E003", "n + missing", True)
        for tool in ("get_definition", "find_references", "workspace_diagnostics"):
            arguments: dict[str, Any] = {} if tool == "workspace_diagnostics" else uses
            assert (await answer_of(client, tool, True, detail="everything", **arguments))["field"] == "detail"


async def test_a_long_declaration_is_cut_and_says_where_the_rest_is(tmp_path: Path) -> None:
    comment = "".join(f"// line {number} of what this is about\n" for number in range(500))
    body = "".join(f"    let _n{number}: Int = {number}\n" for number in range(2000))
    (tmp_path / "long.ax").write_text(f"{comment}fn long() -> Int {{\n{body}    1\n}}\n", encoding="utf-8")
    async with agent(tmp_path) as client:
        for detail in ("standard", "full"):
            answer = await answer_of(client, "get_definition", path="long.ax", symbol="long", detail=detail)
            assert len(json.dumps(answer)) < 40_000
            assert "full_range" in answer["definition"]["omitted"]["rest"]


async def test_programs_anywhere_and_other_files_in_the_project_only(
    workspace: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "other.ax").write_text(OTHER, encoding="utf-8")
    (elsewhere / "secret").write_text("password hunter2\n", encoding="utf-8")
    (workspace / "notes").write_text(OTHER, encoding="utf-8")
    async with agent(workspace) as client:
        for path in (str(elsewhere / "other.ax"), "notes"):
            assert (await answer_of(client, "get_definition", path=path, symbol="due"))["definition"]["range"]["line"] == 1
        for path in (str(elsewhere / "secret"), "../../../../../../../etc/passwd"):
            refused = await answer_of(client, "get_definition", True, path=path, symbol="due")
            assert "is outside this client's folders" in refused["message"]
            assert "outside this client's folders" in (await answer_of(client, "boruna_check", True, path=path))["message"]
        with pytest.raises(MCPError):
            await client.read_resource(f"boruna://file/{elsewhere / 'secret'}")
