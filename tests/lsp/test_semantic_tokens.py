"""Semantic tokens, decoded as an editor decodes them: whole, by range, and as a difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from boruna_ls.lsp.features.semantic_tokens import LEGEND
from tests.lsp.documents import Document

pytestmark = pytest.mark.asyncio(loop_scope="session")

PROGRAM = """fn one() -> Int { 1 } fn two() -> Int { one() }
// 🙂 a comment

enum Shape { Dot, Round(Int) }

fn main(s: Shape) -> Int {
    let text = "🙂" let size = list_len([text])
    size + one()
}
"""


class Token(NamedTuple):
    line: int
    text: str
    type: str
    modifiers: tuple[str, ...]


def decoded(document: Document, data: Sequence[int]) -> list[Token]:
    tokens = []
    line = character = 0
    for at in range(0, len(data), 5):
        lines, characters, length, kind, bits = data[at : at + 5]
        line, character = line + lines, characters + (character if lines == 0 else 0)
        place = types.Range(types.Position(line, character), types.Position(line, character + length))
        modifiers = tuple(name for number, name in enumerate(LEGEND.token_modifiers) if bits >> number & 1)
        tokens.append(Token(line, document.at(place), LEGEND.token_types[kind], modifiers))
    return tokens


async def whole(document: Document) -> types.SemanticTokens:
    answer = await document.client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document.id))
    assert answer is not None
    return answer


@pytest.mark.parametrize("editor", ["neovim", "vscode"])
async def test_every_token_covers_its_word(neovim: LanguageClient, vscode: LanguageClient, editor: str) -> None:
    document = Document({"neovim": neovim, "vscode": vscode}[editor], PROGRAM)
    tokens = decoded(document, (await whole(document)).data)
    found = {(token.line, token.text): token for token in tokens}
    assert found[0, "two"].type == found[0, "one"].type == "function"
    assert found[1, "// 🙂 a comment"].type == "comment"
    assert found[3, "Shape"].type == "type"
    assert found[3, "Round"].type == "enumMember"
    assert found[5, "s"].type == "parameter"
    assert "declaration" in found[5, "main"].modifiers
    assert found[6, '"🙂"'].type == "string"
    assert found[6, "size"].type == "variable"
    assert "defaultLibrary" in found[6, "list_len"].modifiers
    assert [token.line for token in tokens] == sorted(token.line for token in tokens)


async def test_a_range_has_the_tokens_of_its_items(vscode: LanguageClient) -> None:
    document = Document(vscode, PROGRAM)
    params = types.SemanticTokensRangeParams(document.id, document.range("size + one()"))
    answer = await vscode.text_document_semantic_tokens_range_async(params)
    assert answer is not None
    everything = decoded(document, (await whole(document)).data)
    part = decoded(document, answer.data)
    assert part == [token for token in everything if token.line >= 5]


EDITS = [
    ("1 }", "1 + 1 }"),
    ("// 🙂 a comment\n", ""),
    ("size + one()\n", "size + one()\n    + two()\n"),
    ("fn one() -> Int { 1 } ", ""),
    ("enum Shape { Dot, Round(Int) }", "enum Shape { Dot, Round(Int) }"),
    ("// 🙂 a comment", "fn three() -> Int {\n    3\n}\n"),
    (PROGRAM, ""),
]


@pytest.mark.parametrize(("old", "new"), EDITS)
async def test_a_difference_leads_to_the_whole(neovim: LanguageClient, old: str, new: str) -> None:
    document = Document(neovim, PROGRAM)
    first = await whole(document)
    place = document.range(old)
    document.change(place.start, place.end, new)
    assert first.result_id is not None
    params = types.SemanticTokensDeltaParams(document.id, first.result_id)
    answer = await neovim.text_document_semantic_tokens_full_delta_async(params)
    assert isinstance(answer, types.SemanticTokensDelta)
    data = list(first.data)
    for edit in answer.edits:
        data[edit.start : edit.start + edit.delete_count] = list(edit.data or [])
    assert data == list((await whole(document)).data)
    if old == new:
        assert list(answer.edits) == []


async def test_a_difference_to_unknown_tokens_is_the_whole(vscode: LanguageClient) -> None:
    document = Document(vscode, PROGRAM)
    params = types.SemanticTokensDeltaParams(document.id, "999")
    answer = await vscode.text_document_semantic_tokens_full_delta_async(params)
    assert isinstance(answer, types.SemanticTokens)
    assert list(answer.data) == list((await whole(document)).data)
