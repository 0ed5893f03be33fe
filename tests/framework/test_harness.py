"""The harness and the state machine: snapshots, differences, rewinding, executors, assertions, replay, views as trees."""

from __future__ import annotations

import json

import pytest

from boruna_ls.framework.app import App, AppError, prepared
from boruna_ls.framework.executors import MockExecutor, TableExecutor
from boruna_ls.framework.harness import Harness
from boruna_ls.framework.machine import HISTORY, Machine
from boruna_ls.framework.messages import message_of
from boruna_ls.framework.ui import TOO_MUCH, Node, node_tree
from boruna_ls.runtime.values import make_list, record
from tests.support.apps import COUNTER
from tests.support.compiled import module_of as module

ASKED = [("http_request", "u", "a"), ("emit_ui", "x", "b"), ("spawn_actor", "w", "c"), ("random", "", "d")]
LISTED = ", ".join(f'Effect {{ kind: "{kind}", payload: "{payload}", callback_tag: "{tag}" }}' for kind, payload, tag in ASKED)
EFFECTS = COUNTER.replace('Effect { kind: "timer", payload: "1", callback_tag: "tick" }', LISTED)


@pytest.fixture
def harness() -> Harness:
    return Harness(module(COUNTER), 1)


def test_a_snapshot_can_be_restored(harness: Harness) -> None:
    harness.send("inc", 5)
    snapshot = harness.machine.snapshot()
    assert json.loads(snapshot) == {"Record": {"fields": [{"Int": 5}], "type_id": 0}}
    harness.send("inc", 1)
    harness.machine.restore(snapshot)
    harness.assert_state_field(0, 5)
    assert harness.machine.cycle == 3
    for text in ("{", "5", '{"Int": "x"}', "[" * 100_000):
        with pytest.raises(AppError, match="state error: invalid state JSON"):
            harness.machine.restore(text)


def test_rewinding_keeps_the_history(harness: Harness) -> None:
    for _ in range(3):
        harness.send("inc", 1)
    assert [(one.path, one.old, one.new) for one in harness.machine.diff_from_cycle(1)] == [("count", 1, 3)]
    harness.machine.rewind(1)
    harness.assert_state_field(0, 1)
    assert harness.send("inc", 7).number == 2
    # The later state of that number counts.
    harness.machine.rewind(2)
    harness.assert_state_field(0, 8)
    with pytest.raises(AppError, match="cycle 9 not in history"):
        harness.machine.rewind(9)
    assert harness.machine.diff_from_cycle(9) == []


def test_the_history_is_bounded(harness: Harness) -> None:
    for _ in range(HISTORY + 1):
        harness.machine.transition(harness.machine.current)
    with pytest.raises(AppError):
        harness.machine.rewind(1)
    harness.machine.rewind(2)


def test_executors_answer_effects() -> None:
    harness = Harness(module(EFFECTS), 1)
    assert harness.send_with_effects(TableExecutor({"a": "known"}), "ask") == [("a", "known"), ("c", 1), ("d", "mock_result")]
    mocked = dict(harness.send_with_effects(MockExecutor(), "ask"))
    assert mocked == {"a": '{"mock": true, "url": ""u""}', "c": None, "d": 0.42}
    assert harness.send_with_effects(MockExecutor(), "inc") == []


def test_assertions(harness: Harness) -> None:
    with pytest.raises(AppError, match="no cycles recorded"):
        harness.assert_effects([])
    harness.send("ask")
    harness.assert_effects(["timer"])
    for kinds, said in ((["http_request"], r"effect\[0\]: expected 'http_request', got 'timer'"), ([], "effect count mismatch")):
        with pytest.raises(AppError, match=said):
            harness.assert_effects(kinds)
    harness.assert_state(record(0, [0]))
    for index, expected, said in ((0, 1, r"field\[0\]: expected 1, got 0"), (1, 0, "field index 1 out of bounds")):
        with pytest.raises(AppError, match=said):
            harness.assert_state_field(index, expected)
    with pytest.raises(AppError, match="state error: expected"):
        harness.assert_state(5)


def test_a_run_can_be_repeated(harness: Harness) -> None:
    harness.simulate([message_of(text) for text in ("inc:1", "ask", "div:3")])
    assert harness.replay_verify()
    harness.machine.transition(0)
    assert harness.replay_verify()


def test_an_error_has_a_signature_without_values() -> None:
    text = COUNTER.replace("-> UpdateResult {", "-> UpdateResult requires msg.payload > 0 {")
    machine = Machine(App(prepared(module(text)), 1))
    signatures = set()
    for payload in (0, -5):
        with pytest.raises(AppError) as failed:
            machine.send("inc", payload)
        signatures.add(failed.value.signature)
        assert "counterexample" in str(failed.value)
    assert len(signatures) == 1


def test_views_are_trees_of_nodes() -> None:
    reader = App(prepared(module(COUNTER)), 1).reader
    msg = record(1, ["button", 3])
    assert node_tree(msg, reader) == Node("button", {"payload": 3})
    assert node_tree(record(0, [7]), reader) == Node("div", {"count": 7})
    texts = [Node("text", {"value": "a"}), Node("raw", {"value": 1.5})]
    assert node_tree(make_list(["a", 1.5]), reader) == Node("list", {}, texts)
    many = node_tree(make_list([msg] * 100_000), reader, most=10)
    assert len(many.children) == 10
    assert many.children[-1] == Node(TOO_MUCH)
    deep = make_list([])
    for _ in range(5_000):
        deep = make_list([deep])
    node, levels = node_tree(deep, reader), 0
    while node.children:
        node, levels = node.children[0], levels + 1
    assert (node.tag, levels) == (TOO_MUCH, 101)
