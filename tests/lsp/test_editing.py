"""Quick fixes, "fix all", rename and formatting: the edits are applied, and the result is looked at."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import LanguageClient

from tests.lsp.documents import Document

pytestmark = pytest.mark.asyncio(loop_scope="session")

MISSPELT = """fn main() -> Int {
    let counter = 1
    let other = 2
    coutner + othre
}
"""


def edits_of(document: Document, edit: types.WorkspaceEdit | None) -> Sequence[types.TextEdit]:
    """The edits of a document, in whichever form they came."""
    assert edit is not None
    if edit.changes is not None:
        return edit.changes[document.uri]
    assert edit.document_changes is not None
    (change,) = edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.uri == document.uri
    assert change.text_document.version == document.version
    return [each for each in change.edits if isinstance(each, types.TextEdit)]


async def actions(document: Document, place: types.Range, *only: str) -> list[types.CodeAction]:
    context = types.CodeActionContext([], only=list(only) or None)
    found = await document.client.text_document_code_action_async(types.CodeActionParams(document.id, place, context))
    return [each for each in found or [] if isinstance(each, types.CodeAction)]


async def test_a_quick_fix_mends_its_diagnostic(neovim: LanguageClient) -> None:
    document = Document(neovim, MISSPELT)
    shown = [each for each in await document.items() if each.code == "E003"]
    context = types.CodeActionContext(shown)
    params = types.CodeActionParams(document.id, document.range("coutner"), context)
    found = await neovim.text_document_code_action_async(params)
    first = (found or [])[0]
    assert isinstance(first, types.CodeAction)
    assert first.kind == types.CodeActionKind.QuickFix
    assert first.is_preferred
    assert list(first.diagnostics or []) == shown[:1]
    fixed = document.edited(edits_of(document, first.edit))
    assert fixed == MISSPELT.replace("coutner", "counter")


async def test_a_fix_that_invents_a_value_says_where_to_fill_it_in(neovim: LanguageClient) -> None:
    document = Document(neovim, "fn add(a: Int, b: Int) -> Int { a + b }\n\nfn main() -> Int {\n    add(1)\n}\n")
    await document.items()
    action, *_ = await actions(document, document.range("add(1)"), types.CodeActionKind.QuickFix)
    assert action.title.endswith("(placeholder: replace it)")
    assert not action.is_preferred
    fixed = document.edited(edits_of(document, action.edit)).split("\n")
    assert isinstance(action.data, dict)
    place = action.data["placeholder"]["range"]
    assert place["start"]["line"] == place["end"]["line"] == 3
    assert fixed[3][place["start"]["character"] : place["end"]["character"]] == action.data["placeholder"]["text"] == "0"
    # Clients that resolve every action get it back.
    assert (await neovim.code_action_resolve_async(action)).edit == action.edit


async def test_a_selection_has_the_fixes_of_all_that_it_touches(vscode: LanguageClient) -> None:
    document = Document(vscode, MISSPELT)
    place = types.Range(document.range("coutner").start, document.range("othre").end)
    titles = [each.title for each in await actions(document, place, types.CodeActionKind.QuickFix)]
    assert any("counter" in title for title in titles)
    assert any("other" in title for title in titles)
    assert await actions(document, document.range("main"), types.CodeActionKind.QuickFix) == []


@pytest.mark.parametrize("kind", ["source.fixAll.boruna", "source.fixAll", "source"])
async def test_fix_all(neovim: LanguageClient, kind: str) -> None:
    document = Document(neovim, MISSPELT)
    (action,) = await actions(document, document.range("main"), kind)
    assert action.kind == "source.fixAll.boruna"
    assert action.edit is None
    resolved = await neovim.code_action_resolve_async(action)
    fixed = document.edited(edits_of(document, resolved.edit))
    assert fixed == MISSPELT.replace("coutner", "counter").replace("othre", "other")


async def test_fix_all_of_an_older_text_is_refused(neovim: LanguageClient) -> None:
    document = Document(neovim, MISSPELT)
    (action,) = await actions(document, document.range("main"), "source.fixAll")
    document.change(types.Position(0, 0), types.Position(0, 0), "\n")
    with pytest.raises(JsonRpcException) as refused:
        await neovim.code_action_resolve_async(action)
    assert refused.value.code == types.LSPErrorCodes.ContentModified.value


async def test_other_kinds_get_no_actions(neovim: LanguageClient) -> None:
    document = Document(neovim, MISSPELT)
    assert await actions(document, document.range("coutner"), "refactor", "source.organizeImports") == []


# ---- rename ---------------------------------------------------------------------------------------------------------


async def test_rename(neovim: LanguageClient) -> None:
    document = Document(neovim, "fn twice(n: Int) -> Int {\n    n * 2\n}\n\nfn main() -> Int {\n    <|>twice(twice(1))\n}\n")
    prepared = await neovim.text_document_prepare_rename_async(types.PrepareRenameParams(document.id, document.cursor))
    assert isinstance(prepared, types.PrepareRenamePlaceholder)
    assert prepared.placeholder == document.at(prepared.range) == "twice"
    edit = await neovim.text_document_rename_async(types.RenameParams(document.id, document.cursor, "double"))
    assert document.edited(edits_of(document, edit)) == document.text.replace("twice", "double")


@pytest.mark.parametrize("name", ["fn", "9lives", "a b", "main", ""])
async def test_a_name_that_does_not_fit_is_refused_with_a_reason(neovim: LanguageClient, name: str) -> None:
    document = Document(neovim, "fn <|>twice() -> Int {\n    2\n}\n\nfn main() -> Int {\n    twice()\n}\n")
    with pytest.raises(JsonRpcException) as refused:
        await neovim.text_document_rename_async(types.RenameParams(document.id, document.cursor, name))
    assert refused.value.code == types.LSPErrorCodes.RequestFailed.value
    assert refused.value.message


async def test_a_builtin_cannot_be_renamed(vscode: LanguageClient) -> None:
    document = Document(vscode, "fn main() -> Int {\n    <|>list_len([1])\n}\n")
    with pytest.raises(JsonRpcException) as refused:
        await vscode.text_document_prepare_rename_async(types.PrepareRenameParams(document.id, document.cursor))
    assert "built in" in refused.value.message


# ---- formatting -----------------------------------------------------------------------------------------------------

OPTIONS = types.FormattingOptions(tab_size=8, insert_spaces=False)
UNTIDY = "fn main()->Int{\n  // kept 🙂\n  1+2\n}\n\nfn tidy() -> Int {\n    3\n}\n"
TIDY = "fn main() -> Int {\n    // kept 🙂\n    1 + 2\n}\n\nfn tidy() -> Int {\n    3\n}\n"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
async def test_formatting_changes_only_the_lines_that_change(vscode: LanguageClient, line_end: str) -> None:
    document = Document(vscode, UNTIDY.replace("\n", line_end))
    params = types.DocumentFormattingParams(document.id, OPTIONS)
    edits = await vscode.text_document_formatting_async(params)
    assert edits
    assert document.edited(edits) == TIDY.replace("\n", line_end)
    assert max(edit.range.end.line for edit in edits) <= 3


async def test_formatted_text_gets_no_edit(vscode: LanguageClient) -> None:
    document = Document(vscode, TIDY)
    assert not await vscode.text_document_formatting_async(types.DocumentFormattingParams(document.id, OPTIONS))


async def test_faulty_text_is_left_alone(vscode: LanguageClient) -> None:
    document = Document(vscode, UNTIDY + "fn broken( {")
    assert not await vscode.text_document_formatting_async(types.DocumentFormattingParams(document.id, OPTIONS))


async def test_formatting_a_range(neovim: LanguageClient) -> None:
    document = Document(neovim, UNTIDY + "\nfn late()->Int{\n4\n}\n")
    params = types.DocumentRangeFormattingParams(document.id, document.range("fn late()->Int{\n4\n}"), OPTIONS)
    edits = await neovim.text_document_range_formatting_async(params)
    assert edits
    assert document.edited(edits) == UNTIDY + "\nfn late() -> Int {\n    4\n}\n"


async def test_what_a_library_has_is_imported_by_a_quick_fix(vscode: LanguageClient) -> None:
    document = Document(vscode, 'fn main() -> JsonResult {\n    json_ok("1")\n}\n')
    for piece in ("json_ok", "JsonResult"):
        found = [each for each in await actions(document, document.range(piece), "quickfix") if each.title == 'import "std-json"']
        assert len(found) == 1
        fixed = Document(vscode, document.edited(edits_of(document, found[0].edit)))
        assert fixed.text.startswith('import "std-json"\n\nfn main()')
        assert [each.code for each in await fixed.published()] == []


async def test_imports_that_nobody_needs_are_removed(vscode: LanguageClient) -> None:
    text = 'import "std-json"\nimport "std-http"\nimport "std-json"\n\nfn main() -> JsonResult {\n    json_ok("1")\n}\n'
    document = Document(vscode, text)
    start = types.Range(types.Position(0, 0), types.Position(0, 0))
    (found,) = await actions(document, start, "source.organizeImports")
    edits = edits_of(document, found.edit)
    assert document.edited(edits) == text.replace('import "std-http"\nimport "std-json"\n', "")
    clean = Document(vscode, document.edited(edits))
    assert await actions(clean, start, "source.organizeImports") == []
