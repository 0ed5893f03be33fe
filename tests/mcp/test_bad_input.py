"""Whatever stands on a line, the real server answers it and goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from boruna_ls.mcp.messages import LONGEST, Refused, read_message
from tests.support.mcp_lines import INITIALIZED, LineServer, call, initialize, line_server, request

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"


@pytest.fixture(scope="module")
def shared() -> Iterator[LineServer]:
    with line_server() as server:
        yield server.open()


@pytest.fixture
def server(shared: LineServer) -> Iterator[LineServer]:
    """One process for the module: a test that breaks it fails the ones after it."""
    yield shared
    assert shared.ask(request("alive", "ping")) == {"jsonrpc": "2.0", "id": "alive", "result": {}}


MALFORMED: dict[str, tuple[bytes, int, Any]] = {
    "not JSON": (b"nonsense", -32700, None),
    "half a message": (b'{"jsonrpc":"2.0","id":1,', -32700, None),
    "two messages": (b'{"jsonrpc":"2.0","id":1,"method":"ping"}{}', -32700, None),
    "a raw control character": (b'{"jsonrpc":"2.0","id":2,"method":"p\x01ng"}', -32700, 2),
    "NUL": (b'{"jsonrpc":"2.0","id":3,"method":"p\x00ng"}', -32700, 3),
    "invalid UTF-8": (b'{"jsonrpc":"2.0","id":"\xc3\xa4","method":"p\xffng"}', -32700, "ä"),
    "a lone surrogate": (b'{"jsonrpc":"2.0","id":4,"method":"\\ud800"}', -32700, 4),
    "the second half of a character": (b'{"jsonrpc":"2.0","id":5,"method":"\\udc00"}', -32700, 5),
    "not a number": (b'{"jsonrpc":"2.0","id":6,"method":"ping","params":{"x":NaN}}', -32700, 6),
    "100,000 open brackets": (b"[" * 100_000, -32700, None),
    "300 levels": (b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"x":' + b"[" * 300 + b"]" * 300 + b"}}", -32700, 7),
    "a batch": (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
    "an empty batch": (b"[]", -32600, None),
    "a bare value": (b"12", -32600, None),
    "an empty object": (b"{}", -32600, None),
    "another version": (b'{"jsonrpc":"1.0","id":8,"method":"ping"}', -32600, 8),
    "no version": (b'{"id":9,"method":"ping"}', -32600, 9),
    "a method that is no string": (b'{"jsonrpc":"2.0","id":10,"method":5}', -32600, 10),
    "an id of null": (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
    "an id with a fraction": (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, 1.5),
    "an id that is true": (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
    "an id beyond 64 bits": (b'{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}', -32600, None),
    "parameters that are a list": (b'{"jsonrpc":"2.0","id":11,"method":"tools/call","params":[]}', -32602, 11),
    "no parameters": (b'{"jsonrpc":"2.0","id":12,"method":"tools/call"}', -32602, 12),
    "meta that is text": (b'{"jsonrpc":"2.0","id":13,"method":"ping","params":{"_meta":"x"}}', -32602, 13),
    "a tool's name that is a number": (
        b'{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":5}}',
        -32602,
        14,
    ),
    "an unknown method": (b'{"jsonrpc":"2.0","id":15,"method":"no/such"}', -32601, 15),
    "a long line that is cut short": (b'{"jsonrpc":"2.0","id":17,"method":"x","params":{"x":"' + b"y" * 100_000, -32700, 17),
    "an unknown method without parameters": (b'{"jsonrpc":"2.0","id":16,"method":""}', -32601, 16),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_line_is_answered(server: LineServer, name: str) -> None:
    line, code, number = MALFORMED[name]
    answer = server.ask(line)
    assert (answer["error"]["code"], answer["id"]) == (code, number)
    assert answer["error"]["message"]


def test_a_message_that_is_too_long_is_refused_unread() -> None:
    with pytest.raises(Refused, match="72 MB") as refused:
        read_message(b'{"jsonrpc":"2.0","id":"a","method":"x","params":{"x":"' + b"y" * LONGEST + b'"}}')
    assert refused.value.request_id == "a"


SILENT = [
    b"",
    b"   \t",
    b"\r",
    b'{"jsonrpc":"2.0","method":"notifications/nothing","params":[1]}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never"}}',
    b'{"jsonrpc":"2.0","id":77,"result":{}}',
    b'{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"x"}}',
]


@pytest.mark.parametrize("line", SILENT)
def test_line_without_an_answer(server: LineServer, line: bytes) -> None:
    server.send(line)


@pytest.mark.parametrize("number", [0, -(2**63), 2**63 - 1, "", "text", "ä 🙂", "9" * 300])
def test_ids_come_back_unchanged(server: LineServer, number: Any) -> None:
    assert server.ask(request(number, "ping"))["id"] == number


def test_carriage_return_before_the_line_feed(server: LineServer) -> None:
    assert server.ask(json.dumps(request(1, "ping")).encode() + b"\r")["result"] == {}


def test_line_of_64_megabytes(server: LineServer) -> None:
    answer = server.ask(call(1, "boruna_ast", source="x" * (64 << 20)))
    assert answer["error"]["message"] == "source exceeds 1 MB limit"


def test_same_id_twice_gets_two_answers(server: LineServer) -> None:
    server.send(call(5, "boruna_symbols", source=CLEAN), call(5, "boruna_symbols", source=CLEAN))
    assert [server.receive()["id"], server.receive()["id"]] == [5, 5]


def test_byte_order_mark_on_the_first_line() -> None:
    with line_server() as server:
        assert "result" in server.ask(b"\xef\xbb\xbf" + json.dumps(initialize()).encode())


@pytest.mark.parametrize("first", [request(1, "tools/list"), call(1, "boruna_ast", source=CLEAN), request(1, "x")])
def test_request_before_the_handshake_is_refused_and_the_server_goes_on(first: dict[str, Any]) -> None:
    with line_server() as server:
        assert server.ask(INITIALIZED, first)["error"]["code"] == -32002
        assert server.ask(request(2, "ping"))["result"] == {}
        refused = server.ask(request(3, "initialize", {"protocolVersion": 5}))
        assert (refused["error"]["code"], refused["error"]["data"]) == (-32602, {"argument": "protocolVersion"})
        assert "result" in server.open().ask(call(4, "boruna_ast", source=CLEAN))


def test_everything_that_was_read_is_answered_at_the_end_of_input() -> None:
    with line_server() as server:
        server.send(initialize(), INITIALIZED, *(call(n, "boruna_symbols", source=CLEAN) for n in range(200)))
        server.send_raw(json.dumps(request("last", "ping")).encode())
        status, messages = server.end()
    assert status == 0
    assert {message["id"] for message in messages} == {"init", *range(200), "last"}


def test_half_a_line_at_the_end_of_input() -> None:
    with line_server() as server:
        server.open().send_raw(b'{"jsonrpc":"2.0","id":1,"meth')
        status, messages = server.end()
    assert (status, [message["error"]["code"] for message in messages]) == (0, [-32700])


def test_end_of_input_before_anything() -> None:
    with line_server() as server:
        assert server.end() == (0, [])


def test_only_protocol_on_standard_output() -> None:
    with line_server() as server:
        server.open()
        server.send(b"nonsense", call(1, "boruna_ast", source="fn"), call(2, "no_such_tool"))
        _, messages = server.end()
        assert [message["jsonrpc"] for message in messages] == ["2.0"] * 3
