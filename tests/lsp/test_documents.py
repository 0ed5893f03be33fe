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
        ("-> Int { 1 }", NUMBER, None),
        ('-> String { "a" }', NUMBER, 'step "two" reads "n" as Int (steps/two.ax:3), but "one" returns String'),
        (
            "-> Int { 1 }",
            "parse_int(text)",
            'a number with `parse_int` (steps/two.ax:3), but "one" returns Int',
        ),
        ('-> String { "a" }', 'if text == "a" { 1 } else { 2 }', 'step "two" compares "n" with "a" (steps/two.ax:3), but'),
        ('-> String { "a" }', 'if text == "{\\"String\\":\\"a\\"}" { 1 } else { 2 }', None),
        # Nothing holds the body to what is declared, so nothing is certain.
        ("-> String { 1 }", NUMBER, None),
        # Without a type that is written the one counts that all ends of the body have.
        ('{ "a" }', NUMBER, 'step "two" reads "n" as Int (steps/two.ax:3), but "one" returns String'),
        ("{ let a = [1]\n a }", "parse_int(text)", '(steps/two.ax:3), but "one" returns List<Int>'),
        ("{ 1 }", NUMBER, None),
        ('{ if 1 < 2 { return "a" }\n 1 }', NUMBER, None),
        ('{ if 1 < 2 { "a" } else { 1 } }', NUMBER, None),
        ("-> List<Int> { [1] }", "parse_int(__builtin_string_slice(text, 9, 10))", None),
    ],
)
async def test_types_along_an_edge(vscode: LanguageClient, tmp_path: Path, returns: str, body: str, expected: str | None) -> None:
    folder = written(tmp_path, one=f"fn main() {returns}\n", two=CUT % body)
    steps = {"one": source("one"), "two": source("two", inputs={"n": "one.result"}, depends_on=["one"])}
    document = opened(vscode, folder, workflow(steps))
    found = await document.published()
    assert codes(found) == (["input_type"] if expected else [])
    if expected:
        assert expected in found[0].message
        assert document.at(found[0].range) == '"one.result"'
    document.close()


async def test_helpers_tell_the_types_that_they_read(vscode: LanguageClient, tmp_path: Path) -> None:
    two = 'import "std-steps"\n' + CUT % "step_int(text)"
    folder = written(tmp_path, one="fn main() { 1.5 }\n", two=two)
    steps = {"one": source("one"), "two": source("two", inputs={"n": "one.result", "m": "one.result"}, depends_on=["one"])}
    document = opened(vscode, folder, workflow(steps))
    found = {str(each.code): each.message for each in await document.published()}
    assert found["input_type"].startswith('step "two" reads "n" as Int (steps/two.ax:4), but "one" returns Float')
    # The library reads no inputs of its own.
    assert "unused_input" in found
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


FLOW = """{
  "schema_version": 1, "name": "w", "version": "1",
  "steps": {
    "intake": {"kind": "source", "source": "steps/one.ax"},
    "score": {"kind": "source", "source": "steps/two.ax", "inputs": {"n": "intake.result"}, "depends_on": ["intake"]},
    "sign": {"kind": "approval_gate", "required_role": "cashier", "depends_on": ["score"]}
  },
  "edges": [["intake", "score"]]
}
"""
ONE = "// The ticket as it came in.\nfn main() -> Int {\n    1\n}\n"


def flow(client: LanguageClient, tmp_path: Path, marked: str) -> Document:
    return opened(client, written(tmp_path, one=ONE, two=CUT % NUMBER), marked)


def at(document: Document, **more: Any) -> dict[str, Any]:
    return {"text_document": document.id, "position": document.cursor, **more}


@pytest.mark.parametrize(
    ("cursor", "expected"),
    [
        ('"<|>score": {', ["fn main() -> Int !{step.input}", "Step `score` runs `steps/two.ax`.", "After `intake`."]),
        ('["<|>intake"]', ["fn main() -> Int", "The ticket as it came in."]),
        ('"in<|>puts"', ["`inputs`: a table.", "`step_input(name)`"]),
        ('"intake.res<|>ult"', ["intake: Int"]),
        ('"approval<|>_gate"', ["Waits until somebody with a role approves or rejects."]),
    ],
)
async def test_hover(neovim: LanguageClient, tmp_path: Path, cursor: str, expected: list[str]) -> None:
    document = flow(neovim, tmp_path, FLOW.replace(cursor.replace("<|>", ""), cursor, 1))
    found = await neovim.text_document_hover_async(types.HoverParams(**at(document)))
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert [piece for piece in expected if piece not in found.contents.value] == []
    document.close()


@pytest.mark.parametrize(
    ("cursor", "name", "piece"),
    [
        ('["<|>intake"],', "workflow.json", '"intake"'),
        ('"<|>intake.result"', "workflow.json", '"intake"'),
        ('"intake.res<|>ult"', "one.ax", "main"),
        ('"steps/<|>two.ax"', "two.ax", "main"),
        ('{"<|>n":', "two.ax", 'step_input("n")'),
    ],
)
async def test_definition(neovim: LanguageClient, tmp_path: Path, cursor: str, name: str, piece: str) -> None:
    marked = FLOW.replace('["intake"]}', '["intake"],"x":1}') if cursor.endswith("],") else FLOW
    assert cursor.replace("<|>", "") in marked
    document = flow(neovim, tmp_path, marked.replace(cursor.replace("<|>", ""), cursor, 1))
    found = await neovim.text_document_definition_async(types.DefinitionParams(**at(document)))
    assert isinstance(found, list)
    (place,) = found
    assert isinstance(place, types.Location | types.LocationLink)
    uri, where = (
        (place.uri, place.range) if isinstance(place, types.Location) else (place.target_uri, place.target_selection_range)
    )
    assert Path(uri).name == name
    shown = document if name == "workflow.json" else Document(neovim, (tmp_path / "steps" / name).read_text(), uri)
    assert shown.at(where) == piece
    document.close()


async def test_the_id_of_a_step_is_found_and_renamed_everywhere(neovim: LanguageClient, tmp_path: Path) -> None:
    document = flow(neovim, tmp_path, FLOW.replace('"intake":', '"in<|>take":'))
    context = types.ReferenceContext(include_declaration=True)
    found = await neovim.text_document_references_async(types.ReferenceParams(**at(document), context=context))
    assert found is not None
    assert [document.at(place.range) for place in found] == ["intake"] * 4
    edit = await neovim.text_document_rename_async(types.RenameParams(**at(document), new_name="arrival"))
    assert edit is not None
    assert edit.changes is not None
    assert document.edited(edit.changes[document.uri]) == FLOW.replace("intake", "arrival")
    for name, reason in (("score", "already exists"), ("a.b", "is not a step id")):
        with pytest.raises(Exception, match=reason):
            await neovim.text_document_rename_async(types.RenameParams(**at(document), new_name=name))
    document.close()


@pytest.mark.parametrize(
    ("before", "typed", "expected"),
    [
        ('"edges"', '<|>"edges"', ["description"]),
        ('"required_role": "cashier"', '"<|>', ["required_role", "self_approval"]),
        ('"approval_gate"', '"<|>"', ["source", "approval_gate", "external_trigger"]),
        ('["score"]', '["<|>"]', ["intake", "score"]),
        ('"depends_on": ["intake"]', '"depends_on": [<|>', []),
        ('"steps/two.ax"', '"<|>"', ["steps/one.ax", "steps/two.ax"]),
        ('"intake.result"', "<|>", ["intake.result"]),
        ('"n": "intake.result"', '"<|>', ["n"]),
    ],
)
async def test_completion(neovim: LanguageClient, tmp_path: Path, before: str, typed: str, expected: list[str]) -> None:
    assert before in FLOW
    (tmp_path / "boruna.toml").write_text("")
    document = flow(neovim, tmp_path, FLOW.replace(before, typed, 1))
    made = await neovim.text_document_completion_async(types.CompletionParams(**at(document)))
    assert isinstance(made, types.CompletionList)
    labels = [each.label for each in made.items]
    assert labels[: len(expected)] == expected or set(expected) <= set(labels)
    if expected == []:
        assert labels == ["intake"]
    assert all(isinstance(each.text_edit, types.TextEdit) for each in made.items)
    document.close()


async def test_outline_and_links(neovim: LanguageClient, tmp_path: Path) -> None:
    document = flow(neovim, tmp_path, FLOW)
    found = await neovim.text_document_document_symbol_async(types.DocumentSymbolParams(document.id))
    assert found is not None
    steps = next(each for each in found if each.name == "steps")
    assert isinstance(steps, types.DocumentSymbol)
    children = [(each.name, each.detail) for each in steps.children or []]
    assert children == [("intake", "steps/one.ax"), ("score", "steps/two.ax"), ("sign", "approval_gate")]
    links = await neovim.text_document_document_link_async(types.DocumentLinkParams(document.id))
    assert [Path(str(link.target)).name for link in links or []] == ["one.ax", "two.ax"]
    document.close()


POLICY = (
    '{"schema_version": 1, "default_alow": true, "rules": {"net.fetsh": {"allow": true, "budget": 0}, "random": {"allow": 1}}}'
)
SETTINGS = '[check]\nignor = ["W501"]\nselect = ["W9"]\n[check.severity]\nW501 = "of"\n[workspace]\nexclude = ["[z-"]\n'
TEMPLATE = (
    '{"name": "n", "version": "1", "description": "d", "dependencies": [], "capabilities": ["net"],'
    ' "args": {"title": {"type": "string", "required": true, "description": "d"}}}'
)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "deny.policy.json",
            POLICY,
            {
                ("unknown_field", '"default_alow"'),
                ("unknown_capability", '"net.fetsh"'),
                ("invalid_value", "1"),
                ("missing_field", '"random"'),
            },
        ),
        (
            "boruna.toml",
            SETTINGS,
            {("unknown_field", "ignor"), ("unknown_code", '"W9"'), ("invalid_value", '"of"'), ("invalid_value", '"[z-"')},
        ),
        (
            "templates/own/template.json",
            TEMPLATE,
            {("missing_file", "{"), ("invalid_value", '"net"')},
        ),
        ("package.ax.json", '{"name": "n", "exposed_modules": ["core"]}', {("missing_field", "{"), ("missing_file", '"core"')}),
        ("boruna.toml", "[check\n", {("parse_error", "\n")}),
        ("policy.json", '{"rules": {},}', {("parse_error", "}")}),
        ("policy.json", '{"rules": {"mcp.call": {"github": ["search_*"]}}}', set()),
        # Documents of others, and what has no name that is known.
        ("policy.json", '{"Statement": []}', set()),
        ("package.json", '{"name": 1, "rules": []}', set()),
        ("workflow.json", '{"nodes": [], "connections": {}}', set()),
    ],
)
async def test_findings_of_other_documents(
    vscode: LanguageClient, tmp_path: Path, name: str, text: str, expected: set[tuple[str, str]]
) -> None:
    document = opened(vscode, tmp_path, text, name)
    found = await document.published()
    assert {(str(each.code), document.at(each.range)) for each in found} == expected
    document.close()


async def test_a_misspelt_name_is_mended(neovim: LanguageClient, tmp_path: Path) -> None:
    document = opened(neovim, tmp_path, POLICY, "policy.json")
    whole = types.Range(document.position(0), document.position(len(document.text)))
    params = types.CodeActionParams(document.id, whole, types.CodeActionContext(await document.items()))
    found = await neovim.text_document_code_action_async(params)
    titles = [each.title for each in found or []]
    assert titles == ["change to `default_allow`", "change to `net.fetch`"]
    (first, *_) = found or []
    assert isinstance(first, types.CodeAction)
    assert first.edit is not None
    assert first.edit.changes is not None
    assert '"default_allow": true' in document.edited(first.edit.changes[document.uri])
    document.close()


@pytest.mark.parametrize(
    ("name", "marked", "expected"),
    [
        ("policy.json", '{"<|>"}', "default_allow"),
        ("policy.json", '{"rules": {"<|>"}}', "net.fetch"),
        ("policy.json", '{"net_policy": {"allowed_methods": ["<|>"]}}', "POST"),
        ("boruna.toml", "[check]\n<|>\n", "severity"),
        ("boruna.toml", "[check.severity]\nW501 = <|>\n", "hint"),
        ("boruna.toml", "[che<|>\n", "check"),
        ("boruna.toml", '[check]\nignore = [\n    "<|>"\n]\n', "W501"),
        ("package.ax.json", '{"required_capabilities": ["<|>"]}', "random"),
    ],
)
async def test_completion_in_other_documents(
    neovim: LanguageClient, tmp_path: Path, name: str, marked: str, expected: str
) -> None:
    document = opened(neovim, tmp_path, marked, name)
    made = await neovim.text_document_completion_async(types.CompletionParams(**at(document)))
    assert isinstance(made, types.CompletionList)
    assert expected in [each.label for each in made.items]
    document.close()


async def test_hover_in_other_documents(neovim: LanguageClient, tmp_path: Path) -> None:
    document = opened(neovim, tmp_path, "[check]\nport<|>able = true\n", "boruna.toml")
    found = await neovim.text_document_hover_async(types.HoverParams(**at(document)))
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert (
        found.contents.value
        == "`portable`: a boolean. Default: `false`.\n\nAlso report where boruna 3.2.0 computes something else."
    )
    document.close()


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"steps":' * 20_000,
        '{"schema_version": 1, "steps": {' + ", ".join('"a": {"kind": "source"}' for _ in range(2_000)) + "}}",
        '{"schema_version": ' + "9" * 200_000 + "}",
        '{"schema_version": 1e999999999}',
        "\ufeff{}",
        '{"a": "\\ud800", "\\u0000": "\x00\x07"}',
        '"' * 50_001,
        '{"steps": ' + "[1," * 60_000,
        "{}" + "x" * 1_200_000,
    ],
    ids=lambda text: repr(text[:12]),
)
@pytest.mark.parametrize("name", ["workflow.json", "policy.json", "boruna.toml"])
async def test_hostile_documents(neovim: LanguageClient, tmp_path: Path, name: str, text: str) -> None:
    document = opened(neovim, tmp_path, text, name)
    position: dict[str, Any] = {"text_document": document.id, "position": types.Position(0, len(text) % 60_000)}
    answers = [
        await document.items(),
        await neovim.text_document_hover_async(types.HoverParams(**position)),
        await neovim.text_document_completion_async(types.CompletionParams(**position)),
        await neovim.text_document_document_symbol_async(types.DocumentSymbolParams(document.id)),
    ]
    assert isinstance(answers[0], list)
    document.close()


async def test_a_workflow_is_run_and_approved_from_its_lenses(neovim: LanguageClient, tmp_path: Path) -> None:
    text = FLOW.replace('"w"', f'"lenses of {tmp_path.name}"')
    document = flow(neovim, tmp_path, text)
    program = Document(neovim, ONE.replace("1", "unsaved()"), uri_of(str(tmp_path / "steps" / "one.ax")))

    async def lenses() -> dict[str, types.CodeLens]:
        found = await neovim.text_document_code_lens_async(types.CodeLensParams(document.id))
        return {lens.command.title.split(" ")[0]: lens for lens in found or [] if lens.command is not None}

    async def carry_out(lens: types.CodeLens) -> Any:
        assert lens.command is not None
        params = types.ExecuteCommandParams(lens.command.command, lens.command.arguments)
        return await neovim.workspace_execute_command_async(params)

    def field(answer: Any, name: str) -> Any:
        return answer[name] if isinstance(answer, dict) else getattr(answer, name)

    assert set(await lenses()) == {"Run"}
    # What is on screen runs, saved or not: the program that is there does not compile.
    assert field(await carry_out((await lenses())["Run"]), "status") == "failed"
    program.close()
    paused = await carry_out((await lenses())["Run"])
    assert (field(paused, "status"), field(paused, "paused_at_step")) == ("paused", "sign")
    found = await lenses()
    assert set(found) == {"Run", "Resume", "Approve", "Reject"}
    assert document.at(found["Approve"].range) == '"sign"'
    # Another workflow of this name has runs of its own, and an edited one keeps those that it has.
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "workflow.json").write_text(document.text)
    copy = opened(neovim, tmp_path / "copy", document.text)
    of_copy = await neovim.text_document_code_lens_async(types.CodeLensParams(copy.id))
    assert [lens.command.title for lens in of_copy or [] if lens.command is not None] == ["Run"]
    copy.close()
    version = document.range('"version"')
    document.change(version.start, version.start, '"description": "edited", ')
    assert set(await lenses()) == set(found)
    assert field(await carry_out(found["Approve"]), "status") == "completed"
    run = (await lenses())["Run"]
    assert set(await lenses()) == {"Run"}
    document.close()
    declared = opened(neovim, tmp_path, text.replace('"steps"', '"inputs": {"who": {"type": "String"}}, "steps"', 1))
    refused = await carry_out(run)
    assert "input 'who' (String) is missing" in field(refused, "message")
    declared.close()
