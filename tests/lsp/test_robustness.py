"""Whatever a client sends, the server answers or says nothing, and lives. Each test talks to a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from boruna_ls.wire.frames import framed
from tests.support.lsp import ALONE, SERVER, NoAnswer, RawClient, edit

URI = "file:///robust/program.ax"
OTHER = URI.replace(".ax", "_other.ax")
GOOD = "fn main() -> Int {\n    1\n}\n"
BAD = "fn main() -> Int {\n    missing_name\n}\n"


@pytest.fixture
def raw() -> Iterator[RawClient]:
    """A server of its own, not initialized."""
    with RawClient() as client:
        yield client


@pytest.fixture
def own(raw: RawClient) -> RawClient:
    """A server of its own."""
    raw.initialize()
    return raw


@pytest.fixture(scope="module")
def shared() -> Iterator[RawClient]:
    with RawClient() as client:
        client.initialize()
        yield client


@pytest.fixture
def client(shared: RawClient) -> Iterator[RawClient]:
    """The server that outlives all these tests; each finds it without open documents."""
    assert shared.is_alive()
    yield shared
    shared.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert shared.is_alive()


# ---- frames and bodies -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"{nope",
        b"",
        b"\xff\xfe\x00",
        b'{"jsonrpc":"2.0","id":1,"method":"\xe4"}',
        b"[" * 200_000,
        b"{" + b'"a":{' * 50_000,
        b"1" * 5_000,
        b"\x00",
    ],
    ids=["half", "empty", "no-utf8", "latin-1", "deep-list", "deep-object", "huge-number", "nul"],
)
def test_a_malformed_body_is_a_parse_error(client: RawClient, body: bytes) -> None:
    client.frame(body)
    assert client.receive()["error"]["code"] == -32700
    assert client.is_alive()


@pytest.mark.parametrize(
    "message",
    [
        [],
        [{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}],
        "text",
        17,
        None,
        {},
        {"jsonrpc": "2.0", "id": None, "method": "shutdown"},
        {"jsonrpc": "2.0", "id": {"a": 1}, "method": "shutdown"},
        {"jsonrpc": "2.0", "id": True, "method": "shutdown"},
        {"jsonrpc": "2.0", "id": 5, "method": 7},
        {"jsonrpc": "2.0", "id": 5},
        {"jsonrpc": "2.0", "method": ["x"]},
    ],
    ids=repr,
)
def test_a_message_of_the_wrong_shape_is_an_invalid_request(client: RawClient, message: Any) -> None:
    client.frame(json.dumps(message).encode())
    assert client.receive()["error"]["code"] == -32600
    assert client.is_alive()


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Type: x\r\n\r\n",
        b"Content-Length: many\r\n\r\n{}",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: 99999999999999999999999\r\n\r\n",
        b"Content-Length: 1000000000000\r\n\r\n",
        b"garbage" * 20_000,
        b"\x00" * 100_000,
        b"\r\n\r\nhello\r\n\r\n",
        b"\xff\xfe\r\n\r\n",
    ],
    ids=lambda data: ascii(data[:24]),
)
def test_bytes_between_frames_are_passed_over(client: RawClient, data: bytes) -> None:
    client.send_bytes(data)
    id_ = client.ask("no/suchMethod")
    codes = []
    while True:
        message = client.receive()
        if message.get("id") == id_:
            break
        codes.append(message["error"]["code"])
    assert set(codes) == {-32700}
    assert client.is_alive()


def test_a_frame_that_is_too_long_costs_no_more_than_the_next_one(client: RawClient) -> None:
    client.send_bytes(b'Content-Length: 60\r\n\r\n{"half": ')
    first = client.ask("no/suchMethod")
    client.notify("padding", "x" * 100)
    assert client.answer(first)["error"]["code"] == -32601
    assert client.is_alive()


def test_frames_may_come_in_pieces_and_with_other_headers(client: RawClient) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": "é", "method": "no/suchMethod"}).encode()
    frame = b"content-length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n%b" % (len(body), body)
    for position in range(0, len(frame), 7):
        client.send_bytes(frame[position : position + 7])
        time.sleep(0.001)
    assert client.receive()["id"] == "é"


def test_half_a_frame_at_the_end_of_input_ends_the_server(raw: RawClient) -> None:
    raw.send_bytes(b'Content-Length: 100\r\n\r\n{"jsonrpc"')
    assert raw.process.stdin is not None
    raw.process.stdin.close()
    assert raw.process.wait(60) == 0


# ---- order of messages ---------------------------------------------------------------------------------------------


def test_before_initialize(raw: RawClient) -> None:
    assert raw.refused("textDocument/hover", {}) == -32002
    assert raw.refused("shutdown") == -32002
    raw.open(URI, BAD)
    assert raw.initialize()["serverInfo"]["name"] == "boruna-ls"
    assert raw.call("textDocument/diagnostic", {"textDocument": {"uri": URI}})["items"] == []


def test_initialize_twice(client: RawClient) -> None:
    assert client.refused("initialize", {"capabilities": {}}) == -32600
    assert client.is_alive()


@pytest.mark.parametrize("params", [None, [], {"capabilities": 5}, {"capabilities": {"general": {"positionEncodings": 1}}}])
def test_initialize_with_wrong_params(raw: RawClient, params: Any) -> None:
    assert raw.refused("initialize", params) == -32602
    assert raw.initialize()["capabilities"]["textDocumentSync"]["change"] == 2


def test_after_shutdown(own: RawClient) -> None:
    assert own.call("shutdown") is None
    assert own.refused("textDocument/diagnostic", {"textDocument": {"uri": URI}}) == -32600
    assert own.refused("shutdown") == -32600
    own.notify("exit")
    assert own.process.wait(60) == 0


def test_exit_without_shutdown(own: RawClient) -> None:
    own.notify("exit")
    assert own.process.wait(60) == 1


def test_exit_before_initialize(raw: RawClient) -> None:
    raw.notify("exit")
    assert raw.process.wait(60) == 1


def test_exit_in_the_middle_of_work(own: RawClient) -> None:
    own.open(URI, "".join(f"fn f{n}() -> Int {{\n    missing_{n}\n}}\n" for n in range(5_000)))
    own.notify("exit")
    assert own.process.wait(60) == 1


def test_the_server_ends_with_its_editor() -> None:
    editor = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        with RawClient() as client:
            client.initialize(processId=editor.pid)
            assert client.is_alive()
            editor.kill()
            editor.wait()
            assert client.process.wait(60) == 0
    finally:
        editor.kill()


def test_the_editor_may_close_the_pipe_in_the_middle() -> None:
    with RawClient() as client:
        client.initialize()
        client.open(URI, BAD)
        assert client.process.stdout is not None
        assert client.process.stdin is not None
        client.process.stdout.close()
        client.process.stdin.close()
        client.process.wait(60)
        assert client.process.stderr is not None
        assert b"Traceback" not in client.process.stderr.read()


# ---- methods and params -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["$/x", "$/progress/x", "textDocument/moniker", "", "boruna/what"])
def test_unknown_requests(client: RawClient, method: str) -> None:
    assert client.refused(method, {}) == -32601


@pytest.mark.parametrize("method", ["$/x", "$/setTrace", "$/cancelRequest", "no/such", "textDocument/didSave"])
@pytest.mark.parametrize("params", [None, {}, [], 5, {"id": {}}, {"id": 9}, {"value": "loud"}])
def test_strange_notifications_are_ignored(client: RawClient, method: str, params: Any) -> None:
    client.notify(method, params)
    assert client.is_alive()


@pytest.mark.parametrize("params", [None, [], 7, {}, {"textDocument": {}}, {"textDocument": 5}])
def test_wrong_params_of_a_request(client: RawClient, params: Any) -> None:
    assert client.refused("textDocument/diagnostic", params) == -32602
    assert client.is_alive()


def test_answers_to_questions_never_asked(client: RawClient) -> None:
    ids: list[Any] = [1, "x", None, [], {}]
    for id_ in ids:
        client.frame(json.dumps({"jsonrpc": "2.0", "id": id_, "result": 5}).encode())
        client.frame(json.dumps({"jsonrpc": "2.0", "id": id_, "error": {"code": 1}}).encode())
    assert client.is_alive()


# ---- documents ------------------------------------------------------------------------------------------------------

UNKNOWN = ["file:///no/such/file.ax", "untitled:Untitled-1", "", "::", "http://[", "file:///%00", "file:///%ff.ax"]


@pytest.mark.parametrize("uri", UNKNOWN)
def test_requests_for_unknown_files(client: RawClient, uri: str) -> None:
    assert client.call("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"] == []
    client.change(uri, 2, edit((0, 0), (0, 0), "x"))
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert client.is_alive()


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "", "::", "file:///c%3A/x/a%20b.ax", "file:///%ff.ax", "vscode-vfs://h/x.ax"]
)
def test_documents_with_strange_uris_are_analysed(client: RawClient, uri: str) -> None:
    client.open(uri, BAD)
    assert [diagnostic["code"] for diagnostic in client.published(uri, 1)] == ["E003"]


@pytest.mark.parametrize(
    "change",
    [
        edit((0, 0), (0, 0), "// "),
        edit((90, 0), (99, 0), "// end"),
        edit((0, 999), (0, 9999), " "),
        edit((2**31 - 1, 2**31 - 1), (2**31 - 1, 2**31 - 1), "\n"),
        edit((-1, -1), (0, 0), ""),
        edit((0, -7), (0, 0), ""),
        edit((1, 0), (0, 0), ""),
        edit((2**70, 0), (2**70, 2**70), ""),
    ],
)
def test_edits_outside_the_text_are_brought_inside(client: RawClient, change: dict[str, Any]) -> None:
    client.open(URI, GOOD)
    client.published(URI, 1)
    client.change(URI, 2, change)
    client.published(URI, 2)
    client.change(URI, 3, {"text": BAD})
    assert [diagnostic["code"] for diagnostic in client.published(URI, 3)] == ["E003"]


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        {},
        {"textDocument": {"uri": URI, "version": 2}},
        {"textDocument": {"uri": URI, "version": 2}, "contentChanges": 5},
        {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [5]},
        {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": {}, "text": ""}]},
        {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": 5}]},
        {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{**edit((0, 0), (0, 0), ""), "text": None}]},
        {"textDocument": {"uri": [], "version": 2}, "contentChanges": []},
        {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"range": 5, "text": ""}]},
        {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [edit((0, 0), (0, 0), "x"), {"text": {}}]},
    ],
    ids=repr,
)
def test_malformed_changes_leave_the_text_alone(client: RawClient, params: Any) -> None:
    client.open(URI, BAD)
    before = client.published(URI, 1)
    client.notify("textDocument/didChange", params)
    assert client.call("textDocument/diagnostic", {"textDocument": {"uri": URI}})["items"] == before
    assert client.is_alive()


@pytest.mark.parametrize(
    "params", [None, [], {}, {"textDocument": 5}, {"textDocument": {"uri": 5, "text": "x"}}, {"textDocument": {"uri": URI}}]
)
def test_malformed_opening_and_closing(client: RawClient, params: Any) -> None:
    client.notify("textDocument/didOpen", params)
    client.notify("textDocument/didClose", params)
    assert client.is_alive()


def test_closing_in_the_middle_clears_the_diagnostics(client: RawClient) -> None:
    client.open(URI, "".join(f"fn f{n}() -> Int {{\n    missing_{n}\n}}\n" for n in range(3_000)))
    client.change(URI, 2, edit((0, 0), (0, 0), "\n"))
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert client.published(URI) == []
    with pytest.raises(NoAnswer):
        client.receive(patience=0.5)
    client.open(URI, BAD, version=1)
    assert len(client.published(URI, 1)) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nul", "fn main() -> Int {\n    \x00\n}\n"),
        ("bom", "\ufeff" + GOOD),
        ("surrogate", 'fn main() -> String {\n    "\ud800 \udfff"\n}\n'),
        ("separators", "fn main() -> Int {\u2028\n    1 // \x85\x0b\x0c\n}\r"),
        ("controls", "".join(map(chr, range(32))) * 50),
        ("empty", ""),
    ],
)
def test_strange_texts_are_answered(client: RawClient, name: str, text: str) -> None:
    client.open(URI, text)
    client.published(URI, 1)
    client.change(URI, 2, edit((0, 0), (0, 1), ""))
    client.published(URI, 2)
    client.change(URI, 3, {"text": BAD})
    assert [diagnostic["code"] for diagnostic in client.published(URI, 3)] == ["E003"]


def test_a_document_that_is_opened_again_before_its_check_has_ended_has_diagnostics(own: RawClient) -> None:
    long = "".join(f"fn f{number}() -> Int {{ {number} }}\n" for number in range(1_700))
    said = [
        ("didOpen", {"uri": URI, "languageId": "ax", "version": 1, "text": "fn main() -> Int { 1 }\n"}),
        ("didClose", {"uri": URI}),
        # While this is read the check finds the document closed.
        ("didOpen", {"uri": OTHER, "languageId": "ax", "version": 1, "text": long}),
        ("didOpen", {"uri": URI, "languageId": "ax", "version": 2, "text": BAD}),
    ]
    bodies = [
        {"jsonrpc": "2.0", "method": f"textDocument/{name}", "params": {"textDocument": document}} for name, document in said
    ]
    own.send_bytes(b"".join(framed(json.dumps(body).encode()) for body in bodies))
    assert [diagnostic["code"] for diagnostic in own.published(URI, 2)] == ["E003"]


@pytest.mark.parametrize("opening", ["(", "{", "[", "f(", "if x { ", "match x { _ => ", "-", "!"])
def test_nesting_of_a_million(client: RawClient, opening: str) -> None:
    client.open(URI, "fn main() -> Int {\n    " + opening * (1_000_000 // len(opening)) + "\n}\n" + BAD.replace("main", "other"))
    assert client.published(URI, 1)
    client.change(URI, 2, {"text": BAD})
    assert [diagnostic["code"] for diagnostic in client.published(URI, 2)] == ["E003"]


def test_ten_megabytes_have_one_finding_that_says_so(client: RawClient) -> None:
    item = "fn f() -> Int {\n    missing_name\n}\n"
    client.open(URI, item * (10_000_000 // len(item)))
    diagnostics = client.published(URI, 1)
    assert [diagnostic["code"] for diagnostic in diagnostics] == ["E014"]
    assert "1 MB" in diagnostics[0]["message"]
    client.change(URI, 2, edit((5, 0), (5, 0), " "))
    assert len(client.published(URI, 2)) == 1
    client.change(URI, 3, {"text": BAD})
    assert [diagnostic["code"] for diagnostic in client.published(URI, 3)] == ["E003"]


def test_many_quick_changes_end_with_the_last_text(client: RawClient) -> None:
    client.open(URI, BAD)
    for version in range(2, 202):
        client.change(URI, version, edit((0, 0), (0, 0), "\n"))
    diagnostics = client.published(URI, 201)
    assert diagnostics[0]["range"]["start"]["line"] == 201


@pytest.mark.parametrize("line", [SERVER, ALONE], ids=["daemon", "alone"])
def test_stdin_may_be_a_file(tmp_path: Any, line: list[str]) -> None:
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"jsonrpc": "2.0", "id": 2, "method": "shutdown"},
        {"jsonrpc": "2.0", "method": "exit"},
    ]
    bodies = [json.dumps(message).encode() for message in messages]
    (tmp_path / "in").write_bytes(b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies))
    with open(tmp_path / "in", "rb") as given, open(tmp_path / "out", "wb") as taken:
        assert subprocess.run(line, stdin=given, stdout=taken, env=os.environ, timeout=30).returncode == 0
    assert (tmp_path / "out").read_bytes().count(b"Content-Length: ") == 2
