"""A daemon that is not loaded yet greets an editor with what the one before it answered, and with nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.rendezvous import places
from tests.support.daemon import editor, stopped
from tests.support.lsp import OPTIONS, RawClient

CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-8", "utf-16"]},
    "textDocument": {"rename": {"prepareSupport": True}, "synchronization": {"willSave": True}},
}
TEXT = "fn main() -> Int {\n    nobody\n}\n"
Note = dict[str, Any]


def greeted(tmp_path: Path, capabilities: Any = CAPABILITIES, **params: Any) -> Any:
    """The result of `initialize` of an editor that is the daemon's only client; the daemon has ended then."""
    with editor(tmp_path) as client:
        answer = client.initialize(capabilities, **params)
    stopped(tmp_path / "d")
    return answer


def noted(tmp_path: Path, change: Callable[[Note], object]) -> None:
    """Changes what is noted."""
    path = Path(places.greetings_path(str(tmp_path / "d")))
    note = json.loads(path.read_text())
    change(note)
    path.write_text(json.dumps(note))


def renamed(note: Note) -> None:
    """Answers as from a server with another name, by which a test knows them."""
    note["answers"] = {words: result.replace('"boruna-ls"', '"noted"') for words, result in note["answers"].items()}


def test_the_second_daemon_answers_as_the_first_and_as_one_without_notes(place: Path, tmp_path: Path) -> None:
    first = greeted(tmp_path)
    assert greeted(tmp_path) == first
    with RawClient(tmp_path) as alone:
        assert alone.initialize(CAPABILITIES) == first


def test_it_answers_from_the_note_and_then_serves(place: Path, tmp_path: Path) -> None:
    greeted(tmp_path)
    noted(tmp_path, renamed)
    file = tmp_path / "main.ax"
    item = {"uri": file.as_uri(), "languageId": "ax", "version": 1, "text": TEXT}
    with editor(tmp_path) as client:
        known: dict[str, Any] = {"processId": None, "capabilities": CAPABILITIES, "initializationOptions": OPTIONS}
        params = known | {"rootUri": tmp_path.as_uri()}
        # All of it at once, as an editor in a hurry does.
        said: list[dict[str, Any]] = [
            {"id": "a", "method": "initialize", "params": params},
            {"method": "initialized", "params": {}},
            {"method": "textDocument/didOpen", "params": {"textDocument": item}},
            {"id": 2, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": item["uri"]}}},
        ]
        bodies = [json.dumps({"jsonrpc": "2.0", **one}).encode() for one in said]
        client.send_bytes(b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies))
        answer = client.receive()
        assert (answer["id"], answer["result"]["serverInfo"]["name"]) == ("a", "noted")
        seen = [client.receive() for _ in range(2)]
        assert sorted(str(one.get("id", one.get("method"))) for one in seen) == ["2", "textDocument/publishDiagnostics"]
        assert client.refused("initialize", params) == -32600
        assert client.call("shutdown") is None
    stopped(place)
    # What was wrong has been put right.
    assert greeted(tmp_path)["serverInfo"]["name"] == "boruna-ls"


@pytest.mark.parametrize(
    "params",
    [
        {"rootUri": "file:///elsewhere", "processId": None, "workspaceFolders": [{"uri": "file:///w", "name": "w"}]},
        {"rootUri": None, "processId": None, "clientInfo": {"name": "another"}},
        {"rootUri": None, "processId": None, "initializationOptions": {"diagnostics": {"scope": "workspace"}}},
    ],
)
def test_who_says_something_else_is_not_taken_for_the_same(place: Path, tmp_path: Path, params: Note) -> None:
    greeted(tmp_path)
    noted(tmp_path, renamed)
    assert greeted(tmp_path, **params)["serverInfo"]["name"] == "boruna-ls"


def test_where_an_editor_works_makes_no_difference(place: Path, tmp_path: Path) -> None:
    greeted(tmp_path)
    noted(tmp_path, renamed)
    assert greeted(tmp_path, rootUri=tmp_path.as_uri(), processId=1)["serverInfo"]["name"] == "noted"


@pytest.mark.parametrize("wrong", [{"processId": "me"}, {"workspaceFolders": [{"uri": None}]}])
def test_what_is_refused_is_refused_all_the_same(place: Path, tmp_path: Path, wrong: Note) -> None:
    greeted(tmp_path, workspaceFolders=None)
    with editor(tmp_path) as client:
        params = {"processId": None, "rootUri": None, "workspaceFolders": None, "capabilities": CAPABILITIES, **wrong}
        assert client.refused("initialize", params) == -32602


def other_package(note: Note) -> None:
    """Noted by another version."""
    renamed(note)
    note["of"][0] = "0.0.1"


def no_text(note: Note) -> None:
    """Results that are none."""
    note["answers"] = dict.fromkeys(note["answers"], 5)


@pytest.mark.parametrize("change", [other_package, no_text, lambda note: note.clear(), lambda note: note.update(answers=[1])])
def test_notes_that_do_not_hold_are_not_believed(place: Path, tmp_path: Path, change: Callable[[Note], object]) -> None:
    first = greeted(tmp_path)
    noted(tmp_path, change)
    assert greeted(tmp_path) == first


def test_notes_that_cannot_be_read_or_written(place: Path, tmp_path: Path) -> None:
    first = greeted(tmp_path)
    path = Path(places.greetings_path(str(place)))
    path.write_bytes(b"\xff{")
    assert greeted(tmp_path) == first
    path.unlink()
    path.mkdir()
    assert greeted(tmp_path) == first
