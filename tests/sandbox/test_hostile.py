"""The daemon's side against a first process that has been taken over: whatever it sends, it ends the sandbox and nothing else."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from boruna_ls.sandbox.backend import Closable, SandboxError, Spec
from boruna_ls.sandbox.box import Box, Command
from boruna_ls.sandbox.channel import Gone
from boruna_ls.sandbox.messages import MOST_BODY, MOST_HEADER, Malformed, Messages, packed

Answer = Callable[[dict[str, Any]], bytes]


class Hostile:
    """A place whose first process answers as it likes."""

    def __init__(self, answer: Answer) -> None:
        self.socket, self._end = socket.socketpair()
        self._answer = answer
        self.destroyed = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        messages = Messages()
        with contextlib.suppress(OSError):
            while data := self._end.recv(65_536):
                for header, _ in messages.feed(data):
                    self._end.sendall(self._answer(header))

    def begin(self, spec: Spec) -> dict[str, Any]:
        return {}

    home = -1

    def begun(self, descriptors: list[int]) -> None:
        return

    def proxy(self, hosts: tuple[str, ...]) -> Closable:
        raise SandboxError("none")

    def facts(self) -> dict[str, Any]:
        return {}

    def usage(self, limit: int) -> tuple[int, int] | None:
        return None

    def overran(self) -> bool:
        return False

    def destroy(self) -> None:
        self.destroyed.set()
        self._end.close()


DONE = {"exit_code": 0, "duration_ms": 1.0, "ended_by": "", "peak": 0, "totals": [0, 0], "tails": [0, 0]}
LIES: dict[str, Answer] = {
    "a huge header": lambda asked: (MOST_HEADER + 1).to_bytes(4, "big") + bytes(4),
    "a huge body": lambda asked: bytes(4) + (MOST_BODY + 1).to_bytes(4, "big"),
    "no JSON": lambda asked: packed({})[:4] + bytes(4) + b"]]",
    "no object": lambda asked: (2).to_bytes(4, "big") + bytes(4) + b"[]",
    "deep JSON": lambda asked: (100_000).to_bytes(4, "big") + bytes(4) + b"[" * 100_000,
    "an answer that nobody asked for": lambda asked: packed({"id": 12345}),
    "a number that is none": lambda asked: packed({"id": "1"}),
    "output of nobody": lambda asked: packed({"id": asked["id"] + 7, "stream": "stdout"}, b"x"),
    "output without end": lambda asked: packed({"id": asked["id"], "stream": "stdout"}, b"x" * 65_536) * 40,
    "another stream": lambda asked: packed({"id": asked["id"], "stream": "../x"}, b"x"),
    "an entry": lambda asked: packed({"id": asked["id"], "entry": {}}, b"x"),
    "no exit code": lambda asked: packed({"id": asked["id"], **DONE, "exit_code": "0"}),
    "an exit code of its own": lambda asked: packed({"id": asked["id"], **DONE, "exit_code": 10**30}),
    "an endless time": lambda asked: packed({"id": asked["id"], **DONE, "duration_ms": float("inf")}),
    "totals of another form": lambda asked: packed({"id": asked["id"], **DONE, "totals": [1, 2, 3]}),
    "tails that are not there": lambda asked: packed({"id": asked["id"], **DONE, "tails": [5, 5]}, b"x"),
}


def box_of(answer: Answer) -> tuple[Box, Hostile]:
    place = Hostile(answer)
    return Box("sb-hostile", "owner", place, Spec()), place


@pytest.mark.parametrize("name", LIES)
def test_a_lie_ends_the_sandbox_and_the_call(name: str) -> None:
    box, place = box_of(LIES[name])
    with pytest.raises(SandboxError):
        box.start(Command("true", output=1 << 20)).future.result(10)
    deadline = time.monotonic() + 5
    while not box.ended and time.monotonic() < deadline:
        time.sleep(0.01)
    assert box.ended
    with pytest.raises(Gone):
        box.read("a", 0, 10)
    box.destroy()
    assert place.destroyed.is_set()


def entry(**other: object) -> bytes:
    return json.dumps([{"name": "a", "kind": "file", "size": 1, "modified": 1} | other]).encode()


@pytest.mark.parametrize(
    "entries",
    [b"{}", b"[1]", b'[{"name": 1}]', entry(kind="door"), b"[" * 5000, json.dumps(json.loads(entry()) * 1001).encode(),
     entry(modified=float("nan")), entry(modified=float("inf")), entry(modified=1.0).replace(b"1.0", b"1e999"),
     entry(size=-1), entry(size=10**30)],
)  # fmt: skip
def test_entries_are_judged(entries: bytes) -> None:
    box, _ = box_of(lambda asked: packed({"id": asked["id"], "total": 1}, entries))
    with pytest.raises(SandboxError):
        box.list(".")
    assert box.ended
    box.destroy()


def test_more_than_was_asked_for_is_refused() -> None:
    box, _ = box_of(lambda asked: packed({"id": asked["id"], "size": 1}, b"x" * 11))
    with pytest.raises(SandboxError, match="more than was asked"):
        box.read("a", 0, 10)
    box.destroy()


def test_one_that_does_not_listen_or_answer_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boruna_ls.sandbox.box.PATIENCE", 0.5)
    box, place = box_of(lambda asked: b"")
    with pytest.raises(Gone, match="did not answer"):
        box.read("a", 0, 10)
    assert place.destroyed.wait(5)
    box.destroy()


def test_messages_in_any_pieces() -> None:
    data = packed({"a": 1}, b"xyz") + packed({"b": "ü"}) + packed({"c": []}, bytes(1000))
    for size in (1, 3, 7, 500, 5000):
        messages = Messages()
        found = [one for at in range(0, len(data), size) for one in messages.feed(data[at : at + size])]
        assert found == [({"a": 1}, b"xyz"), ({"b": "ü"}, b""), ({"c": []}, bytes(1000))]
    with pytest.raises(Malformed):
        list(Messages().feed(b"\xff" * 8))


def test_who_waits_is_told_why_a_sandbox_was_ended() -> None:
    box, _ = box_of(lambda asked: b"")
    running = box.start(Command("true"))
    box.ended = "it was idle"
    box.destroy()
    with pytest.raises(Gone, match="it was idle"):
        running.future.result(10)
