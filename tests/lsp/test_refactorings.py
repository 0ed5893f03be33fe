"""Refactorings as code actions: a cheap list, the edit when one is chosen, the reason where one does not apply. And lenses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from analysis.text.source import Encoding, Source
from tests.support.lsp import RawClient

URI = "file:///program.ax"
PROGRAM = (
    "fn twice(n: Int, unused: Int) -> Int {\n    let mut m = n * 2\n    m = m + 1\n    m\n}\n\n"
    "fn main() -> Int {\n    twice(1, 2) + 3\n}\n"
)
CAPABILITIES = {"textDocument": {"codeAction": {"disabledSupport": True, "resolveSupport": {"properties": ["edit"]}}}}


@pytest.fixture(scope="module")
def client() -> Iterator[RawClient]:
    with RawClient() as made:
        made.initialize(CAPABILITIES)
        made.open(URI, PROGRAM)
        yield made


def place(piece: str, is_cursor: bool = False) -> dict[str, Any]:
    at = PROGRAM.index(piece)
    ends = (at, at if is_cursor else at + len(piece))
    start, end = (
        dict(zip(("line", "character"), Source.from_text(PROGRAM).lsp_position(one, Encoding.UTF16), strict=True)) for one in ends
    )
    return {"start": start, "end": end}


def actions(client: RawClient, range_: dict[str, Any]) -> dict[str, dict[str, Any]]:
    params = {"textDocument": {"uri": URI}, "range": range_, "context": {"diagnostics": [], "only": ["refactor"]}}
    return {one["title"]: one for one in client.call("textDocument/codeAction", params)}


def edited(client: RawClient, action: dict[str, Any]) -> str:
    assert "edit" not in action
    (edits,) = client.call("codeAction/resolve", action)["edit"]["changes"].values()
    text, source = PROGRAM, Source.from_text(PROGRAM)
    spans = []
    for one in edits:
        start, end = (
            source.lsp_offset(at["line"], at["character"], Encoding.UTF16) for at in (one["range"]["start"], one["range"]["end"])
        )
        spans.append((start, end, one["newText"]))
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def test_extracts_are_listed_without_their_edits_and_resolved(client: RawClient) -> None:
    found = actions(client, place("twice(1, 2)"))
    assert "let twice_2 = twice(1, 2)\n    twice_2 + 3" in edited(client, found["Extract into a variable"])
    text = edited(client, found["Extract into a function"])
    assert "extracted() + 3" in text
    assert "fn extracted() -> Int {\n    twice(1, 2)\n}" in text


def test_parameters_go_with_their_arguments(client: RawClient) -> None:
    text = edited(client, actions(client, place("unused", is_cursor=True))["Remove the unused parameter"])
    assert "twice(n: Int)" in text
    assert "twice(1) + 3" in text


def test_what_does_not_apply_is_disabled_with_the_reason(client: RawClient) -> None:
    action = actions(client, place("m = n", is_cursor=True))["Inline the variable"]
    assert "assigned again" in action["disabled"]["reason"]


def test_a_repair_is_an_edit_of_the_editor() -> None:
    uri, text = "file:///faulty.ax", "fn main() -> Int {\n    let value = 1\n    valu + vale\n}\n"
    repair = {"command": "boruna.applyRepair", "arguments": [uri]}
    with RawClient() as editor:
        editor.initialize({"workspace": {"applyEdit": True}})
        editor.open(uri, text)

        def asked(params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
            """The edit that the editor is asked to make, and the answer once it was made."""
            number = editor.ask("workspace/executeCommand", params)
            while (message := editor.receive()).get("method") != "workspace/applyEdit":
                assert message.get("id") != number, message
            editor.frame(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"applied": True}}).encode())
            return message["params"]["edit"]["changes"], editor.answer(number)["result"]

        edits, answer = asked({**repair, "arguments": [uri, "E003-rename-valu"]})
        (made,) = edits[uri]
        assert "value + vale" in made["newText"]
        assert (answer["edited"], answer["patches_applied"], answer["verify_passed"]) == (True, 1, False)
        edits, answer = asked(repair)
        assert "value + value" in edits[uri][0]["newText"]
        assert answer["verify_passed"] is True
        for arguments in ([uri, 5], ["file:///closed.ax"], []):
            assert editor.refused("workspace/executeCommand", {**repair, "arguments": arguments}) == -32602


def test_a_resolve_with_other_data_is_refused(client: RawClient) -> None:
    for data in (
        {"start": 0, "end": "x"},
        {"start": 0, "end": 1, "refactoring": "nonsense"},
        {"start": 10**9, "end": 10**9, "refactoring": "flip_binary"},
    ):
        action = {"title": "x", "data": {"uri": URI, "version": 1, **data}}
        assert client.refused("codeAction/resolve", action) in (-32602, -32803)


def test_references_are_counted_when_a_lens_is_shown() -> None:
    app = PROGRAM.replace("main", "update") + "fn init() -> Int { 1 }\nfn view(n: Int) -> Int { n }\n"
    with RawClient() as client:
        client.initialize(initializationOptions={"boruna": {"lens": {"references": True}}})
        client.open(URI, app)
        document = {"textDocument": {"uri": URI}}
        shown = [one for one in client.call("textDocument/codeLens", document) if "data" in one]
        titles = [client.call("codeLens/resolve", one)["command"]["title"] for one in shown]
        assert titles == ["1 reference", "0 references", "0 references", "0 references"]
        assert client.refused("codeLens/resolve", {"range": shown[0]["range"], "data": {"uri": 1}}) == -32602
        at = {"line": app[: app.index("fn update")].count("\n"), "character": 4}
        (found,) = client.call("textDocument/implementation", {**document, "position": at})
        assert found["range"]["start"]["line"] == at["line"]
