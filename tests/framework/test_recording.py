"""Tests that are made of sessions: they compile, pass, notice a change, and come from as few messages as can be."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from analysis.codegen.compile import compile_file
from boruna_ls.framework.minimise import minimised
from boruna_ls.runtime.execute import execute
from boruna_ls.runtime.job import Job, Mode, packed
from boruna_ls.workspace import Host
from tests.support.apps import COUNTER, recorded
from tests.support.corpus import CONFORMANCE, programs

MESSAGES = ["inc:1", "dec:2", "set:hello", "reset", "tick:5", {"tag": "add", "payload": 7}]


def verdict(text: str, test: str) -> str:
    """Status of the test when it follows the program."""
    host = Host()
    compiled = compile_file(host.db, host.inline(f"{text}\n{test}"), "module")
    assert compiled.module is not None, (compiled.errors, test)
    index = max(number for number, code in enumerate(compiled.module.functions) if code.name == "test_session")
    (told,) = execute(Job(packed(compiled.module), Mode.TESTS, tests=(index,)))["tests"]
    return str(told["status"])


def applications() -> list[Path]:
    return [file for file in programs("framework") if file.parent == CONFORMANCE / "framework"]


@pytest.mark.parametrize("file", applications(), ids=lambda file: file.stem)
def test_a_test_of_any_session_compiles_and_says_what_happened(file: Path) -> None:
    text = file.read_bytes().decode()
    host = Host()
    if compile_file(host.db, host.inline(text), "module").module is None or file.stem == "infinite_loop":
        return
    outcome = recorded(text, MESSAGES)
    if (test := outcome.get("test")) is not None:
        # A session that failed fails in its test, too.
        assert verdict(text, test) == ("failed" if "error" in outcome else "passed")
    else:
        assert "error" in outcome or outcome["notes"]


def test_most_sessions_of_the_corpus_can_be_written_as_tests() -> None:
    written = 0
    for file in applications():
        text = file.read_bytes().decode()
        host = Host()
        if compile_file(host.db, host.inline(text), "module").module is not None and file.stem != "infinite_loop":
            written += recorded(text, MESSAGES).get("test") is not None
    assert written >= 40


def test_a_change_of_the_program_fails_the_test() -> None:
    test = recorded(COUNTER, ["inc:2", "ask", "inc:3"])["test"]
    assert verdict(COUNTER, test) == "passed"
    for before, after in (("state.count + step", "state.count - step"), ('"count "', '"Count "')):
        assert before in COUNTER
        assert verdict(COUNTER.replace(before, after), test) == "failed"


def test_a_failing_session_is_made_short() -> None:
    messages = [*(f"inc:{number}" for number in range(200)), "div:0", "inc:1"]
    outcome = recorded(COUNTER, messages)
    assert outcome["messages"] == ["div:0"]
    assert outcome["minimized"]["from"] == 201
    assert outcome["error"]["message"] == "runtime error: division by zero"
    assert verdict(COUNTER, outcome["test"]) == "failed"
    assert verdict(COUNTER.replace("10 / msg.payload", "10"), outcome["test"]) == "passed"
    whole = recorded(COUNTER, messages, minimise=False)
    assert len(whole["messages"]) == 201
    assert "minimized" not in whole


def test_a_failing_view_is_in_the_test() -> None:
    risky = 'if state.count > 2 { __builtin_int_to_string(1 / (state.count - state.count)) } else { "" } ++'
    text = COUNTER.replace('"count " ++', risky)
    outcome = recorded(text, ["inc:1", "inc:1", "inc:1", "inc:1"])
    assert outcome["error"]["message"] == "runtime error: division by zero"
    assert len(outcome["messages"]) == 3
    assert verdict(text, outcome["test"]) == "failed"


def test_what_only_the_host_finds_is_told_and_not_written() -> None:
    text = COUNTER + "type P { capabilities: List<String>, max_effects: Int, max_steps: Int }\n"
    text += "fn policies() -> P { P { capabilities: [], max_effects: 0, max_steps: 0 } }\n"
    outcome = recorded(text, ["inc:1", "ask", "inc:1"])
    assert outcome["messages"] == ["ask"]
    assert outcome["test"] is None
    assert "only the host" in outcome["notes"][0]


def test_texts_of_all_kinds_survive() -> None:
    text = (
        "type Out { state: String, effects: List<Int> }\ntype Msg { tag: String, payload: String }\n"
        'fn init() -> String { "" }\nfn view(state: String) -> List<String> { [state] }\n'
        "fn update(state: String, msg: Msg) -> Out { Out { state: state ++ msg.payload, effects: [] } }\n"
    )
    payload = 'quotes " and \\ back\\slashes\nlines\ttabs\r</script> é😀\u202e {{x}}'
    outcome = recorded(text, [{"tag": "a", "payload": payload}])
    assert verdict(text, outcome["test"]) == "passed"
    assert json.loads(json.dumps(outcome))["messages"] == [{"tag": "a", "payload": payload}]


@pytest.mark.parametrize("culprits", [{0}, {99}, {3, 50}, {1, 2, 3, 97}, set(range(0, 100, 7))])
def test_minimising_finds_what_is_needed(culprits: set[int]) -> None:
    runs = 0

    def fails(items: Sequence[int]) -> bool:
        nonlocal runs
        runs += 1
        return culprits <= set(items)

    assert minimised(range(100), fails, lambda: True) == sorted(culprits)
    assert runs < 2500


def test_minimising_leaves_out_nothing_that_matters(seed: int) -> None:
    chosen = random.Random(seed)
    for _ in range(50):
        items = [chosen.randrange(5) for _ in range(chosen.randrange(1, 40))]
        least = chosen.randrange(sum(items) + 1)

        def fails(part: Sequence[int], least: int = least) -> bool:
            return sum(part) >= least

        found = minimised(items, fails, lambda: True)
        assert fails(found)
        assert not any(fails(found[:index] + found[index + 1 :]) for index in range(len(found)))


def test_minimising_stops_when_it_is_told_to() -> None:
    left = iter(range(5))
    assert minimised(range(100), lambda part: 99 in part, lambda: next(left, None) is not None)[-1] == 99
