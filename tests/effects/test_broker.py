"""The broker on its own: what a worker sends is not believed, effects end when their run does, mistakes are answers."""

from __future__ import annotations

import json
import math
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from boruna_ls.deadline import Deadline
from boruna_ls.effects.broker import Broker, Effects
from boruna_ls.effects.ceiling import Ceiling
from boruna_ls.effects.effect import Bounds, Effect
from boruna_ls.effects.grants import Grant
from boruna_ls.effects.table import Handler
from boruna_ls.runtime.policy import ALLOW_ALL, DENY_ALL, Policy, read_policy


def effects(
    policy: Policy = ALLOW_ALL, ceiling: Ceiling | None = None, ends: float = math.inf, broker: Broker | None = None
) -> Effects:
    return (broker or Broker()).effects_of(Grant("a.ax", "/srv/shop", Bounds(policy, ceiling, "/srv/shop"), Deadline(ends)))


def answered(run: Effects, capability: str = "time.now", *arguments: Any) -> dict[str, Any]:
    asked = {"capability": capability, "arguments": [{"String": one} for one in arguments], "by_function": True}
    answer: dict[str, Any] = json.loads(run.answer(json.dumps(asked).encode()))
    return answer


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"null", b"\xff", b"{}", b'{"capability": "time.now"}',
        b'{"capability": "time.now", "arguments": [5], "by_function": true}',
        b'{"capability": "\\u001b[2J", "arguments": [], "by_function": true}',
        b'{"capability": "time.now", "arguments": ' + b"[" * 100_000 + b', "by_function": true}',
        b'{"capability": "time.now", "arguments": [' + b'{"Some":' * 500 + b'"Unit"' + b"}" * 499 + b"]}",
    ],
)  # fmt: skip
def test_calls_that_no_worker_sends_are_answers(content: bytes) -> None:
    assert list(json.loads(effects().answer(content))) == ["failure"]


def test_policy_and_budget_are_those_of_the_broker() -> None:
    """Whatever the process that runs the program has checked."""
    assert answered(effects(DENY_ALL)) == {"denied": "capability denied: time.now"}
    run = effects(read_policy('{"rules": {"time.now": {"allow": true, "budget": 1}}}'))
    assert "value" in answered(run)
    assert answered(run) == {"denied": "capability budget exceeded: time.now"}


def test_a_mistake_of_a_handler_is_an_answer() -> None:
    broker = Broker()

    def fails(_: Effect) -> tuple[str, str]:
        raise ZeroDivisionError

    broker.register("llm.call", Handler(fails))
    assert "ZeroDivisionError" in answered(effects(broker=broker), "llm.call")["failure"]
    assert "value" in answered(effects(broker=broker))


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a server that takes connections and says nothing."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def test_an_effect_ends_with_its_run(silent: int) -> None:
    broker, ceiling = Broker(), Ceiling(net_hosts=("127.0.0.1",))
    run = effects(ceiling=ceiling, broker=broker)
    told: list[dict[str, Any]] = []
    asking = threading.Thread(target=lambda: told.append(answered(run, "net.fetch", f"http://127.0.0.1:{silent}/")))
    asking.start()
    while not broker.under_way:
        time.sleep(0.01)
    begun = time.monotonic()
    run.cancel()
    asking.join(10)
    assert time.monotonic() - begun < 5
    assert told == [{"failure": "the run was stopped"}]
    assert answered(run) == {"failure": "the run was stopped"}


def test_an_effect_ends_with_the_time_of_its_run(silent: int) -> None:
    run = effects(ceiling=Ceiling(net_hosts=("127.0.0.1",)), ends=time.monotonic() + 0.3)
    begun = time.monotonic()
    assert "failure" in answered(run, "net.fetch", f"http://127.0.0.1:{silent}/")
    assert time.monotonic() - begun < 5


def test_many_runs_at_once_do_not_wait_for_a_slow_one(silent: int) -> None:
    broker, ceiling = Broker(), Ceiling(net_hosts=("127.0.0.1",))
    slow = [effects(ceiling=ceiling, broker=broker) for _ in range(4)]
    url = f"http://127.0.0.1:{silent}/"
    threads = [threading.Thread(target=answered, args=(run, "net.fetch", url)) for run in slow]
    for thread in threads:
        thread.start()
    assert "value" in answered(effects(broker=broker))
    for run in slow:
        run.cancel()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
