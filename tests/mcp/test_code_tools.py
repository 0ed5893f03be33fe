"""The analysis tools that read: trees with places, types, calls, completion, explanations, fixes, searches."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mcp import Client

from tests.mcp.test_analysis_tools import APP, answer_of, workspace
from tests.support.agents import agent_server

__all__ = ["workspace"]


@asynccontextmanager
async def agent(folder: Path) -> AsyncIterator[Client]:
    async with Client(agent_server("--toolsets", "analysis", cwd=folder)) as client:
        yield client


async def test_a_tree_has_a_place_for_every_node_also_beside_errors(workspace: Path) -> None:
    async with agent(workspace) as client:
        answer = await answer_of(client, "parse_code", code='fn f() -> Int { 2 + "é" + g }\nfn g() -> Int { 1 + }')
        function = answer["ast"]["items"][0]["Function"]
        whole = function["body"]["stmts"][0]["Expr"]
        right = whole["Binary"]["right"]
        assert (right["Ident"], right["span"]["column"], right["span"]["col"]) == ("g", 26, 28)
        assert whole["span"]["end_column"] == 27
        assert [one["id"] for one in answer["diagnostics"]].count("E002") == 1
        assert len(answer["ast"]["items"]) == 2
        first = await answer_of(client, "parse_code", path="app.ax", limit=2, detail="summary", include_diagnostics=False)
        assert first["total"] == 5
        assert "diagnostics" not in first
        second = await answer_of(client, "parse_code", cursor=first["next_cursor"], limit=10)
        names = [next(iter(one.values()))["name"] for page in (first, second) for one in page["ast"]["items"]]
        assert names == ["shop", "Order", "State", "due", "main"]


async def test_types_of_locals_and_at_the_cursor(workspace: Path) -> None:
    line = next(number for number, text in enumerate(APP.split("\n"), 1) if "twice(" in text)
    column = APP.split("\n")[line - 1].index("order.total") + len("order.")
    async with agent(workspace) as client:
        every = await answer_of(client, "analyze_types", path="app.ax")
        assert every["inferred_types"] == {"order": "Order", "left": "Int", "state": "State", "n": "Int"}
        here = await answer_of(client, "analyze_types", path="app.ax", cursor_position={"line": line, "column": column})
        assert here["inferred_types"] == {"order": "Order"}
        assert (here["type_at_cursor"], here["expected_type_at_cursor"]) == ("Int", "Int")
        helped = await answer_of(client, "signature_help", path="app.ax", position={"line": line, "column": column})
        assert (helped["signatures"][0]["label"], helped["active_parameter"]) == ("fn twice(n: Int) -> Int", 0)
        mixed = await answer_of(client, "analyze_types", code="fn f(n: Int) -> Int { n }\nfn main(n: String) -> Int { f(1) }")
        assert mixed["inferred_types"] == {"f.n": "Int", "main.n": "String"}
        without = await answer_of(client, "analyze_types", code="fn f(n: Int) { n * 2 }\nfn main() -> Int { let a = f(1)  a }")
        assert without["inferred_results"] == {"f": "Int"}
        assert without["inferred_types"]["a"] == "_"


async def test_calls_in_both_directions(workspace: Path) -> None:
    async with agent(workspace) as client:
        up = await answer_of(client, "call_hierarchy", symbol="twice", depth=4)
        assert [one["name"] for one in up["calls"]] == ["due"]
        assert [one["name"] for one in up["calls"][0]["calls"]] == ["main"]
        same = await answer_of(client, "call_hierarchy", path="app.ax", symbol="twice", depth=4)
        assert [one["name"] for one in same["calls"]] == ["due"]
        down = await answer_of(client, "call_hierarchy", path="app.ax", symbol="main", direction="callees", depth=4)
        assert down["calls"][0]["calls"][0]["name"] == "twice"
        code = "fn main() -> Int !{time.now} {\n    if time_now() > 0 { main() } else { 0 }\n}"
        own = await answer_of(client, "call_hierarchy", code=code, symbol="main", direction="callees", depth=8)
        assert own["calls"][0]["recursive"] is True
        assert own["function"]["capabilities"] == ["time.now"]
        refused = await answer_of(client, "call_hierarchy", True, path="app.ax", symbol="Order")
        assert refused["error_type"] == "NotFound"


async def test_completion_brings_the_import_along(workspace: Path) -> None:
    async with agent(workspace) as client:
        code = "fn main() -> Int {\n    twi\n}\n"
        (workspace / "new.ax").write_text(code, encoding="utf-8")
        answer = await answer_of(client, "complete_code", path="new.ax", cursor_position={"line": 2, "column": 7})
        entry = next(one for one in answer["completions"] if one["text"] == "twice")
        assert entry["additional_edits"][0]["new_text"].startswith('import "shop"')
        assert answer["replaces"]["column"] == 4
        short = await answer_of(client, "complete_code", path="app.ax", limit=1, detail="summary")
        assert len(short["completions"]) == 1
        assert short["omitted"]["left_out"] > 0


async def test_errors_are_explained_and_fixed(workspace: Path) -> None:
    code = "fn main() -> Int {\n    let total = 1\n    totl\n}\n"
    async with agent(workspace) as client:
        by_code = (await client.call_tool("explain_error", {"error": "E003"})).structured_content
        assert by_code is not None
        assert by_code["documentation_uri"] == "boruna://diagnostics/E003"
        assert "corrected_code" not in by_code
        case = await answer_of(client, "explain_error", error={"message": "undefined variable: totl"}, code_context=code)
        assert case["corrected_code"] == code.replace("totl", "total")
        assert case["diagnostic"]["range"]["line"] == 3
        unfixable = await answer_of(client, "explain_error", error="E003", path="other.ax")
        assert unfixable["code"] == "E003"
        assert "corrected_code" not in unfixable
        for message, word in {
            "runtime error: division by zero": "right side",
            "type error: expected List, got Int": "not a list",
            "list index out of bounds: index 3, length 2": "positions count from 0",
        }.items():
            of_run = (await client.call_tool("explain_error", {"error": message})).structured_content
            assert of_run is not None
            assert (of_run["code"], word in of_run["suggestion"]) == ("runtime_error", True)
        program = "fn main() -> Int { 1 / 0 }"
        certain = await answer_of(client, "explain_error", error="division by zero", code_context=program)
        assert certain["code"] == "W109"
        unknown = (await client.call_tool("explain_error", {"error": "xyzzy"})).structured_content
        assert unknown is not None
        assert unknown["error_kind"] == "unknown_error"
        fixes = (await answer_of(client, "suggest_fix", code=code, diagnostic_id="E003"))["fixes"]
        assert fixes[0]["edits"][0]["new_text"] == "total"
        assert fixes[0]["remaining_diagnostics"] == 0
        elsewhere = await answer_of(client, "suggest_fix", code=code, position={"line": 1, "column": 4})
        assert elsewhere["fixes"] == []
        assert "placeholder" not in fixes[0]
        code = "fn add(a: Int, b: Int) -> Int { a + b }\n\nfn main() -> Int {\n    add(1)\n}\n"
        invented, *_ = (await answer_of(client, "suggest_fix", code=code, diagnostic_id="E009"))["fixes"]
        assert (invented["placeholder"], invented["title"]) == (True, "pass `0` for 'b' (placeholder: replace it)")
        place = invented["placeholder_at"]
        assert (place["text"], place["line"], place["column"], place["end_column"]) == ("0", 4, 11, 12)


async def test_searches_say_how_they_were_read(workspace: Path) -> None:
    async with agent(workspace) as client:
        found = await answer_of(client, "search_workspace", query="Which functions return an Int and call twice?")
        assert [(Path(one["file"]).name, len(one["matches"])) for one in found["results"]] == [("app.ax", 1)]
        assert found["why"] == "function; returns Int; calls twice"
        nobody = await answer_of(client, "search_workspace", query="takes Order", file_pattern="libs/**/*.ax")
        assert nobody["match_count"] == 0
        assert nobody["freshness"]["coverage"]["total"] == 1
        hostile = await client.call_tool("search_workspace", {"query": "main", "file_pattern": "*a" * 400})
        assert hostile.structured_content is not None
        assert hostile.structured_content["match_count"] == 0
        listed = await answer_of(client, "list_symbols", query="tot")
        assert [(one["container"], one["signature"]) for one in listed["symbols"]] == [("Order", "total: Int")]
        context = await answer_of(client, "get_file_context", path="libs/shop/src/core.ax")
        assert context["exports"] == ["twice"]
        assert [Path(one).name for one in context["dependents"]] == ["app.ax"]
        own = await answer_of(client, "get_file_context", path="other.ax")
        assert own["errors"][0]["id"] == "E003"
        assert own["diagnostics"]["error"] == 1


async def test_limits_and_refusals_name_the_argument(workspace: Path) -> None:
    async with agent(workspace) as client:
        for tool, arguments, field in (
            ("parse_code", {"code": ""}, "code"),
            ("search_workspace", {"query": "x" * 2001}, "query"),
            ("analyze_types", {"path": "app.ax", "cursor_position": {"line": 99, "column": 0}}, "cursor_position"),
            ("list_symbols", {"kind": "functions"}, "kind"),
        ):
            refused = await answer_of(client, tool, True, **arguments)
            assert (refused["error_type"], refused["field"]) == ("ValidationError", field)
        assert (await answer_of(client, "get_file_context", True, path="nowhere.ax"))["error_type"] == "NotFound"


async def test_names_of_libraries_and_names_that_nothing_has(workspace: Path) -> None:
    async with agent(workspace) as client:
        found = await answer_of(client, "get_definition", path="app.ax", symbol="float_format")
        assert (found["kind"], found["signature"]) == ("function", "fn float_format(number: Float, decimals: Int) -> String")
        assert 'import "std-math"' in found["note"]
        unknown = await answer_of(client, "get_definition", True, symbol="lst_push")
        assert unknown["did_you_mean"] == ["list_push"]
        foreign = await answer_of(client, "get_definition", True, symbol="len")
        assert "list_len" in foreign["did_you_mean"]


async def test_a_diagnostic_without_a_fix_comes_with_advice(workspace: Path) -> None:
    async with agent(workspace) as client:
        told = await answer_of(client, "suggest_fix", code="fn main() -> Int { nowhere }")
        assert told["fixes"] == []
        assert [(one["id"], one["help"]) for one in told["without_fix"]] == [("E003", "declare it first: `let nowhere = …`")]
