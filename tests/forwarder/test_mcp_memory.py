"""An agent's session over daemons that end at any byte: reading calls are made again, others are answered with an error."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boruna_ls.forwarder.mcp_memory import CONNECTION_CLOSED, McpMemory
from tests.forwarder.client_session import ClientSession, ended

READS, ACTS = "boruna_check", "boruna_run"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


class AgentDaemon:
    """Answers calls at once or later; what must not happen twice is counted."""

    def __init__(self) -> None:
        self.output = b""
        self.carried_out: list[Any] = []
        self.subscribed: set[str] = set()
        self._later: list[Any] = []
        self._buffer = b""
        self._has_begun = False

    def take(self, data: bytes) -> None:
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            self._dispatch(json.loads(line))

    def answer_later(self) -> None:
        later, self._later = self._later, []
        for id_ in later:
            self._say({"id": id_, "result": {"id": id_}})

    def _dispatch(self, message: dict[str, Any]) -> None:
        if "id" not in message:
            return
        id_, method, params = message["id"], message["method"], message.get("params") or {}
        assert self._has_begun or method == "initialize"
        if method == "initialize":
            assert not self._has_begun
            self._has_begun = True
        elif method == "resources/subscribe":
            self.subscribed.add(params["uri"])
        elif method == "resources/unsubscribe":
            self.subscribed.discard(params["uri"])
        elif method == "tools/call":
            if params["name"] == ACTS:
                self.carried_out.append(id_)
            if (token := params.get("_meta", {}).get("progressToken")) is not None:
                for step in (1, 2):
                    self._say({"method": "notifications/progress", "params": {"progressToken": token, "progress": step}})
            self._later.append(id_)
            return
        self._say({"id": id_, "result": {"id": id_}})

    def _say(self, message: dict[str, Any]) -> None:
        self.output += json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


class AgentSession(ClientSession[AgentDaemon]):
    """The agent's side."""

    def __init__(self) -> None:
        self.memory = McpMemory()
        self.owed: dict[Any, str] = {}
        self.given: dict[Any, dict[str, Any]] = {}
        self.carried_out: list[Any] = []
        self.subscribed: set[str] = set()
        self.progress: dict[Any, float] = {}
        self._id = 0
        self._buffer = b""
        self.revive()
        self.ask("initialize", {"protocolVersion": "2025-11-25"})
        self.deliver()
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict[str, Any]) -> None:
        self.memory.from_client(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def ask(self, method: str, params: Any) -> int:
        self._id += 1
        self.owed[self._id] = params.get("name", method)
        self.send({"id": self._id, "method": method, "params": params})
        return self._id

    def cancel(self, id_: int) -> None:
        del self.owed[id_]
        self.send({"method": "notifications/cancelled", "params": {"requestId": id_}})

    def made(self) -> AgentDaemon:
        self.memory.repeatable = frozenset([READS])
        return AgentDaemon()

    def remember(self, daemon: AgentDaemon) -> None:
        self.carried_out += daemon.carried_out

    def read(self) -> None:
        *lines, self._buffer = (self._buffer + bytes(self.memory.to_client)).split(b"\n")
        self.memory.to_client.clear()
        for line in lines:
            message = json.loads(line)
            if "id" in message:
                assert message["id"] not in self.given, "a second answer"
                self.given[message["id"]] = message
                # An answer to what was cancelled may come all the same.
                self.owed.pop(message["id"], None)
            elif message["method"] == "notifications/progress":
                params = message["params"]
                assert params["progress"] > self.progress.get(params["progressToken"], 0)
                self.progress[params["progressToken"]] = params["progress"]


@given(st.integers(0, 2**32), st.integers(5, 60))
def test_whatever_happens_each_call_is_answered_once(seed: int, steps: int) -> None:
    chance, session = random.Random(seed), AgentSession()
    pending_uris: dict[int, tuple[str, str]] = {}
    for number in range(steps):
        kind = chance.randrange(10)
        if kind <= 3:
            padding = "x" * chance.choice([0, 0, 40_000])
            meta = {"_meta": {"progressToken": number}} if chance.random() < 0.5 else {}
            session.ask("tools/call", {"name": chance.choice([READS, ACTS]), "arguments": {"source": padding}, **meta})
        elif kind == 4:
            method, uri = chance.choice(["resources/subscribe", "resources/unsubscribe"]), f"boruna://{chance.randrange(3)}"
            pending_uris[session.ask(method, {"uri": uri})] = method, uri
        elif kind == 5:
            calls = sorted(id_ for id_, what in session.owed.items() if what in (READS, ACTS))
            if calls:
                session.cancel(chance.choice(calls))
        elif kind == 6:
            session.kill(chance.randrange(500), chance.randrange(500))
        elif kind == 7:
            session.revive()
        if chance.random() < 0.5:
            session.deliver(*(chance.choice([None, chance.randrange(50_000)]) for _ in range(2)))
        if session.daemon is not None and chance.random() < 0.3:
            session.daemon.answer_later()
    session.revive()
    assert session.daemon is not None
    for _ in range(2):
        session.deliver()
        session.daemon.answer_later()
    session.deliver()
    assert session.owed == {}
    failed = {id_ for id_, message in session.given.items() if "error" in message}
    carried_out = session.carried_out + session.daemon.carried_out
    assert len(carried_out) == len(set(carried_out)), "an action was carried out twice"
    assert all(session.given[id_]["error"]["code"] == CONNECTION_CLOSED for id_ in failed)
    wanted: set[str] = set()
    for id_, (method, uri) in pending_uris.items():
        if id_ in session.given and id_ not in failed:
            (wanted.add if method == "resources/subscribe" else wanted.discard)(uri)
    if len(pending_uris) == len(session.given.keys() & pending_uris.keys()):
        assert session.daemon.subscribed == wanted


def passed(memory: McpMemory, *messages: Any) -> list[dict[str, Any]]:
    for message in messages:
        memory.from_client(json.dumps(message).encode() + b"\n")
    return taken(memory.to_daemon)


def taken(buffer: bytearray) -> list[dict[str, Any]]:
    data, buffer[:] = bytes(buffer), b""
    return [json.loads(line) for line in data.splitlines()]


def called(number: int, name: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": {}}}


@pytest.fixture
def memory() -> McpMemory:
    """A memory of a client that needs no handshake."""
    memory = McpMemory()
    memory.repeatable = frozenset([READS])
    memory.resume()
    return memory


def test_every_byte_goes_through_unchanged(memory: McpMemory) -> None:
    odd = b'\xef\xbb\xbf{"id":1}\nnonsense\n\n \r\n[]\n{"a":\xff}\n{"id":'
    for start in range(0, len(odd), 3):
        memory.from_client(odd[start : start + 3])
    memory.client_ended()
    assert bytes(memory.to_daemon) == odd
    memory.from_daemon(odd)
    assert bytes(memory.to_client) == odd[: odd.rindex(b"\n") + 1]


def test_last_line_without_its_end_is_a_request(memory: McpMemory) -> None:
    memory.from_client(json.dumps(called(1, READS)).encode())
    memory.client_ended()
    assert (memory.owes(), taken(memory.to_daemon)) == (True, [called(1, READS)])


def test_error_says_what_happened(memory: McpMemory) -> None:
    passed(memory, called(1, ACTS), called(2, READS), {"jsonrpc": "2.0", "id": 3, "method": "un/known"})
    ended(memory)
    first, second = taken(memory.to_client)
    assert (first["id"], first["error"]["data"]) == (1, {"method": "tools/call", "tool": ACTS})
    assert first["error"]["message"] == (
        "the daemon ended while boruna_run was running: it may or may not have been carried out; call again if that is safe"
    )
    assert (second["id"], second["error"]["data"]) == (3, {"method": "un/known"})
    # What no daemon has got is simply asked later.
    passed(memory, called(4, ACTS))
    memory.resume()
    assert taken(memory.to_daemon) == [called(2, READS), called(4, ACTS)]
    ended(memory, was_serving=False)
    memory.resume()
    assert (taken(memory.to_client), taken(memory.to_daemon)) == ([], [called(2, READS), called(4, ACTS)])


def test_a_call_that_ends_daemons_is_given_up(memory: McpMemory) -> None:
    passed(memory, called(1, READS))
    for _ in range(3):
        assert taken(memory.to_client) == []
        ended(memory)
        memory.resume()
    (answer,) = taken(memory.to_client)
    assert "(3 times)" in answer["error"]["message"]


def test_streams_of_events_go_on(memory: McpMemory) -> None:
    uri = "boruna://file-diagnostics/a.ax"
    listen = {"id": "s", "method": "subscriptions/listen", "params": {"notifications": {"resourceSubscriptions": [uri]}}}
    acknowledged = {"method": "notifications/subscriptions/acknowledged", "params": {"_meta": {SUBSCRIPTION: "s"}}}
    passed(memory, listen)
    memory.from_daemon(json.dumps(acknowledged).encode() + b"\n")
    assert taken(memory.to_client) == [acknowledged]
    for _ in range(5):
        ended(memory)
        memory.resume()
        assert taken(memory.to_daemon) == [listen]
        memory.from_daemon(json.dumps(acknowledged).encode() + b"\n")
        # Nobody knows what has changed meanwhile, so whoever listens should look.
        (message,) = taken(memory.to_client)
        assert (message["method"], message["params"]["uri"]) == ("notifications/resources/updated", uri)
        assert message["params"]["_meta"] == {SUBSCRIPTION: "s"}


def test_logging_level_and_subscriptions_are_renewed(memory: McpMemory) -> None:
    messages: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": {"capabilities": {}}},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "logging/setLevel", "params": {"level": "debug"}},
        {"id": 2, "method": "resources/subscribe", "params": {"uri": "boruna://a"}},
        {"id": 3, "method": "resources/subscribe", "params": {"uri": "boruna://none"}},
    ]
    passed(memory, *messages)
    for number in range(3):
        memory.from_daemon(b'{"jsonrpc":"2.0","id":%d,"result":{}}\n' % number)
    memory.from_daemon(b'{"jsonrpc":"2.0","id":3,"error":{"code":-32002,"message":"none"}}\n')
    assert len(taken(memory.to_client)) == 4
    ended(memory)
    memory.resume()
    sent = taken(memory.to_daemon)
    assert [(one["method"], one.get("params")) for one in sent] == [(one["method"], one.get("params")) for one in messages[:4]]
    assert taken(memory.to_client) == []
    for one in sent:
        if "id" in one:
            memory.from_daemon(json.dumps({"jsonrpc": "2.0", "id": one["id"], "result": {}}).encode() + b"\n")
    # What has changed before the fresh daemon listened, nobody knows.
    assert [one["params"] for one in taken(memory.to_client)] == [{"uri": "boruna://a"}]
    assert memory.problem == ""
