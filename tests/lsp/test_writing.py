"""Help during typing, through real clients: completion, signatures, hints, linked names, layout of a closed block."""

from __future__ import annotations

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from analysis.text.source import Source
from boruna_ls.lsp.features.completion import OPTIONS
from tests.lsp.documents import Document
from tests.support.lsp import RawClient

pytestmark = pytest.mark.asyncio(loop_scope="session")

HEAD = """// A place.
type Point { x: Int, y: Int }
// Where all begins.
fn origin() -> Point { Point { x: 0, y: 0 } }
fn move(at: Point, by: Int) -> Point { at }
"""


async def complete(document: Document) -> dict[str, types.CompletionItem]:
    params = types.CompletionParams(document.id, document.cursor)
    found = await document.client.text_document_completion_async(params)
    assert isinstance(found, types.CompletionList)
    return {item.label: item for item in found.items}


def applied(document: Document, item: types.CompletionItem) -> str:
    edit = item.text_edit
    if isinstance(edit, types.InsertReplaceEdit):
        edit = types.TextEdit(edit.insert, edit.new_text)
    assert edit is not None
    return document.edited([edit, *(item.additional_text_edits or [])])


async def test_completion_replaces_what_is_typed(neovim: LanguageClient, vscode: LanguageClient) -> None:
    for client in (neovim, vscode):
        document = Document(client, HEAD + 'fn f() -> Int {\n    let s = "🙂" let at = ori<|>\n    1\n}\n')
        found = await complete(document)
        assert applied(document, found["origin"]) == document.text.replace("= ori\n", "= origin()\n")
        document.close()


async def test_an_entry_can_replace_the_whole_word(vscode: LanguageClient) -> None:
    document = Document(vscode, HEAD + "fn f(at: Point) -> Point { mo<|>ve(at, 1) }")
    item = (await complete(document))["move"]
    edit = item.text_edit
    assert isinstance(edit, types.InsertReplaceEdit)
    assert edit.replace.start == edit.insert.start
    assert edit.replace.end.character == edit.insert.end.character + 2


async def test_what_stands_beside_a_label() -> None:
    text = HEAD + "fn f(at: Point) -> Point { mo }"
    with RawClient() as editor:
        item = {"snippetSupport": True, "labelDetailsSupport": True}
        editor.initialize({"textDocument": {"completion": {"completionItem": item}}})
        editor.open("file:///details.ax", text)
        place = {"textDocument": {"uri": "file:///details.ax"}, "position": {"line": 5, "character": 29}}
        found = {one["label"]: one for one in editor.call("textDocument/completion", place)["items"]}
    assert found["move"]["labelDetails"] == {"detail": "(at: Point, by: Int)", "description": "Point"}


async def test_completion_of_a_field_in_a_broken_file(vscode: LanguageClient) -> None:
    document = Document(
        vscode, "fn broken( {\n" + HEAD + "fn f(at: Point) -> Int {\n    at.<|>\n    let b = 1\n    b\n}\nfn more() { 1 +"
    )
    found = await complete(document)
    assert list(found) == ["x", "y"]
    assert found["x"].kind == types.CompletionItemKind.Field
    assert found["x"].detail == "Int"


async def test_documentation_comes_when_it_is_asked_for(vscode: LanguageClient) -> None:
    document = Document(vscode, HEAD + "fn f() -> Point { ori<|> }")
    found = await complete(document)
    assert found["origin"].documentation is None
    resolved = await vscode.completion_item_resolve_async(found["origin"])
    assert isinstance(resolved.documentation, types.MarkupContent)
    assert resolved.documentation.value == "Where all begins."
    gone = types.CompletionItem("origin", data={"uri": "file:///none/there.ax", "name": "origin"})
    assert (await vscode.completion_item_resolve_async(gone)).label == "origin"


async def test_completion_imports_what_it_needs(vscode: LanguageClient) -> None:
    document = Document(vscode, "fn f() -> Int {\n    json_<|>\n}\n")
    found = await complete(document)
    item = next(item for item in found.values() if item.detail and item.detail.endswith('(import "std-json")'))
    text = applied(document, item)
    assert text.startswith('import "std-json"\n\nfn f() -> Int {\n    json_')


async def test_a_long_list_is_told_to_be_incomplete(vscode: LanguageClient) -> None:
    many = "".join(f"fn name_{number}() -> Int {{ {number} }}\n" for number in range(400))
    document = Document(vscode, many + "fn f() -> Int { name<|> }")
    found = await vscode.text_document_completion_async(types.CompletionParams(document.id, document.cursor))
    assert isinstance(found, types.CompletionList)
    assert found.is_incomplete
    assert len(found.items) == 200


@pytest.mark.parametrize(
    ("text", "is_shown"),
    [
        ("fn f(at: Point) -> Int { at.<|> }", True),
        ('fn f() -> String { "<|>" }', False),
        ('import "<|>"', True),
        ("fn f(at:<|>) { 1 }", True),
        ("fn f() -> Point { Point { x:<|> } }", False),
    ],
)
async def test_marks_bring_a_list_only_where_it_helps(vscode: LanguageClient, text: str, is_shown: bool) -> None:
    document = Document(vscode, f"{text}\n{HEAD}" if text.startswith("import") else HEAD + text)
    mark = document.text[Source.from_text(document.text).lsp_offset(*at(document.cursor), document.encoding) - 1]
    context = types.CompletionContext(types.CompletionTriggerKind.TriggerCharacter, mark)
    found = await vscode.text_document_completion_async(types.CompletionParams(document.id, document.cursor, context))
    assert bool(found.items if isinstance(found, types.CompletionList) else found) is is_shown


def at(position: types.Position) -> tuple[int, int]:
    return position.line, position.character


@pytest.mark.parametrize("text", ["fn f(s: Point) -> Int { match s {<|>} }", "fn f() -> Point { Point {<|>} }", "fn f() {<|>}"])
async def test_enter_after_a_brace_writes_nothing_else(vscode: LanguageClient, text: str) -> None:
    """Editors accept the selected entry on Enter: no list may open by itself where people press it."""
    assert OPTIONS.trigger_characters == [".", ":", '"']
    assert not OPTIONS.all_commit_characters
    document = Document(vscode, HEAD + text)
    for item in (await complete(document)).values():
        assert not item.preselect
        assert not item.commit_characters


async def test_completion_nowhere(vscode: LanguageClient) -> None:
    document = Document(vscode, HEAD)
    found = await vscode.text_document_completion_async(types.CompletionParams(document.id, types.Position(900, 900)))
    assert isinstance(found, types.CompletionList)
    unknown = types.TextDocumentIdentifier("file:///none/there.ax")
    assert await vscode.text_document_completion_async(types.CompletionParams(unknown, types.Position(0, 0))) is None


async def test_signature_help(neovim: LanguageClient, vscode: LanguageClient) -> None:
    for client in (neovim, vscode):
        document = Document(client, HEAD + "fn f() -> Point { move(origin(), <|> }")
        found = await client.text_document_signature_help_async(types.SignatureHelpParams(document.id, document.cursor))
        assert found is not None
        assert found.active_parameter == 1
        (signature,) = found.signatures
        assert signature.label == "fn move(at: Point, by: Int) -> Point"
        assert signature.parameters is not None
        label = signature.parameters[1].label
        assert (label if isinstance(label, str) else signature.label[slice(*label)]) == "by: Int"
        document.close()


async def test_inlay_hints(vscode: LanguageClient) -> None:
    document = Document(vscode, HEAD + "fn f() -> Point {\n    let s = move(origin(), 2)\n    s\n}\n")
    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    hints = await vscode.text_document_inlay_hint_async(types.InlayHintParams(document.id, whole))
    assert hints is not None
    shown = [types.TextEdit(types.Range(hint.position, hint.position), f"[{hint.label}]") for hint in hints]
    assert "let s[: Point] = move(origin(), [by:]2)" in document.edited(shown)
    written = [edit for hint in hints for edit in hint.text_edits or ()]
    assert "let s: Point = move(origin(), 2)" in document.edited(written)


async def test_linked_names(vscode: LanguageClient) -> None:
    document = Document(vscode, "fn f(total: Int) -> Int { <|>total + total }\nfn g(total: Int) -> Int { total }\n")
    params = types.LinkedEditingRangeParams(document.id, document.cursor)
    found = await vscode.text_document_linked_editing_range_async(params)
    assert found is not None
    assert [(one.start.line, document.at(one)) for one in found.ranges] == [(0, "total")] * 3


async def test_a_closed_block_gets_its_layout(vscode: LanguageClient) -> None:
    document = Document(vscode, "fn f( ) -> Int {   1 }\nfn g() -> Int {\n  if true {\n 1\n  } else {\n 2\n      }<|>\n}\n")
    options = types.FormattingOptions(4, True)
    params = types.DocumentOnTypeFormattingParams(document.id, document.cursor, "}", options)
    edits = await vscode.text_document_on_type_formatting_async(params)
    assert edits
    text = document.edited(edits)
    assert text.startswith("fn f( ) -> Int {   1 }\n")
    assert "    } else {\n        2\n    }\n}" in text
    broken = Document(vscode, "fn g( -> Int {\n  1 }<|>\n")
    params = types.DocumentOnTypeFormattingParams(broken.id, broken.cursor, "}", options)
    assert not await vscode.text_document_on_type_formatting_async(params)
