"""An editor's session over daemons that end at any byte: nothing is lost, nothing comes twice."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boruna_ls.forwarder.lsp_memory import LspMemory
from boruna_ls.forwarder.memory import LARGE
from boruna_ls.wire.frames import Frames, framed
from tests.forwarder.client_session import ended
from tests.forwarder.editor_session import CONTENT_MODIFIED, EditorDaemon, EditorSession

ALPHABET = ["a", "b", " ", "\n", "\r\n", "\r", "é", "😀", "\u2028", '"', "{", "}"]


def some_text(chance: random.Random, most: int) -> str:
    return "".join(chance.choice(ALPHABET) for _ in range(chance.randrange(most)))


def some_change(chance: random.Random) -> dict[str, Any]:
    if chance.random() < 0.1:
        return {"text": some_text(chance, 40) * chance.choice([1, 1, 500])}
    ends = [{"line": chance.randrange(6), "character": chance.randrange(9)} for _ in range(2)]
    return {"range": {"start": ends[0], "end": ends[1]}, "text": some_text(chance, 6)}


def some_step(session: EditorSession, chance: random.Random) -> None:
    """Something that an editor does, or that happens to its daemon."""
    open_ones = sorted(session.documents)
    kind = chance.randrange(14)
    if kind == 0 or not open_ones:
        uri = f"file:///{chance.randrange(3)}.ax"
        if uri in session.documents:
            session.close(uri)
        else:
            session.open(uri, some_text(chance, 30) * chance.choice([1, 1, 400]))
    elif kind <= 5:
        session.change(chance.choice(open_ones), [some_change(chance) for _ in range(chance.choice([1, 1, 3]))])
    elif kind <= 7:
        session.ask("textDocument/hover", {"textDocument": {"uri": chance.choice(open_ones)}})
    elif kind == 8:
        session.ask("workspace/executeCommand", {"command": "boruna.run"})
    elif kind == 9:
        session.settings = chance.randrange(100)
        session.tell("workspace/didChangeConfiguration", {"settings": session.settings})
    elif kind == 10:
        new = f"file:///{chance.randrange(4)}"
        is_there = new in session.folders
        session.folders = [each for each in session.folders if each != new] if is_there else [*session.folders, new]
        names = [{"uri": new, "name": ""}]
        event = {"added": [] if is_there else names, "removed": names if is_there else []}
        session.tell("workspace/didChangeWorkspaceFolders", {"event": event})
    elif kind == 11:
        session.answer_question()
    elif kind == 12:
        session.kill(chance.randrange(2000), chance.randrange(1000))
    else:
        session.revive()
    if chance.random() < 0.5:
        session.deliver(*(chance.choice([None, chance.randrange(3000)]) for _ in range(2)))
    if session.daemon is not None and chance.random() < 0.2:
        session.daemon.answer_later()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@given(st.integers(0, 2**32), st.integers(5, 60))
def test_whatever_happens_nothing_is_lost(encoding: str, seed: int, steps: int) -> None:
    chance, session = random.Random(seed), EditorSession(encoding)
    for _ in range(steps):
        some_step(session, chance)
    session.revive()
    assert session.daemon is not None
    session.deliver()
    session.daemon.answer_later()
    session.deliver()
    while session.questions:
        session.answer_question()
    session.deliver()
    documents = {uri: (source.text, version) for uri, (source, version) in session.documents.items()}
    assert {uri: (source.text, version) for uri, (source, version) in session.daemon.documents.items()} == documents
    assert {uri: session.shown[uri] for uri in documents} == {uri: [text] for uri, (text, _) in documents.items()}
    assert sorted(session.daemon.folders) == sorted(session.folders)
    assert session.daemon.settings == session.settings
    assert session.registered == {"watch"}
    assert session.progress == {"t"}
    # Exactly one answer to each request: a second one would not have been expected, a missing one is still owed.
    assert session.owed == {}
    for method, text, message in session.given:
        if method == "textDocument/hover":
            assert message["result"]["text"] == text if "result" in message else message["error"]["code"] == CONTENT_MODIFIED
    commands = [message for method, _, message in session.given if method == "workspace/executeCommand"]
    # No command was carried out twice.
    assert session.commands + session.daemon.commands <= len(commands)


def passed(memory: LspMemory, *messages: Any) -> list[dict[str, Any]]:
    """Messages for the daemon, after messages of the editor."""
    for message in messages:
        memory.from_client(framed(json.dumps(message).encode()))
    return taken(memory.to_daemon)


def taken(buffer: bytearray) -> list[dict[str, Any]]:
    data, buffer[:] = bytes(buffer), b""
    return [json.loads(piece.body) for piece in Frames().feed(data) if piece.body is not None]


def begun(**capabilities: Any) -> LspMemory:
    """A memory behind the handshake."""
    memory = LspMemory()
    memory.resume()
    params = {"capabilities": capabilities, "processId": 4711}
    passed(memory, {"id": 0, "method": "initialize", "params": params}, {"method": "initialized", "params": {}})
    memory.from_daemon(framed(b'{"jsonrpc": "2.0", "id": 0, "result": {"capabilities": {}}}'))
    taken(memory.to_client)
    return memory


def test_every_byte_goes_through_unchanged() -> None:
    odd = b'junk Content-Length: 2\r\n\r\n[]Content-Length: 5\r\n\r\nhelloCONTENT-LENGTH: 9 \r\nX: y\r\n\r\n{"id": 1}\r\n\r\n'
    half = b"Content-Length: 100\r\n\r\n{"
    memory = LspMemory()
    memory.resume()
    for start in range(0, len(odd), 3):
        memory.from_client(odd[start : start + 3])
    memory.from_client(half)
    memory.client_ended()
    assert bytes(memory.to_daemon) == odd + half
    memory.from_daemon(odd)
    memory.from_daemon(half)
    assert bytes(memory.to_client) == odd


def test_a_small_edit_is_not_held_up_by_reading_a_large_one() -> None:
    memory = begun()
    text = "x" * LARGE * 2
    document = {"uri": "file:///a.ax", "languageId": "boruna", "version": 1, "text": text}
    (sent,) = passed(memory, {"method": "textDocument/didOpen", "params": {"textDocument": document}})
    assert sent["params"]["textDocument"]["text"] == text
    ended(memory)
    memory.resume()
    assert taken(memory.to_daemon)[-1]["params"]["textDocument"] == document


def test_the_editor_hears_nothing_of_the_second_handshake() -> None:
    memory = begun()
    ended(memory)
    memory.resume()
    first, second = taken(memory.to_daemon)
    assert (first["method"], second["method"]) == ("initialize", "initialized")
    assert first["params"]["processId"] == memory.process == 4711
    memory.from_daemon(framed(json.dumps({"id": first["id"], "result": {"capabilities": {}}}).encode()))
    assert (taken(memory.to_client), memory.problem) == ([], "")


@pytest.mark.parametrize("answer", [{"result": {"capabilities": {"positionEncoding": "utf-8"}}}, {"error": {"code": 1}}])
def test_a_daemon_that_cannot_go_on_is_a_problem(answer: dict[str, Any]) -> None:
    memory = begun()
    ended(memory)
    memory.resume()
    memory.from_daemon(framed(json.dumps({"id": taken(memory.to_daemon)[0]["id"], **answer}).encode()))
    assert "new daemon" in memory.problem


def test_an_end_during_the_handshake() -> None:
    memory = LspMemory()
    memory.resume()
    (asked,) = passed(memory, {"id": 7, "method": "initialize", "params": {}})
    ended(memory)
    memory.resume()
    assert taken(memory.to_daemon) == [asked]
    memory.from_daemon(framed(b'{"id": 7, "result": {"capabilities": {}}}'))
    assert [message["id"] for message in taken(memory.to_client)] == [7]


def test_cancelled_requests_are_answered_once() -> None:
    memory = begun()
    passed(memory, {"id": 1, "method": "a/b"}, {"method": "$/cancelRequest", "params": {"id": 1}})
    ended(memory)
    passed(memory, {"id": "2", "method": "a/b"}, {"method": "$/cancelRequest", "params": {"id": "2"}})
    memory.resume()
    assert [message["method"] for message in taken(memory.to_daemon)] == ["initialize", "initialized"]
    assert [(one["id"], one["error"]["code"]) for one in taken(memory.to_client)] == [(1, -32800), ("2", -32800)]


def test_a_request_that_ends_daemons_is_left_out() -> None:
    memory = begun()
    passed(memory, {"id": 1, "method": "a/b"})
    for count in (1, 2):
        ended(memory)
        memory.resume()
        assert taken(memory.to_daemon)[-1]["id"] == 1, count
    # One that did not even take the client has not ended over it.
    ended(memory, was_serving=False)
    memory.resume()
    assert taken(memory.to_daemon)[-1]["id"] == 1
    assert taken(memory.to_client) == []
    ended(memory)
    memory.resume()
    assert [message["method"] for message in taken(memory.to_daemon)] == ["initialize", "initialized"]
    assert taken(memory.to_client)[0]["error"]["code"] == -32803


def test_a_daemon_that_has_only_greeted_has_not_ended_over_a_request() -> None:
    memory = begun()
    passed(memory, {"id": 1, "method": "workspace/executeCommand", "params": {"command": "boruna.run"}})
    for _ in range(5):
        memory.lost()
        memory.resume()
        memory.welcomed({"greets": True})
        again = taken(memory.to_daemon)[0]["id"]
        memory.from_daemon(framed(json.dumps({"id": again, "result": {}}).encode()))
    assert taken(memory.to_client) == []
    memory.from_daemon(framed(b'{"method": "$/boruna/serves"}'))
    memory.lost()
    (refused,) = taken(memory.to_client)
    assert (refused["id"], refused["error"]["code"]) == (1, -32803)


def test_shutdown_and_exit_between_two_daemons() -> None:
    memory = begun()
    ended(memory)
    assert memory.needs_daemon()
    passed(memory, {"id": 5, "method": "shutdown"}, {"id": 6, "method": "a/b"})
    assert not memory.needs_daemon()
    first, second = taken(memory.to_client)
    assert (first["id"], first["result"], second["error"]["code"]) == (5, None, -32600)
    passed(memory, {"method": "exit"})
    assert (memory.exit_status, begun().exit_status) == (0, None)


def everything_at_once() -> LspMemory:
    """An editor that has said all that it will ever say."""
    memory = LspMemory()
    memory.resume()
    initialize, shutdown = {"id": 1, "method": "initialize", "params": {}}, {"id": 2, "method": "shutdown"}
    passed(memory, initialize, {"method": "initialized", "params": {}}, shutdown, {"method": "exit"})
    return memory


@pytest.mark.parametrize("was_serving", [False, True])
def test_who_says_everything_at_once_is_answered_by_the_next_daemon(was_serving: bool) -> None:
    memory = everything_at_once()
    ended(memory, was_serving)
    assert (memory.needs_daemon(), taken(memory.to_client)) == (True, [])
    memory.resume()
    assert [message["method"] for message in taken(memory.to_daemon)] == ["initialize", "initialized", "shutdown"]
    memory.from_daemon(framed(b'{"id": 1, "result": {"capabilities": {}}}'))
    assert not memory.needs_daemon()
    # Now that it was greeted, the rest is known without a daemon.
    ended(memory, was_serving)
    assert [(message["id"], message["result"]) for message in taken(memory.to_client)] == [
        (1, {"capabilities": {}}),
        (2, None),
    ]
    assert (memory.owes(), memory.needs_daemon()) == (False, False)


def test_who_says_everything_at_once_ends_no_more_daemons_than_others() -> None:
    memory = everything_at_once()
    for _ in range(3):
        ended(memory)
        memory.resume()
    refused, shut = taken(memory.to_client)
    assert (refused["id"], refused["error"]["code"], shut["id"], shut["result"]) == (1, -32803, 2, None)
    assert (memory.owes(), memory.needs_daemon()) == (False, False)


def test_what_is_asked_before_shutdown_between_two_daemons_is_answered() -> None:
    memory = begun()
    ended(memory)
    passed(memory, {"id": 4, "method": "a/b"}, {"id": 5, "method": "shutdown"})
    assert [message["id"] for message in taken(memory.to_client)] == [4, 5]
    assert (memory.owes(), memory.needs_daemon()) == (False, False)


@pytest.mark.parametrize("was_serving", [False, True])
def test_shutdown_that_no_daemon_has_taken(was_serving: bool) -> None:
    memory = begun()
    ended(memory)
    memory.resume()
    passed(memory, {"id": 5, "method": "shutdown"})
    ended(memory, was_serving)
    assert [(message["id"], message["result"]) for message in taken(memory.to_client)] == [(5, None)]


def test_exit_without_shutdown_is_a_failure() -> None:
    memory = begun()
    passed(memory, {"method": "exit"})
    assert memory.exit_status == 1


def test_diagnostics_of_files_that_are_not_open_are_cleared() -> None:
    memory = begun(workspace={"diagnostics": {"refreshSupport": True}})
    for uri in ("file:///a", "file:///b"):
        # As the daemon writes it, and as the library would.
        params = {"uri": uri, "diagnostics": [{"message": "x" * 20_000}]}
        message = {"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params}
        if uri.endswith("b"):
            message = dict(reversed(message.items()))
        memory.from_daemon(framed(json.dumps(message).encode()))
    assert len(taken(memory.to_client)) == 2
    ended(memory)
    memory.resume()
    *cleared, refresh = taken(memory.to_client)
    assert [one["params"] for one in cleared] == [{"uri": f"file:///{name}", "diagnostics": []} for name in "ab"]
    assert refresh["method"] == "workspace/diagnostic/refresh"
    taken(memory.to_daemon)
    assert passed(memory, {"id": refresh["id"], "result": None}) == []


def test_a_part_of_an_answer_is_not_given_twice() -> None:
    memory = begun()
    passed(memory, {"id": 1, "method": "a/b", "params": {"partialResultToken": "p"}})
    memory.from_daemon(framed(b'{"method":"$/progress","params":{"token":"p","value":[1]}}'))
    ended(memory)
    assert [one.get("error", {}).get("code") for one in taken(memory.to_client)] == [None, CONTENT_MODIFIED]


def test_ids_that_are_none_are_no_concern() -> None:
    memory = begun()
    odd = [{"id": value, "method": "a/b"} for value in (None, [1], {"a": 1}, True, 1.5)]
    assert passed(memory, *odd) == odd
    assert not memory.owes()
    assert EditorDaemon("utf-8").documents == {}
