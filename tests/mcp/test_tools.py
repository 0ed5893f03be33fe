"""The tools through the official client and the real process: what agents find in the answers."""

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

from tests.support import corpus
from tests.support.agents import agent_server

TOOLS = ["boruna_ast", "boruna_check", "boruna_repair", "boruna_symbols"]
NO_PROGRAM = (
    "boruna_builtins",
    "boruna_capability_list",
    "boruna_policy_validate",
    "boruna_template_apply",
    "boruna_template_list",
    "boruna_workflow_run",
    "boruna_workflow_validate",
)
FAULTY = 'fn main() -> Int {\n    let counter: Int = 1\n    let note = "é"  countr + counter\n}\n'
"""The misspelt name stands behind a character of two bytes, `note` is unused."""
BROKEN = "fn main() -> Int {\n    let a =\n}\n"


@asynccontextmanager
async def agent(mode: str = "auto", *arguments: str, cwd: Path | None = None) -> AsyncIterator[Client]:
    parameters = agent_server(*arguments, cwd=cwd)
    async with Client(parameters, mode=mode) as client:
        yield client


async def answer_of(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer of a tool, the same as text and as structured content."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error is False
    assert len(result.content) == 1
    answer = json.loads(result.content[0].text)  # type: ignore[union-attr]
    assert answer == result.structured_content
    assert list(answer) == sorted(answer)
    assert answer["protocol_version"] == 1
    return dict(answer)


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
async def test_both_generations_of_the_protocol(mode: str) -> None:
    async with agent(mode) as client:
        tools = (await client.list_tools()).tools
        names = [tool.name for tool in tools]
        assert names == sorted(names)
        assert {*TOOLS} <= {*names}
        answer = await answer_of(client, "boruna_check", source=FAULTY)
        assert "E003" in [one["id"] for one in answer["diagnostics"]]
        assert (await answer_of(client, "boruna_check", source=BROKEN))["diagnostics"][0]["id"] == "E002"


async def test_definitions_of_the_tools() -> None:
    async with agent() as client:
        listed = await client.list_tools()
    for tool in listed.tools:
        assert tool.title
        assert tool.description
        assert tool.annotations is not None
        hints = tool.annotations
        # A run of a workflow is stored, so it is not only read; nothing is destroyed and nobody outside hears of it.
        expected = (False, False, False, False) if tool.name == "boruna_workflow_run" else (True, False, True, False)
        assert (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint) == expected
        if tool.name.startswith("boruna_") and tool.name not in NO_PROGRAM:
            assert tool.input_schema["properties"]["source"]["type"] == "string"
        assert tool.output_schema is not None
        assert tool.output_schema["required"] == ["success", "protocol_version"]


async def test_answers_are_as_their_schemas_say() -> None:
    programs = [BROKEN, "", "}", *(program.read_bytes().decode() for program in corpus.programs("diagnostics")[::12])]
    async with agent() as client:
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        for tool in TOOLS:
            for source in programs:
                jsonschema.validate(await answer_of(client, tool, source=source), schemas[tool] or {})


async def test_check_gives_exact_places_and_patches_that_mend() -> None:
    async with agent() as client:
        answer = await answer_of(client, "boruna_check", source=FAULTY, file_name="a.ax")
        found = {one["id"]: one for one in answer["diagnostics"]}
        undefined = found["E003"]
        line = FAULTY.split("\n")[2]
        at = line.index("countr")
        assert undefined["location"] == {
            "file": "a.ax",
            "line": 3,
            "col": len(line[:at].encode()) + 1,
            "column": at,
            "end_line": 3,
            "end_col": len(line[:at].encode()) + 7,
            "end_column": at + 6,
            "span_len": 6,
        }
        assert undefined["severity"] == "error"
        assert undefined["documentation"] == "boruna://diagnostics/E003"
        (edit,) = undefined["patches"][0]["edits"]
        assert (edit["old_text"], edit["new_text"], edit["column"]) == ("countr", "counter", at)
        mended = FAULTY.replace("countr ", "counter ")
        assert not any(
            one["severity"] == "error" for one in (await answer_of(client, "boruna_check", source=mended))["diagnostics"]
        )


async def test_repair_returns_text_and_diff_and_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "program.ax"
    file.write_text(FAULTY, encoding="utf-8")
    async with agent(cwd=tmp_path) as client:
        answer = await answer_of(client, "boruna_repair", path="program.ax")
        inline = await answer_of(client, "boruna_repair", source=FAULTY)
    assert answer["verify_passed"] is True
    assert answer["repaired_source"] == inline["repaired_source"]
    assert "countr " not in answer["repaired_source"]
    assert f"+{answer['repaired_source'].splitlines()[2]}\n" in answer["diff"]
    assert (answer["patches_applied"], answer["patches_skipped"]) == (len(answer["applied"]), len(answer["skipped"]))
    assert file.read_text(encoding="utf-8") == FAULTY


async def test_repair_says_what_it_made_of_its_arguments() -> None:
    async with agent() as client:
        unknown = await answer_of(client, "boruna_repair", source=FAULTY, strategy="everything")
        assert any("everything" in warning for warning in unknown["warnings"])
        assert unknown["verify_passed"] is True
        by_id = await answer_of(client, "boruna_repair", source=FAULTY, patch_id="E003-rename-countr")
        assert [done["patch_id"] for done in by_id["applied"]] == ["E003-rename-countr"]
        nothing = await answer_of(client, "boruna_repair", source=FAULTY, patch_id="no such")
        assert (nothing["patches_applied"], nothing["repaired_source"]) == (0, FAULTY)


async def test_texts_that_do_not_parse_are_answers() -> None:
    async with agent() as client:
        tree = await answer_of(client, "boruna_ast", source=BROKEN)
        assert (tree["success"], tree["errors"][0]["code"]) == (False, "E002")
        symbols = await answer_of(client, "boruna_symbols", source=BROKEN)
        assert (symbols["success"], symbols["error_kind"]) == (False, "parse_error")
        assert (await answer_of(client, "boruna_check", source=BROKEN))["success"] is True


async def test_symbols_with_places() -> None:
    source = "export fn over(cb: Fn(Int) -> Int) -> Int !{net.fetch}\nrequires true { cb(1) }\nenum E { A, B(Int) }\n"
    async with agent() as client:
        first, second = (await answer_of(client, "boruna_symbols", source=source))["symbols"]
    assert first["signature"] == "fn over(cb: (Int) -> Int) -> Int !{net.fetch}"
    assert first["declaration"] == "fn over(cb: Fn(Int) -> Int) -> Int !{net.fetch}"
    assert (first["exported"], first["requires"], first["capabilities"]) == (True, 1, ["net.fetch"])
    assert (first["location"]["line"], first["location"]["col"]) == (1, 11)
    assert second["variants"] == [{"name": "A", "payload": None}, {"name": "B", "payload": "Int"}]


async def test_freshness_follows_the_file(tmp_path: Path) -> None:
    file = tmp_path / "program.ax"
    file.write_text("fn main() -> Int { 1 }\n", encoding="utf-8")
    async with agent(cwd=tmp_path) as client:
        before = await answer_of(client, "boruna_check", path=str(file))
        assert before["freshness"]["source"] == "disk"
        assert before["freshness"]["unsaved"] is False
        assert before["file"] == str(file)
        file.write_text("fn main() -> Int { oops }\n", encoding="utf-8")
        after = await answer_of(client, "boruna_check", path="program.ax")
        assert [one["id"] for one in after["diagnostics"]] == ["E003"]
        assert before["freshness"]["revision"] != after["freshness"]["revision"]
        assert before["freshness"]["sha256"] != after["freshness"]["sha256"]
        inline = await answer_of(client, "boruna_check", source="fn main() -> Int { oops }\n")
        assert (inline["freshness"]["source"], inline["freshness"]["sha256"]) == ("inline", after["freshness"]["sha256"])


async def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "bytes.ax").write_bytes(b"fn main() -> Int { \xff }\n")
    (tmp_path / "large.ax").write_bytes(b"// " + b"x" * (1 << 20))
    async with agent(cwd=tmp_path) as client:
        for path in ("missing.ax", str(tmp_path), "a\0b.ax"):
            refused = await client.call_tool("boruna_check", {"path": path})
            assert refused.is_error is True
            assert refused.structured_content is not None
            error = refused.structured_content["error"]
            assert (error["error_type"], error["field"], error["example"]) == ("ValidationError", "path", {"path": "app.ax"})
        for path in ("bytes.ax", "large.ax"):
            answer = await answer_of(client, "boruna_check", path=path)
            assert [one["id"] for one in answer["diagnostics"]] == ["E014"]
        # What can be read of them is no program: repaired and written back it would destroy the file.
        for path, words in (("bytes.ax", "not valid UTF-8"), ("large.ax", "larger than 1048576 bytes")):
            for tool in ("boruna_repair", "boruna_ast", "boruna_symbols", "boruna_compile", "boruna_run"):
                answer = await answer_of(client, tool, path=path)
                assert (answer["success"], answer["error_kind"], answer["file"]) == (False, "unreadable", path)
                assert words in answer["message"]
                assert "repaired_source" not in answer


async def test_a_patch_that_does_not_exist_is_named() -> None:
    async with agent() as client:
        answer = await answer_of(client, "boruna_repair", source=FAULTY, patch_id="E003-rename-nothing")
        assert (answer["patches_applied"], answer["repaired_source"]) == (0, FAULTY)
        (warning,) = answer["warnings"]
        assert "'E003-rename-nothing'" in warning
        known = await answer_of(client, "boruna_repair", source=FAULTY, patch_id="E003-rename-countr")
        assert (known["patches_applied"], "warnings" in known) == (1, False)


async def test_libraries_are_found(tmp_path: Path) -> None:
    library = tmp_path / "our-lib" / "src" / "core.ax"
    library.parent.mkdir(parents=True)
    library.write_text("fn ours(n: Int) -> Int { n }\n", encoding="utf-8")
    source = 'import "our-lib"\nimport "std-validation"\nfn main() -> Int { ours(validate_required("a", "b").valid) }\n'
    async with agent("auto", "--libs-dir", str(tmp_path)) as client:
        assert (await answer_of(client, "boruna_check", source=source))["diagnostics"] == []
        misspelt = await answer_of(client, "boruna_check", source=source.replace("our-lib", "our-lob"))
        assert "E013" in [one["id"] for one in misspelt["diagnostics"]]


async def test_resources_explain_codes() -> None:
    async with agent("legacy") as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert "boruna://diagnostics/{code}" in {template.uri_template for template in templates}
        (page,) = (await client.read_resource("boruna://diagnostics/E003")).contents
        assert page.mime_type == "text/markdown"
        assert "E003" in page.text  # type: ignore[union-attr]
        with pytest.raises(MCPError) as unknown:
            await client.read_resource("boruna://diagnostics/E03")
        assert unknown.value.code == -32002
    async with agent("2026-07-28") as client:
        with pytest.raises(MCPError) as unknown:
            await client.read_resource("boruna://diagnostics/../secret")
        assert unknown.value.code == -32602
        assert unknown.value.data["uri"] == "boruna://diagnostics/../secret"
