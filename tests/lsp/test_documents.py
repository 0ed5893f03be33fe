"""Documents that are no programs, in an editor: workflows and the programs of their steps, as they are on screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from boruna_ls.workspace.uris import uri_of
from tests.lsp.documents import Document

pytestmark = pytest.mark.asyncio(loop_scope="session")


def written(folder: Path, **steps: str) -> Path:
    """A folder with the programs of steps."""
    (folder / "steps").mkdir()
    for name, text in steps.items():
        (folder / "steps" / f"{name}.ax").write_text(text)
    return folder


def workflow(steps: dict[str, Any], **more: Any) -> str:
    return json.dumps({"schema_version": 1, "name": "w", "version": "1", "steps": steps, "edges": [], **more}, indent=2)


def source(name: str, **more: Any) -> dict[str, Any]:
    return {"kind": "source", "source": f"steps/{name}.ax", **more}


def opened(client: LanguageClient, folder: Path, text: str, name: str = "workflow.json") -> Document:
    return Document(client, text, uri_of(str(folder / name)))


def codes(found: list[types.Diagnostic]) -> list[str]:
    return [str(each.code) for each in found]


async def test_a_workflow_is_judged_while_it_is_typed(vscode: LanguageClient, tmp_path: Path) -> None:
    folder = written(tmp_path, one="fn main() -> Int {\n    1\n}\n")
    document = opened(vscode, folder, workflow({"one": source("one", depends_on=["tow"]), "two": source("one")}))
    (unknown, *_) = await document.published()
    assert unknown.code == "unknown_step"
    assert document.at(unknown.range) == '"tow"'
    assert unknown.message == "step 'one' depends on unknown step 'tow'\ndid you mean `two`?"
    place = document.range('"tow"')
    document.change(place.start, place.end, '"two"')
    assert await document.published() == []
    document.close()


async def test_a_program_that_is_missing_shows_at_once(vscode: LanguageClient, tmp_path: Path) -> None:
    folder = written(tmp_path, one="fn main() -> Int {\n    1\n}\n")
    document = opened(vscode, folder, workflow({"one": source("one"), "two": source("two")}))
    (missing,) = await document.published()
    assert (missing.code, document.at(missing.range)) == ("missing_source", '"steps/two.ax"')
    # What only an editor has is there.
    program = Document(vscode, "fn main() -> Int {\n    2\n}\n", uri_of(str(folder / "steps" / "two.ax")))
    assert await document.published() == []
    program.close()
    assert codes(await document.published()) == ["missing_source"]
    document.close()


CUT = 'fn main() -> Int !{step.input} {\n    let text = step_input("n")\n    %s\n}\n'
NUMBER = "parse_int(__builtin_string_slice(text, 7, __builtin_string_len(text) - 1))"


@pytest.mark.parametrize(
    ("returns", "body", "expected"),
    [
        ("Int { 1 }", NUMBER, None),
        ('String { "a" }', NUMBER, 'step "two" reads "n" as Int (steps/two.ax:3), but "one" returns String'),
        (
            "Int { 1 }",
            "parse_int(text)",
            'a number with `parse_int` (steps/two.ax:3), but "one" returns Int',
        ),
        ('String { "a" }', 'if text == "a" { 1 } else { 2 }', 'step "two" compares "n" with "a" (steps/two.ax:3), but'),
        ('String { "a" }', 'if text == "{\\"String\\":\\"a\\"}" { 1 } else { 2 }', None),
        # Nothing holds the body to what is declared, so nothing is certain.
        ("String { 1 }", NUMBER, None),
        ("List<Int> { [1] }", "parse_int(__builtin_string_slice(text, 9, 10))", None),
    ],
)
async def test_types_along_an_edge(vscode: LanguageClient, tmp_path: Path, returns: str, body: str, expected: str | None) -> None:
    folder = written(tmp_path, one=f"fn main() -> {returns}\n", two=CUT % body)
    steps = {"one": source("one"), "two": source("two", inputs={"n": "one.result"}, depends_on=["one"])}
    document = opened(vscode, folder, workflow(steps))
    found = await document.published()
    assert codes(found) == (["input_type"] if expected else [])
    if expected:
        assert expected in found[0].message
        assert document.at(found[0].range) == '"one.result"'
    document.close()


async def test_inputs_that_are_missing_and_not_read(vscode: LanguageClient, tmp_path: Path) -> None:
    folder = written(tmp_path, one="fn main() -> Int {\n    1\n}\n", two=CUT % NUMBER)
    steps = {"one": source("one"), "two": source("two", inputs={"m": "one.result"}, depends_on=["one"])}
    document = opened(vscode, folder, workflow(steps))
    found = {str(each.code): each for each in await document.published()}
    assert document.at(found["missing_input"].range) == '"inputs"'
    assert found["missing_input"].message.endswith("(steps/two.ax:2), which it is not given\ndid you mean `m`?")
    assert document.at(found["unused_input"].range) == '"m"'
    # What is typed in the program counts at once.
    program = Document(vscode, (CUT % NUMBER).replace('"n"', '"m"'), uri_of(str(folder / "steps" / "two.ax")))
    assert await document.published() == []
    program.close()
    document.close()
