"""Definitions: places and paths of defects, real cycles, near names, warnings, hashes, large documents."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.workflow.canonical import run_id, workflow_hash
from analysis.workflow.graph import graph_of
from analysis.workflow.reader import read_definition
from boruna_ls.answers.workflow import LARGEST_DOCUMENT, validation_answer

SOURCE = {"kind": "source", "source": "a.ax"}


def document(steps: dict[str, Any], edges: list[list[str]] | None = None, **more: Any) -> dict[str, Any]:
    return {"schema_version": 1, "name": "flow", "version": "1.0.0", "steps": steps, "edges": edges or [], **more}


def answer(steps: dict[str, Any], edges: list[list[str]] | None = None, **more: Any) -> dict[str, Any]:
    return validation_answer(json.dumps(document(steps, edges, **more), indent=1))


def test_a_valid_workflow_has_order_levels_and_edges() -> None:
    found = answer({"b": SOURCE | {"depends_on": ["a"]}, "a": SOURCE, "c": SOURCE}, [["a", "c"]])
    assert (found["success"], found["valid"], found["execution_order"]) == (True, True, ["a", "b", "c"])
    assert (found["levels"], found["edges"]) == ([["a"], ["b", "c"]], [["a", "b"], ["a", "c"]])
    assert "problems" not in found


def test_a_wrong_type_has_line_column_and_path() -> None:
    step = '{"kind": "source", "source": "ü",\n "retry": {"max_attempts": "x"}}'
    text = f'{{"schema_version": 1, "name": "n", "version": "1",\n "steps": {{"a": {step}}}, "edges": []}}'
    found = validation_answer(text)
    assert (found["error_kind"], found["path"]) == ("parse_error", "steps.a.retry.max_attempts")
    # The place is the end of the value, as the message has it.
    assert (found["line"], found["column"]) == (3, len(' "retry": {"max_attempts": "x"'))


def test_a_real_cycle_is_named_step_by_step() -> None:
    steps = {name: SOURCE | {"depends_on": [before]} for name, before in (("a", "c"), ("b", "a"), ("c", "b"))}
    [error] = answer({**steps, "d": SOURCE})["errors"]
    assert (error["kind"], error["code"], error["cycle"]) == ("CycleDetected", "cycle", ["a", "b", "c"])
    assert error["message"] == "cycle detected: resolved 1 of 4 steps"
    assert error["path"] == "steps.a"


def test_an_unknown_step_has_a_near_name_and_its_place() -> None:
    found = answer({"collect": SOURCE, "send": SOURCE | {"depends_on": ["colect"]}})
    unknown, cycle = found["errors"]
    assert (unknown["code"], unknown["suggestion"], unknown["path"]) == ("unknown_step", "collect", "steps.send.depends_on[0]")
    # No step really waits for itself, so no cycle is named.
    assert (cycle["kind"], "cycle" in cycle) == ("CycleDetected", False)


@pytest.mark.parametrize(
    "step, code, path",
    [
        (SOURCE | {"source": "../x.ax"}, "unsafe_path", "steps.s.source"),
        (SOURCE | {"source": "/etc/x.ax"}, "unsafe_path", "steps.s.source"),
        (SOURCE | {"source": "c:x.ax"}, "unsafe_path", "steps.s.source"),
        (SOURCE | {"source": "a//b.ax"}, "unsafe_path", "steps.s.source"),
        (SOURCE | {"retries": 3}, "unknown_field", "steps.s.retries"),
        (SOURCE | {"inputs": {"v": "a.result"}}, "unordered_input", "steps.s.inputs.v"),
        (SOURCE | {"inputs": {"v": "a.total"}, "depends_on": ["a"]}, "unknown_output", "steps.s.inputs.v"),
        (SOURCE | {"budget": {"max_tokens": 5}}, "no_effect", "steps.s.budget.max_tokens"),
        ({"kind": "approval_gate", "required_role": "r", "condition": "x"}, "no_effect", "steps.s.condition"),
    ],
)
def test_what_is_ignored_or_refused_later_is_a_warning(step: dict[str, Any], code: str, path: str) -> None:
    found = answer({"a": SOURCE, "s": step})
    assert found["success"] is True
    [problem] = found["problems"]
    assert (problem["severity"], problem["code"], problem["path"]) == ("warning", code, path)
    assert problem["line"] > 1


def test_a_step_given_twice_is_a_warning() -> None:
    text = json.dumps(document({"a": SOURCE, "z": SOURCE})).replace('"z"', '"a"')
    assert [problem["code"] for problem in validation_answer(text)["problems"]] == ["repeated_name"]


def test_hash_and_run_ids_are_those_of_the_specification() -> None:
    found = workflow_hash(read_definition(json.dumps(document({"a": SOURCE}))).definition)
    assert found == "6fbf3ff4a25fdb8a133f67579656edd7ec3dcc047ef67ad601216e81d4a6d6f9"
    assert [run_id(found, counter) for counter in range(3)] == ["eaa800472e7dd989", "008c6e7499232b4f", "56963710228cb84c"]


def test_a_thousand_steps_are_fast_and_ten_thousand_no_trouble() -> None:
    def timed(count: int) -> float:
        steps = {f"s{i}": SOURCE | {"depends_on": [f"s{i - 1}", f"s{i // 2}"] if i > 1 else []} for i in range(count)}
        text = json.dumps(document(steps))
        start = time.process_time()
        assert validation_answer(text)["steps_count"] == count
        return time.process_time() - start

    # About 50 ms where nothing else runs; the bounds tell a slow machine from a quadratic walk.
    small = min(timed(1000) for _ in range(3))
    assert small < 0.5
    assert timed(10_000) < 40 * small


def test_a_ring_of_ten_thousand_steps_is_found() -> None:
    steps = {f"s{i}": SOURCE | {"depends_on": [f"s{i - 1 if i else 9999}"]} for i in range(10_000)}
    [error] = answer(steps)["errors"]
    assert len(error["cycle"]) == 10_000


def test_an_endless_document_is_refused_and_a_deep_one_too() -> None:
    refused = validation_answer(" " * 10_000_000)
    assert (refused["error_kind"], refused["limit"]) == ("limit_exceeded", LARGEST_DOCUMENT)
    deep = validation_answer('{"steps": ' + "[" * 100_000)
    assert deep["error_kind"] == "parse_error"
    assert validation_answer('{"x": ' + "[" * 1_000_000)["message"].startswith("invalid workflow JSON: EOF while parsing")


names = st.sampled_from("abcdefgh")


@given(st.dictionaries(names, st.lists(names, max_size=3), min_size=1))
def test_order_respects_every_edge(graph: dict[str, list[str]]) -> None:
    text = json.dumps(document({name: SOURCE | {"depends_on": after} for name, after in graph.items()}))
    definition = read_definition(text).definition
    found = graph_of(definition)
    order = {name: number for number, name in enumerate(found.order)}
    assert all(order[start] < order[end] for start, end in found.edges if start in order and end in order)
    assert sorted(found.order) == sorted(name for level in found.levels for name in level)
    unknown = any(name not in graph for after in graph.values() for name in after)
    assert validation_answer(text)["success"] is (found.cycle_message is None and not unknown)


@given(st.text(alphabet='{}[]":,0123456789.eE+-tfn\\u \n', max_size=40))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    found = validation_answer(text)
    assert found["success"] is False
    assert 1 <= found["line"] <= text.count("\n") + 1
    assert found["column"] <= len(text)
