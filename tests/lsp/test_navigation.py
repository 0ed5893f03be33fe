"""Definition, references, highlights, hover, outline, folding and selection through a real client."""

from __future__ import annotations

from itertools import pairwise

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.documents import Document

pytestmark = pytest.mark.asyncio(loop_scope="session")

PROGRAM = """// Adds two numbers.
// Both are whole.
fn add(left: Int, right: Int) -> Int {
    left + right
}

type Point { x: Int, y: Int }

enum Shape { Dot, Round(Int) }

fn main() -> Int {
    let mut total = add(1, 2)
    let place = Point { x: total, y: 2 }
    // 🙂
    total = <|>add(total, place.x)
    match Dot {
        Dot => total
        Round(size) => size
    }
}
"""


async def test_definition(neovim: LanguageClient) -> None:
    document = Document(neovim, PROGRAM)
    found = await neovim.text_document_definition_async(types.DefinitionParams(document.id, document.cursor))
    assert isinstance(found, list)
    (link,) = found
    assert isinstance(link, types.LocationLink)
    assert link.target_uri == document.uri
    assert document.at(link.target_selection_range) == "add"
    assert document.at(link.target_range).startswith("fn add(")


async def test_definition_in_a_file_with_errors(vscode: LanguageClient) -> None:
    document = Document(vscode, "fn broken( {\n" + PROGRAM + "\nfn more() -> Int { 1 +")
    found = await vscode.text_document_definition_async(types.DefinitionParams(document.id, document.cursor))
    assert found
    assert isinstance(found, list)
    first = found[0]
    place = first.target_selection_range if isinstance(first, types.LocationLink) else first.range
    assert document.at(place) == "add"


async def test_definition_of_nothing(vscode: LanguageClient) -> None:
    document = Document(vscode, PROGRAM)
    nowhere = types.DefinitionParams(document.id, types.Position(500, 500))
    assert not await vscode.text_document_definition_async(nowhere)


@pytest.mark.parametrize(("declaration", "count"), [(True, 3), (False, 2)])
async def test_references(vscode: LanguageClient, declaration: bool, count: int) -> None:
    document = Document(vscode, PROGRAM)
    context = types.ReferenceContext(include_declaration=declaration)
    params = types.ReferenceParams(context, document.id, document.cursor)
    found = await vscode.text_document_references_async(params)
    assert found is not None
    assert [document.at(each.range) for each in found] == ["add"] * count


async def test_highlights_tell_reading_from_writing(neovim: LanguageClient) -> None:
    document = Document(neovim, PROGRAM)
    position = document.range("total").start
    found = await neovim.text_document_document_highlight_async(types.DocumentHighlightParams(document.id, position))
    assert found is not None
    assert {document.at(each.range) for each in found} == {"total"}
    write, read = types.DocumentHighlightKind.Write, types.DocumentHighlightKind.Read
    in_order = sorted(found, key=lambda each: (each.range.start.line, each.range.start.character))
    assert [each.kind for each in in_order] == [write, read, write, read, read]


async def test_hover(neovim: LanguageClient) -> None:
    document = Document(neovim, PROGRAM)
    shown = await neovim.text_document_hover_async(types.HoverParams(document.id, document.cursor))
    assert shown is not None
    assert isinstance(shown.contents, types.MarkupContent)
    assert "fn add(left: Int, right: Int) -> Int" in shown.contents.value
    assert "Adds two numbers." in shown.contents.value
    assert shown.range is not None
    assert document.at(shown.range) == "add"
    nothing = types.HoverParams(document.id, types.Position(5, 0))
    assert await neovim.text_document_hover_async(nothing) is None


async def test_the_outline_is_a_tree(neovim: LanguageClient) -> None:
    document = Document(neovim, PROGRAM)
    found = await neovim.text_document_document_symbol_async(types.DocumentSymbolParams(document.id))
    assert found is not None
    symbols = [each for each in found if isinstance(each, types.DocumentSymbol)]
    assert [each.name for each in symbols] == ["add", "Point", "Shape", "main"]
    assert [each.kind.name for each in symbols] == ["Function", "Struct", "Enum", "Function"]
    assert [child.name for child in symbols[1].children or ()] == ["x", "y"]
    assert [child.name for child in symbols[2].children or ()] == ["Dot", "Round"]
    for symbol in symbols:
        assert document.at(symbol.selection_range) == symbol.name


@pytest.mark.parametrize("editor", ["neovim", "vscode"])
async def test_folding(request: pytest.FixtureRequest, editor: str) -> None:
    client: LanguageClient = request.getfixturevalue(editor)
    document = Document(client, PROGRAM)
    found = await client.text_document_folding_range_async(types.FoldingRangeParams(document.id))
    assert found is not None
    lines = {(each.start_line, each.end_line) for each in found}
    # A function's lines from its first to the one before its closing brace, and the comment above it.
    assert {(2, 3), (0, 1), (15, 17)} <= lines or {(2, 4), (0, 1), (15, 18)} <= lines
    assert any(each.kind == types.FoldingRangeKind.Comment for each in found)


async def test_a_selection_grows_to_the_whole_file(vscode: LanguageClient) -> None:
    document = Document(vscode, PROGRAM)
    params = types.SelectionRangeParams(document.id, [document.cursor, types.Position(0, 3)])
    found = await vscode.text_document_selection_range_async(params)
    assert found is not None
    assert len(found) == 2
    steps = []
    step: types.SelectionRange | None = found[0]
    while step is not None:
        steps.append(document.at(step.range))
        step = step.parent
    assert steps[0] == "add"
    assert "add(total, place.x)" in steps
    assert steps[-1] == document.text
    assert all(inner in outer for inner, outer in pairwise(steps))
