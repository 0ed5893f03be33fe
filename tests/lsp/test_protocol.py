"""Capabilities of the server, and the order of messages: cancelled, outdated and many."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.lsp import RawClient, edit, span

URI = "file:///protocol/program.ax"
LONG = "".join(f"fn f{number}(a: Int) -> Int {{\n    a + {number}\n}}\n" for number in range(3_000))


@pytest.fixture
def raw() -> Iterator[RawClient]:
    with RawClient() as client:
        yield client


def test_capabilities(raw: RawClient) -> None:
    answer = raw.initialize({"textDocument": {"rename": {"prepareSupport": True}}})
    offered = answer["capabilities"]
    assert answer["serverInfo"]["name"] == "boruna-ls"
    assert offered["positionEncoding"] == "utf-16"
    assert offered["textDocumentSync"] == {"openClose": True, "change": 2, "save": True}
    assert offered["renameProvider"] == {"prepareProvider": True}
    kinds = offered["codeActionProvider"]["codeActionKinds"]
    assert kinds[:3] == ["quickfix", "source.fixAll.boruna", "source.organizeImports"]
    assert set(kinds[3:]) == {"refactor.extract", "refactor.inline", "refactor.rewrite", "refactor.move"}
    assert offered["codeActionProvider"]["resolveProvider"]
    assert offered["diagnosticProvider"]["workspaceDiagnostics"]
    assert offered["semanticTokensProvider"]["full"] == {"delta": True}
    assert offered["semanticTokensProvider"]["range"]
    for feature in ("hover", "definition", "references", "documentHighlight", "documentSymbol", "foldingRange"):
        assert offered[f"{feature}Provider"]
    for feature in ("selectionRange", "documentFormatting", "documentRangeFormatting", "documentOnTypeFormatting"):
        assert offered[f"{feature}Provider"]
    for feature in ("completion", "signatureHelp", "inlayHint", "declaration", "typeDefinition", "documentLink"):
        assert offered[f"{feature}Provider"]
    for feature in ("workspaceSymbol", "callHierarchy", "linkedEditingRange", "codeLens"):
        assert offered[f"{feature}Provider"]


@pytest.mark.parametrize(
    ("offered", "chosen", "column"),
    [
        (["utf-8", "utf-16"], "utf-8", 9),
        (["utf-32", "utf-8"], "utf-32", 6),
        (["utf-16"], "utf-16", 7),
        (["utf-7"], "utf-16", 7),
        ([], "utf-16", 7),
    ],
)
def test_position_encodings(raw: RawClient, offered: list[str], chosen: str, column: int) -> None:
    answer = raw.initialize({"general": {"positionEncodings": offered}})
    assert answer["capabilities"]["positionEncoding"] == chosen
    raw.open(URI, 'fn main() -> Int {\n["🙂", x]\n}\n')
    (diagnostic,) = [each for each in raw.published(URI, 1) if each["code"] == "E003"]
    assert diagnostic["range"] == span((1, column), (1, column + 1))
    # An edit in the same units takes the name away.
    raw.change(URI, 2, edit((1, column), (1, column + 1), "1"))
    assert not [each for each in raw.published(URI, 2) if each["code"] == "E003"]


def position(line: int, character: int) -> dict[str, Any]:
    return {"textDocument": {"uri": URI}, "position": {"line": line, "character": character}}


def test_an_answer_about_an_older_text_is_content_modified(raw: RawClient) -> None:
    raw.initialize()
    raw.open(URI, LONG)
    # Both in one piece, so that the server reads the edit before it can answer.
    hover = {"jsonrpc": "2.0", "id": "early", "method": "textDocument/hover", "params": position(0, 4)}
    document = {"uri": URI, "version": 2}
    changes = {"textDocument": document, "contentChanges": [edit((0, 0), (0, 0), "\n")]}
    change = {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": changes}
    bodies = [json.dumps(message).encode() for message in (hover, change)]
    raw.send_bytes(b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies))
    assert raw.answer("early")["error"]["code"] == -32801
    shown = raw.call("textDocument/hover", position(1, 4))
    assert "fn f0" in shown["contents"]["value"]


def test_a_cancelled_request_is_answered_as_cancelled(raw: RawClient) -> None:
    raw.initialize()
    raw.open(URI, LONG)
    asked = raw.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": URI}})
    raw.notify("$/cancelRequest", {"id": asked})
    assert raw.answer(asked)["error"]["code"] == -32800
    assert raw.is_alive()


def test_requests_come_before_diagnostics(raw: RawClient) -> None:
    raw.initialize()
    raw.open(URI, "fn main() -> Int {\n    1\n}\n")
    raw.published(URI, 1)
    raw.change(URI, 2, {"text": LONG})
    asked = raw.ask("textDocument/foldingRange", {"textDocument": {"uri": URI}})
    assert len(raw.answer(asked)["result"]) == 3_000
    raw.change(URI, 3, edit((1, 0), (1, 0), " "))
    assert [one for one in raw.published(URI, 3) if one["severity"] == 1] == []


def test_an_id_is_echoed_as_it_was(raw: RawClient) -> None:
    raw.initialize()
    for id_ in (0, -7, "", "7", 2**53, "é\u2028"):
        raw.frame(b'{"jsonrpc": "2.0", "id": %b, "method": "no/such"}' % json.dumps(id_).encode())
        assert raw.receive()["id"] == id_
