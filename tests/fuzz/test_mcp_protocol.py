"""Random lines to real MCP servers: every request is answered, and a well-formed one is answered right to the end."""

from __future__ import annotations

import json
import queue
import time
from collections.abc import Callable
from random import Random
from typing import Any, Final

from tests.fuzz.cases import any_text
from tests.fuzz.messages import no_message, request_id, spoilt, value
from tests.fuzz.running import SECONDS
from tests.support.mcp_lines import INITIALIZED, LineServer, call, initialize, line_server, request

_FAULTY: Final = "fn main() -> Int {\n    missing\n}\n"
_URI: Final = "boruna://diagnostics/E003"
_REQUESTS: Final[dict[str, Any]] = {
    "tools/list": {},
    "tools/call": {"name": "boruna_check", "arguments": {"source": _FAULTY}},
    "resources/list": {},
    "resources/templates/list": {},
    "resources/read": {"uri": _URI},
    "prompts/list": {},
    "completion/complete": {
        "ref": {"type": "ref/resource", "uri": "boruna://diagnostics/{code}"},
        "argument": {"name": "code", "value": "E"},
    },
    "ping": {},
    "logging/setLevel": {"level": "debug"},
    "initialize": {},
    "no/suchMethod": {},
}
_NOTIFICATIONS: Final[dict[str, Any]] = {
    "notifications/initialized": {},
    "notifications/cancelled": {"requestId": "nothing"},
    "notifications/progress": {"progressToken": 1, "progress": 1},
    "notifications/roots/list_changed": {},
    "notifications/unknown": {},
}
_TOOLS: Final = ("boruna_check", "boruna_repair", "boruna_ast", "boruna_symbols", "no_such_tool")


def test_every_request_is_answered_whatever_its_params(seed: int) -> None:
    def talk(server: LineServer, chosen: Random) -> None:
        waiting: dict[str, Any] = {}
        for number in range(1, 60):
            message = _random_message(chosen, number)
            if isinstance(message, dict) and "id" in message:
                waiting[json.dumps(message["id"])] = message
            server.send(message)
        while waiting:
            try:
                answer = server.receive()
            except queue.Empty:
                raise AssertionError(f"no answer to {list(waiting.values())}") from None
            assert ("result" in answer) != ("error" in answer)
            waiting.pop(json.dumps(answer["id"]), None)

    _sessions(seed, "mcp-requests", talk)


def _random_message(chosen: Random, number: int) -> Any:
    kind = chosen.randrange(10)
    if kind == 0:
        return no_message(chosen).replace(b"\n", b"\r")
    if kind == 1:
        method = chosen.choice(sorted(_NOTIFICATIONS))
        params = spoilt(_NOTIFICATIONS[method], chosen)
        return {"jsonrpc": "2.0", "method": method, "params": params}
    id_ = request_id(chosen, number)
    if kind <= 4:
        text = any_text(chosen)
        if len(json.dumps(text)) > 20_000:
            text = text[:1_000]
        return call(id_, chosen.choice(_TOOLS), source=text, **chosen.choice(({}, {"strategy": "all"}, {"file_name": "a.ax"})))
    method = chosen.choice(sorted(_REQUESTS))
    params = spoilt(_REQUESTS[method], chosen) if chosen.random() < 0.7 else value(chosen)
    return request(id_, method, params)


def test_lines_are_found_again_behind_anything(seed: int) -> None:
    def talk(server: LineServer, chosen: Random) -> None:
        for _ in range(60):
            match chosen.randrange(4):
                case 0:
                    server.send_raw(chosen.randbytes(chosen.randrange(300)))
                case 1:
                    server.send(no_message(chosen))
                case 2:
                    server.send_raw(b"Content-Length: 20\r\n\r\n")
                case _:
                    body = json.dumps(request("part", "ping")).encode()
                    cut = chosen.randrange(len(body))
                    server.send_raw(body[:cut] + b"\n" + body[cut:] + b"\r\n\n")
        server.send_raw(b"\n")

    _sessions(seed, "mcp-lines", talk)


def test_life_cycle_in_any_order(seed: int) -> None:
    chosen = Random(f"{seed}/mcp-life")
    deadline = time.monotonic() + SECONDS / 2
    number = 0
    while time.monotonic() < deadline or not number:
        number += 1
        with line_server("--standalone") as server:
            ready = False
            for step in range(20):
                ready = _life_step(server, chosen, step, ready)
            if not ready:
                assert "result" in server.ask(initialize("late"))
                server.send(INITIALIZED)
            _answers_rightly(server)


def _life_step(server: LineServer, chosen: Random, step: int, ready: bool) -> bool:
    match chosen.randrange(6 if ready else 5):
        case 0:
            assert server.ask(request(step, "ping"))["result"] == {}
        case 1:
            answer = server.ask(call(step, "boruna_check", source=_FAULTY))
            assert ("result" in answer) if ready else (answer["error"]["code"] == -32002)
        case 2:
            server.send(INITIALIZED if ready else {"jsonrpc": "2.0", "method": "notifications/cancelled"})
        case 3:
            assert "error" in server.ask(request(step, "initialize", {"protocolVersion": 7}))
        case 4:
            assert "error" in server.ask(request(step, "no/suchMethod"))
        case _:
            return ready
    if not ready and chosen.random() < 0.1:
        server.open()
        return True
    return ready


def _sessions(seed: int, name: str, talk: Callable[[LineServer, Random], None]) -> None:
    deadline = time.monotonic() + SECONDS
    number = 0
    while time.monotonic() < deadline or not number:
        key = f"{seed}/{name}/{number}"
        number += 1
        with line_server("--standalone") as server:
            try:
                server.open()
                talk(server, Random(key))
                _answers_rightly(server)
            except (AssertionError, queue.Empty, BrokenPipeError) as error:
                raise AssertionError(f"{key}: {error!r}") from error


def _answers_rightly(server: LineServer) -> None:
    """A check finds what is wrong with its text."""
    server.send(call("the last one", "boruna_check", source=_FAULTY))
    while (answer := server.receive()).get("id") != "the last one":
        pass
    (found,) = answer["result"]["structuredContent"]["diagnostics"]
    assert (found["id"], found["location"]["line"], found["location"]["col"]) == ("E003", 2, 5)
    assert json.loads(answer["result"]["content"][0]["text"])["diagnostics"][0]["id"] == "E003"
