"""Actors that run: rounds, messages, failures, ends (spec chapter 12 section 6)."""

from __future__ import annotations

import pytest

from boruna_ls.runtime.actors import ActorsOutcome, run_actors
from boruna_ls.runtime.forms import display
from tests.support.programs import module


def run(text: str) -> ActorsOutcome:
    return run_actors(module(text))


def kinds(outcome: ActorsOutcome) -> list[str]:
    return [event.kind for event in outcome.log.events]


ECHO = """fn echo() -> Int {
    let back = receive
    let what = receive
    send back what
    0
}

fn main() -> Int {
    let first = spawn echo
    let me = 0
    receive
}
"""


def test_program_without_actors_is_an_ordinary_run() -> None:
    outcome = run("fn main() -> Int { 40 + 2 }")
    assert (outcome.value, outcome.error, kinds(outcome)) == (42, None, ["SchedulerTick"])


def test_messages_arrive_in_order_of_target_and_sender() -> None:
    outcome = run(
        "fn child() -> Int {\n    let to = receive\n    send to 41\n    0\n}\nfn sink() -> Int { receive }\n"
        "fn main() -> Int {\n    let s = spawn sink\n    let a = spawn child\n    let b = spawn child\n"
        "    send b s\n    send a s\n    7\n}\n"
    )
    assert (outcome.value, outcome.error) == (7, None)
    sent = [dict(event.fields) for event in outcome.log.events if event.kind == "MessageSend"]
    assert [(one["from"], one["to"]) for one in sent] == [(0, 2), (0, 3), (2, 1), (3, 1)]
    assert outcome.actors[1].machine.result == 41


def test_failing_child_tells_its_parent() -> None:
    outcome = run("fn child() -> Int { 1 / 0 }\nfn main() -> Int {\n    spawn child\n    receive\n}\n")
    assert display(outcome.value) == 'Err("division by zero")'
    assert outcome.actors[1].has_failed


def test_descendants_fail_with_their_ancestor() -> None:
    outcome = run(
        "fn leaf() -> Int { receive }\nfn child() -> Int {\n    spawn leaf\n    receive\n    1 / 0\n}\n"
        "fn main() -> Int {\n    let c = spawn child\n    let n = send_later(c)\n    receive\n}\n"
        "fn send_later(c: Int) -> Int {\n    let mut i = 0\n    while i < 500 { i = i + 1 }\n    send c 1\n    0\n}\n"
    )
    assert display(outcome.value) == 'Err("division by zero")'
    assert [actor.has_failed for actor in outcome.actors] == [False, True, True]


def test_failing_root_ends_everything() -> None:
    outcome = run("fn child() -> Int { receive }\nfn main() -> Int {\n    spawn child\n    1 / 0\n}\n")
    assert outcome.error == "division by zero"


def test_all_blocked_is_a_deadlock() -> None:
    assert run("fn main() -> Int { receive }").error == "deadlock: all actors blocked with no pending messages"
    assert run(ECHO).error == "deadlock: all actors blocked with no pending messages"


def test_endless_actor_meets_the_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boruna_ls.runtime.actors.MAX_ROUNDS", 20)
    outcome = run("fn spin() -> Int {\n    while true { 1 }\n    0\n}\nfn main() -> Int {\n    spawn spin\n    5\n}\n")
    assert outcome.error == "max scheduler rounds exceeded (20)"


def test_the_log_is_always_the_same() -> None:
    text = "fn child() -> Int { emit 1\n receive }\nfn main() -> Int {\n    let a = spawn child\n    send a [1]\n    3\n}\n"
    assert run(text).log.text() == run(text).log.text()
    assert kinds(run(text)) == [
        "SchedulerTick", "ActorSpawn", "MessageSend", "MessageReceive", "SchedulerTick",
    ]  # fmt: skip
