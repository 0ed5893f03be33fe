"""Sessions: what cycles show, answers to effects, and applications that loop, grow, nest, draw too much or return anything."""

from __future__ import annotations

import json
from typing import Any

import pytest

from boruna_ls.framework.machine import MAX_CYCLES
from tests.support.apps import COUNTER, played

OUT = "type Out {{ state: {state}, effects: List<Int> }}\ntype Msg {{ tag: String, payload: Int }}\n"


def grown(state: str, first: str, step: str, view: str = "0") -> str:
    """An application whose update computes `step` from `state`."""
    return (
        OUT.format(state=state)
        + f"fn init() -> {state} {{ {first} }}\n"
        + f"fn update(state: {state}, msg: Msg) -> Out {{ Out {{ state: {step}, effects: [] }} }}\n"
        + f"fn view(state: {state}) -> Int {{ {view} }}\n"
    )


def cycles(outcome: dict[str, Any]) -> list[dict[str, Any]]:
    return [json.loads(text) for text in outcome["cycles"]]


def test_a_cycle_shows_everything_about_a_message() -> None:
    first, second = cycles(played(COUNTER, ["inc:2", "ask"]))
    assert first == {
        "cycle": 1,
        "diff": [{"new": 2, "old": 0, "path": "count"}],
        "effects": [],
        "message": "inc:2",
        "state": [2],
        "state_after": "State { count: 2 }",
        "steps": first["steps"],
        "tag": "inc",
        "ui_tree": "count 2",
        "view": '"count 2"',
    }
    assert second["effects"] == [{"callback_tag": "tick", "kind": "timer", "payload": "1"}]
    assert second["diff"] == []


def test_responses_are_sent_after_the_effects_that_they_answer() -> None:
    outcome = played(COUNTER, ["ask", "inc:1"], responses={"tick": 5, "other": 9})
    told = cycles(outcome)
    assert [cycle["message"] for cycle in told] == ["ask", {"payload": 5, "tag": "tick"}, "inc:1"]
    assert outcome["final_text"] == "State { count: 6 }"
    endless = COUNTER.replace('msg.tag == "ask" { [Effect', "true { [Effect")
    assert played(endless, ["ask"], responses={"tick": 0})["sent"] == 101


def test_cycles_from_an_offset_on() -> None:
    outcome = played(COUNTER, [f"inc:{number}" for number in range(10)], offset=7)
    assert [cycle["cycle"] for cycle in cycles(outcome)] == [8, 9, 10]
    assert outcome["total_cycles"] == 10


def test_more_cycles_than_an_answer_holds() -> None:
    messages = ["inc:1"] * 5_000
    outcome = played(COUNTER, messages)
    shown = len(outcome["cycles"])
    assert shown < len(messages) == outcome["total_cycles"]
    assert outcome["final_text"] == "State { count: 5000 }"
    rest = played(COUNTER, messages, offset=shown)
    assert cycles(rest)[0]["cycle"] == shown + 1


def test_the_number_of_cycles_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_CYCLES == 100_000
    monkeypatch.setattr("boruna_ls.framework.machine.MAX_CYCLES", 200)
    outcome = played(COUNTER, ["inc:0"] * 201, offset=199)
    assert outcome["error"]["message"] == "max cycles exceeded: 200"
    assert outcome["cycle"] == 201
    assert [cycle.get("cycle") for cycle in cycles(outcome)] == [200, None]


def test_an_application_that_loops_ends_in_time_with_what_it_did_before() -> None:
    text = grown("Int", "0", "spin(state, msg.payload)") + (
        "fn spin(n: Int, rounds: Int) -> Int { let mut i = 0\n while i < rounds { i = i + 1 }\n n + i }\n"
    )
    outcome = played(text, ["go:10", "go:1000000", "go:1000000000"])
    assert [cycle.get("state") for cycle in cycles(outcome)] == [10, 1_000_010, None]
    assert outcome["error"]["message"] == "runtime error: max execution steps exceeded (10000000)"
    late = played(text, ["go:10", *["go:900000"] * 1000], seconds=0.3)
    assert late["error"]["limit_kind"] == "wall_ms"
    assert cycles(late)[0]["state"] == 10


def test_a_view_of_100_000_nodes_is_told_and_not_shown() -> None:
    text = COUNTER[: COUNTER.index("fn view")] + (
        "type Node { tag: String, text: String }\n"
        "fn view(state: State) -> List<Node> {\n    let mut nodes: List<Node> = []\n    let mut i = 0\n"
        '    while i < state.count { nodes = list_push(nodes, Node { tag: "li", text: "item" })\n i = i + 1 }\n    nodes\n}\n'
    )
    outcome = played(text, ["inc:3", "inc:99997", "inc:1"])
    few, many, more = cycles(outcome)
    assert few["ui_tree"] == [["li", "item"]] * 3
    assert many["ui_tree"]["left_out"] == "more than 120000 characters of JSON"
    assert many["ui_tree"]["beginning"].startswith('[["li","item"],')
    assert more["state"] == [100_001]
    assert len(many["view"]) < 21_000


def test_values_that_share_their_parts_are_left_out() -> None:
    outcome = played(grown("List<Int>", "[1]", "[state, state]"), ["go"] * 20)
    assert "error" not in outcome
    assert cycles(outcome)[-1]["state"]["left_out"].startswith("more than")
    assert cycles(outcome)[1]["state"] == [[[1], [1]], [[1], [1]]]


def test_values_that_nest_deep_are_left_out() -> None:
    outcome = played(grown("List<Int>", "[]", "[state]"), ["go"] * 3000, offset=2990)
    assert "nested" in cycles(outcome)[0]["state"]["left_out"]
    assert outcome["total_cycles"] == 3000


@pytest.mark.parametrize("result", ["1", '"x"', "None", "[1, 2]", "Some(state)", "One { only: 1 }"])
def test_results_of_the_wrong_shape_are_told(result: str) -> None:
    text = "type One { only: Int }\n" + grown("Int", "0", "state").replace("Out { state: state, effects: [] }", result)
    outcome = played(text, ["go"])
    assert outcome["error"]["message"] == "effect error: update() must return a Record with [state, effects] fields"


def test_hostile_texts_stay_texts() -> None:
    hostile = '</script>"\\\n\t\r\x00\x1b[31m\u202e\u2028😀{{x}}'
    text = COUNTER.replace("count: Int", "count: String").replace("count: 0", 'count: ""')
    text = text.replace("payload: Int", "payload: String").replace("state.count + step", "state.count ++ msg.payload")
    text = text.replace("10 / msg.payload", "1").replace("else { msg.payload }", "else { 2 }")
    text = text.replace("__builtin_int_to_string(state.count)", "state.count")
    outcome = played(text, [{"tag": hostile, "payload": hostile}, {"tag": "x", "payload": ""}])
    first = cycles(outcome)[0]
    assert (first["tag"], first["state"], first["ui_tree"]) == (hostile, [hostile], f"count {hostile}")
    # Where values stand in a sentence, nobody takes them for ours.
    assert not set("\x00\x1b\u202e\u2028\n\r\t") & set(first["state_after"] + first["view"])


def test_effects_that_are_none_are_told() -> None:
    text = COUNTER.replace('kind: "timer"', 'kind: "storage_read"')
    assert cycles(played(text, ["ask"]))[0]["dropped_effects"] == [
        {"reason": "unknown kind", "value": 'Effect { kind: "storage_read", payload: "1", callback_tag: "tick" }'}
    ]


def test_differences_have_paths() -> None:
    text = (
        "type Line { sku: String, qty: Int }\ntype State { lines: List<Line>, seen: Map<String, Int> }\n"
        "type Msg { tag: String, payload: String }\ntype Out { state: State, effects: List<Int> }\n"
        'fn init() -> State { State { lines: [Line { sku: "a", qty: 1 }], seen: map_new() } }\n'
        "fn update(state: State, msg: Msg) -> Out {\n"
        "    let line = list_get(state.lines, 0)\n"
        "    let pushed = list_push(state.lines, Line { sku: msg.payload, qty: 0 })\n"
        '    let lines = if msg.tag == "push" { pushed } else { [Line { ..line, qty: 9 }] }\n'
        "    Out { state: State { lines: lines, seen: __builtin_map_set(state.seen, msg.payload, 1) }, effects: [] }\n}\n"
        "fn view(state: State) -> Int { 0 }\n"
    )
    push, change = cycles(played(text, ["push:b", "set:b"]))
    assert push["diff"] == [{"new": ["b", 0], "path": "lines[1]"}, {"new": 1, "path": 'seen["b"]'}]
    assert change["diff"] == [{"new": 9, "old": 1, "path": "lines[0].qty"}, {"old": ["b", 0], "path": "lines[1]"}]
