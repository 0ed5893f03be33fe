"""Running a document from the editor: lenses, commands, failures as diagnostics until the text changes."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.lsp.documents import Document

pytestmark = pytest.mark.asyncio(loop_scope="session")

FAILS = """fn half(n: Int) -> Int {
    n / 0
}

fn main() -> Int {
    let é = 1
    half(3) + 1
}
""".replace("é", "e")
WORKS = "fn main() -> Int {\n    40 + 2\n}\n"
RUNTIME = "runtime"


async def lenses(client: LanguageClient, document: Document) -> list[types.CodeLens]:
    return list(await client.text_document_code_lens_async(types.CodeLensParams(document.id)) or ())


async def run(client: LanguageClient, document: Document, command: str = "boruna.run") -> dict[str, Any]:
    answer = await client.workspace_execute_command_async(types.ExecuteCommandParams(command, [document.uri]))
    # The library makes objects of what it does not know.
    return dict(answer if isinstance(answer, dict) else vars(answer) if hasattr(answer, "__dict__") else answer._asdict())  # type: ignore[union-attr]


async def test_lenses_stand_at_main_and_show_the_result(neovim: LanguageClient) -> None:
    document = Document(neovim, WORKS)
    found = await lenses(neovim, document)
    assert [(lens.command.title, lens.command.command) for lens in found if lens.command] == [
        ("Run", "boruna.run"),
        ("Trace", "boruna.trace"),
    ]
    assert {document.at(lens.range) for lens in found} == {"main"}
    answer = await run(neovim, document)
    assert (answer["success"], answer["result"], answer["steps"]) == (True, 42, 5)
    titles = [lens.command.title for lens in await lenses(neovim, document) if lens.command]
    assert titles == ["Run", "Trace", "42 (5 steps)"]
    document.change(document.position(0), document.position(0), "\n")
    assert len(await lenses(neovim, document)) == 2
    document.close()


async def test_no_lens_without_main(neovim: LanguageClient) -> None:
    document = Document(neovim, "fn other() -> Int { 1 }\n")
    assert await lenses(neovim, document) == []
    document.close()


async def test_failure_is_a_diagnostic_until_the_text_changes(neovim: LanguageClient) -> None:
    document = Document(neovim, FAILS)
    answer = await run(neovim, document)
    assert (answer["success"], answer["line"]) == (False, 2)
    (failure,) = [one for one in await document.items() if one.code == RUNTIME]
    assert document.at(failure.range) == "n / 0"
    assert failure.message.startswith("division by zero\n")
    assert failure.related_information is not None
    assert [document.at(note.location.range) for note in failure.related_information] == ["half(3)"]
    document.change(document.position(0), document.position(0), "// edited\n")
    assert [one for one in await document.items() if one.code == RUNTIME] == []
    document.close()


async def test_failure_is_pushed_and_goes_with_the_next_run(vscode: LanguageClient) -> None:
    document = Document(vscode, FAILS)
    await document.published()
    # The publication may come before the answer: whoever waits for it must do so from now on.
    published, _ = await asyncio.gather(document.published(), run(vscode, document))
    assert RUNTIME in [one.code for one in published]
    zero = document.range("0")
    document.change(zero.start, zero.end, "2")
    assert RUNTIME not in [one.code for one in await document.published()]
    published, answer = await asyncio.gather(document.published(), run(vscode, document))
    assert answer["result"] == 2
    assert RUNTIME not in [one.code for one in published]
    document.close()


async def test_program_that_does_not_compile_is_an_answer(neovim: LanguageClient) -> None:
    document = Document(neovim, "fn main() -> Int { missing }\n")
    answer = await run(neovim, document)
    assert answer["success"] is False
    document.close()


async def test_trace_gives_instructions_with_places(neovim: LanguageClient) -> None:
    document = Document(neovim, WORKS)
    answer = await run(neovim, document, "boruna.trace")
    assert len(answer["trace"]) == 4
    document.close()


@pytest.mark.parametrize("arguments", [None, [], [5], ["file:///nowhere/at_all.ax"]])
async def test_command_without_a_document_is_refused(neovim: LanguageClient, arguments: list[Any] | None) -> None:
    with pytest.raises(Exception, match=r"argument|nowhere"):
        await neovim.workspace_execute_command_async(types.ExecuteCommandParams("boruna.run", arguments))


NAMED = """type UINode { tag: String, children: List<UINode> }
enum Light { Red, Custom(String) }
type Page { root: UINode, light: Light, other: Light, note: Option<Int> }

fn main() -> Page !{time.now} {
    let _now = time_now()
    let root = UINode { tag: "card", children: [UINode { tag: "a\\"b", children: [] }] }
    Page { root: root, light: Light::Red, other: Light::Custom("x"), note: Some(1) }
}
"""
TESTS = """fn test_good() -> Bool { 1 == 1 }

fn test_bad() -> Result<Int, String> {
    Err("not yet")
}

fn test_fails() -> Int { 1 / 0 }

fn test_with(n: Int) -> Bool { n == 1 }
"""


async def execute(client: LanguageClient, command: str, *arguments: Any) -> Any:
    answer = await client.workspace_execute_command_async(types.ExecuteCommandParams(command, list(arguments)))
    return json.loads(json.dumps(answer, default=lambda made: made._asdict()))


async def test_values_are_shown_with_the_names_of_their_types(neovim: LanguageClient) -> None:
    document = Document(neovim, NAMED)
    answer = await run(neovim, document)
    wanted = 'Page { root: UINode { tag: "card", children: [UINode { tag: "a\\"b", children: [] }] }, '
    wanted += 'light: Light::Red, other: Light::Custom("x"), note: Some(1) }'
    assert answer["result_named"] == wanted
    titles = [lens.command.title for lens in await lenses(neovim, document) if lens.command]
    assert titles[2].endswith(" steps, time.now mocked)")
    document.close()


async def test_a_part_of_a_trace_has_values(neovim: LanguageClient) -> None:
    document = Document(neovim, WORKS)
    whole = await execute(neovim, "boruna.trace", document.uri)
    assert "value" not in json.dumps(whole["trace"])
    part = await execute(neovim, "boruna.trace", document.uri, {"offset": 2, "limit": 2})
    assert [one["step"] for one in part["trace"]] == [3, 4]
    assert [one["instruction"] for one in part["trace"]] == [one["instruction"] for one in whole["trace"][2:4]]
    assert [one["value"] for one in part["trace"]] == ["2", "42"]
    for wrong in ({"offset": -1, "limit": 1}, {"offset": 0, "limit": 10**6}, {"offset": True, "limit": 1}, 7, "x", {}):
        with pytest.raises(JsonRpcException, match="offset"):
            await execute(neovim, "boruna.trace", document.uri, wrong)
    document.close()


async def test_tests_of_a_document(neovim: LanguageClient) -> None:
    document = Document(neovim, TESTS)
    answer = await execute(neovim, "boruna.test", document.uri)
    assert {one["name"]: one["status"] for one in answer["tests"]} == {
        "test_good": "passed",
        "test_bad": "failed",
        "test_fails": "failed",
    }
    assert next(one for one in answer["tests"] if one["name"] == "test_fails")["line"] == 7
    shown = [(document.at(lens.range), lens.command.title) for lens in await lenses(neovim, document) if lens.command]
    assert [one for one in shown if one[0] == "test_good"] == [("test_good", "Run test"), ("test_good", "passed")]
    assert ("test_fails", "failed: division by zero") in shown
    assert "test_with" not in dict(shown)
    answer = await execute(neovim, "boruna.test", document.uri, ["test_good", "test_with", "main"])
    assert [(one["name"], one["status"]) for one in answer["tests"]] == [("test_good", "passed")]
    for wrong in ("test_good", [1], ["x"] * 1001):
        with pytest.raises(JsonRpcException, match="list of at most"):
            await execute(neovim, "boruna.test", document.uri, wrong)
    document.change(document.position(0), document.position(0), "fn broken( {\n")
    titles = {lens.command.title for lens in await lenses(neovim, document) if lens.command}
    assert "Run test" in titles
    assert not any("passed" in title for title in titles)
    answer = await execute(neovim, "boruna.test", document.uri)
    assert answer["success"] is False
    document.close()
