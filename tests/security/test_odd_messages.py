"""Messages of clients that try the reader: without end, nested, with numbers that no JSON holds; the daemon serves on."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.rendezvous import places
from tests.support.daemon import status
from tests.support.http_server import http_server
from tests.support.live import Agent
from tests.support.mcp_lines import call, initialize

ECHO = 'fn main() -> Result<String, String> !{step.input} {\n    step_input("a")\n}\n'
DEEP = (b"[" * 100_000, b'{"a":' * 100_000, b"[" * 90_000 + b"]" * 90_000, b'{"command":' + b"[" * 900 + b"]" * 900 + b"}")
HUGE = ("1e400", "-1e999", "1" + "0" * 400 + ".5", '[{"x": 1e400}]')


def strictly(text: str | bytes) -> Any:
    """A JSON document by the letter of its standard."""

    def refuse(name: str) -> Any:
        raise AssertionError(f"{name} is no JSON: {text[:300]!r}")

    return json.loads(text, parse_constant=refuse)


def test_no_answer_has_a_number_that_json_does_not_have(tmp_path: Path, place: Path) -> None:
    with Agent(tmp_path) as agent:

        def ask(raw: str) -> Any:
            agent.process.stdin.write(raw.encode() + b"\n")  # type: ignore[union-attr]
            agent.process.stdin.flush()  # type: ignore[union-attr]
            line = agent._lines.get(timeout=60)
            assert line is not None
            return strictly(line)

        for number in HUGE:
            assert ask(f'{{"jsonrpc": "2.0", "id": {number}, "method": "tools/list"}}')["error"]["code"] in (-32600, -32700)
            inputs = json.dumps(call(1, "boruna_run", source=ECHO, policy="allow-all", input={"a": 0})).replace(
                '"a": 0', f'"a": {number}'
            )
            assert "number" in str(ask(inputs)["error"]), number
        text = json.dumps(call(1, "boruna_run", source=ECHO, policy="allow-all", input={"a": "Infinity"}))
        assert ask(text)["result"]["structuredContent"]["success"] is True


def test_no_answer_over_http_has_one_either(tmp_path: Path, place: Path) -> None:
    with http_server(cwd=tmp_path) as server:
        session = server.post(initialize(1)).headers["mcp-session-id"]
        for number in HUGE:
            body = json.dumps(call(1, "boruna_run", source=ECHO, policy="allow-all", input={"a": 0})).replace(
                '"a": 0', f'"a": {number}'
            )
            answer = server.post(body.encode(), mcp_session_id=session)
            for data in re.findall(r"^(?:data: )?(\{.*)$", answer.text, re.MULTILINE):
                assert "number" in str(strictly(data)["error"]), number


@pytest.mark.parametrize("line", [*DEEP, b"", b"\0" * 100_000, b"{", b'{"command": "texts", "paths": [1e400, {}]}'])
def test_a_first_line_that_is_none_ends_nothing(line: bytes, tmp_path: Path, place: Path) -> None:
    with Agent(tmp_path) as agent:
        number = status(place)["pid"]
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(places.socket_path(str(place)))
            client.settimeout(20)
            client.sendall(line + b"\n")
            client.shutdown(socket.SHUT_WR)
            client.recv(1000)
        assert agent.tool("boruna_check", source="fn main() -> Int { 1 }")["diagnostics"] == []
        assert status(place)["pid"] == number
