"""Warnings that the last keystroke made in the statement being written wait for a pause; errors do not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.documents import Document

pytestmark = pytest.mark.asyncio(loop_scope="session")

PROGRAM = "fn main() -> Int {\n    let spare = 1\n    <|>\n    2\n}\n"


def codes(found: Sequence[types.Diagnostic]) -> list[str]:
    return [str(each.code) for each in found]


async def typed(document: Document, text: str) -> list[str]:
    """The codes that are published about the text as it is after so many keys."""
    for key in text:
        document.change(document.cursor, document.cursor, key)
        document.cursor = types.Position(document.cursor.line, document.cursor.character + 1)
    return codes(await document.published())


async def test_a_hint_waits_until_its_author_pauses(vscode: LanguageClient) -> None:
    document = Document(vscode, PROGRAM)
    assert codes(await document.published()) == ["W501"]
    # The name of before stays; the new one is not told of yet.
    assert await typed(document, "let other = 3") == ["W501"]
    assert codes(await document.published()) == ["W501", "W501"]
    # What was shown stays while its statement goes on.
    assert await typed(document, "4") == ["W501", "W501"]


async def test_an_error_does_not_wait(vscode: LanguageClient) -> None:
    document = Document(vscode, PROGRAM)
    await document.published()
    assert await typed(document, "let other = one") == ["W501", "E003"]
    assert codes(await document.published()) == ["W501", "W501", "E003"]


async def test_leaving_the_statement_is_a_pause(vscode: LanguageClient) -> None:
    document = Document(vscode, PROGRAM)
    await document.published()
    assert await typed(document, "let other = 3") == ["W501"]
    end = document.position(len(document.text))
    document.change(end, end, "// the end")
    assert codes(await document.published()) == ["W501", "W501"]


async def test_who_asks_is_told_all(neovim: LanguageClient) -> None:
    document = Document(neovim, PROGRAM)
    document.change(document.cursor, document.cursor, "let other = 3")
    assert codes(await document.items()) == ["W501", "W501"]


async def test_the_pause_is_a_setting(vscode: LanguageClient) -> None:
    try:
        vscode.workspace_did_change_configuration(types.DidChangeConfigurationParams({"boruna": {"diagnostics": {"pause": 0}}}))
        document = Document(vscode, PROGRAM)
        await document.published()
        assert await typed(document, "let other = 3") == ["W501", "W501"]
        vscode.workspace_did_change_configuration(types.DidChangeConfigurationParams({"boruna": {"diagnostics.pause": -1}}))
    finally:
        vscode.workspace_did_change_configuration(types.DidChangeConfigurationParams({"boruna": {"diagnostics": {"pause": 300}}}))
