"""Limits on one client's cost to others: how it is slowed down, and which messages are not read at all."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse

from boruna_ls.mcp import transport
from boruna_ls.mcp.http.gate import Gate
from boruna_ls.mcp.messages import Refused, read_message
from boruna_ls.pace import BURST, MOST_OF_EDITORS, MOST_VALUES, OF_AGENTS, OF_EDITORS, Pace, has_too_many_values
from tests.support.lsp import RawClient

BURST_AND_MORE = int(BURST) + 100
VALUES = b"[%b0]" % (b"{}," * MOST_VALUES)
TEXT = json.dumps("[{" * (MOST_VALUES // 2 - 100)).encode()


def called(source: bytes) -> bytes:
    """A call with that source."""
    arguments = b'{"name":"boruna_check","arguments":{"source":%b}}' % source
    return b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":%b}' % arguments


@pytest.mark.parametrize(("share", "least"), [(OF_AGENTS, 19.0), (OF_EDITORS, 4.0)])
def test_who_takes_the_loops_time_is_read_so_much_later(monkeypatch: pytest.MonkeyPatch, share: float, least: float) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def messages() -> None:
        pace = Pace(share)
        for _ in range(100):
            await pace.wait_turn(1_000, 0.000_01)
        assert slept == []
        await pace.wait_turn(1_000, 1.0)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    asyncio.run(messages())
    assert least < sum(slept) < least + 1.5


def test_a_message_of_too_many_values_is_refused_by_its_id() -> None:
    with pytest.raises(Refused, match="100,000 commas and brackets") as refused:
        read_message(called(VALUES))
    assert refused.value.request_id == 7
    assert not has_too_many_values(called(TEXT))
    assert read_message(called(TEXT)) is not None


@pytest.mark.parametrize(
    "message, is_refused",
    [
        (b'{"text":"' + b"[{," * 500_000 + b'"}', False),
        (b'{"text":"' + b'\\"[{,' * 500_000 + b'\\\\"}', False),
        (b'{"text":"\\\\",' + b'"rest":[' + b"0," * 1_000_001 + b"0]}", True),
        (b'{"text":"' + b'\\"[{,' * 500_000, False),
        (b'"" ' * 2_000_001 + b"," * 1_000_001, True),
    ],
)
def test_only_what_is_outside_texts_counts(message: bytes, is_refused: bool) -> None:
    assert has_too_many_values(message) is is_refused


def test_an_editors_message_of_too_many_values_costs_that_message_only(tmp_path: Path) -> None:
    body = b'{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":%b}' % (b"[%b0]" % (b"{}," * MOST_OF_EDITORS))
    with RawClient(tmp_path) as lsp:
        lsp.initialize()
        lsp.frame(body)
        answer = lsp.receive()
        assert (answer["id"], answer["error"]["code"]) == (None, -32600)
        assert "commas and brackets" in answer["error"]["message"]
        assert lsp.call("shutdown") is None


def test_a_network_request_of_too_many_values_is_refused_before_it_is_read() -> None:
    sent: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("it was passed on")

    async def receive() -> Any:
        return {"type": "http.request", "body": called(VALUES), "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    gate = Gate(application, lambda name, given: set(), with_tokens=False, metadata_url="", patience=60, limit=1 << 23)
    asyncio.run(gate({"type": "http", "method": "POST", "headers": []}, receive, send))
    assert sent[0]["status"] == 413
    assert b"commas and brackets" in sent[1]["body"]


class Silent:
    """A channel whose client is there."""

    is_full = False

    def write(self, data: bytes) -> None:
        """Takes everything."""

    def is_gone(self) -> bool:
        """Never."""
        return False

    async def room(self) -> None:
        """There is always some."""


def test_who_is_owed_answers_to_much_is_not_read_until_they_are_made() -> None:
    async def owing() -> None:
        channel: Any = Silent()
        output = transport._Output(channel)
        output.owe(1, transport.HELD_LIMIT)
        await asyncio.wait_for(output.room(), 30)
        output.owe("1", 1)
        output.owe(1, 1)
        waiting = asyncio.ensure_future(output.room())
        done, _ = await asyncio.wait([waiting], timeout=transport._LOOK * 3)
        assert not done
        await output.send(SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=1, result={})))
        await asyncio.wait_for(waiting, 30)
        await output.settle("1")
        await output.settle(1)
        assert (output._held, output._owed, dict(output._sizes)) == (0, 0, {})

    asyncio.run(owing())
