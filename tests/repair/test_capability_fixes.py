"""Fixes of capabilities that change several functions: W401 on a whole chain of calls, W403 in an app's policies."""

from __future__ import annotations

from analysis.diagnostics.check import check_file
from analysis.fixes.applying import edited
from analysis.fixes.repair import fixes_for
from analysis.inputs import source
from analysis.text.edits import Fix
from analysis.text.source import Source
from tests.support.checked import Checker


def fixes(checker: Checker, text: str, code: str, message: str) -> list[Fix]:
    source.set(checker.db, checker.file, Source.from_text(text))
    chunk, made = next(
        row for row in check_file(checker.db, checker.file).entries if row[1].code == code and message in row[1].message
    )
    return list(fixes_for(checker.db, checker.file, chunk, made))


def with_fix(text: str, fix: Fix) -> str:
    return edited(Source.from_text(text), fix.edits).text


def test_a_chain_of_calls_is_declared_at_once() -> None:
    text = (
        "fn deep() -> Int { time_now() }\n"
        "fn middle() -> Int { deep() }\n"
        "fn other() -> Float { random() }\n"
        "fn top() -> String !{step.input} { let at = middle() step_input(__builtin_int_to_string(at)) }\n"
        "fn main() -> String { let a = other() top() }\n"
    )
    checker = Checker()
    offered = fixes(checker, text, "W401", "'middle' uses")
    assert [fix.id for fix in offered] == ["W401-declare", "W401-declare-chain"]
    assert offered[1].description == "declare time.now on the whole chain: 'deep', 'middle', 'top', 'main'"
    changed = with_fix(text, offered[1])
    assert changed == (
        "fn deep() -> Int !{time.now} { time_now() }\n"
        "fn middle() -> Int !{time.now} { deep() }\n"
        "fn other() -> Float { random() }\n"
        "fn top() -> String !{step.input, time.now} { let at = middle() step_input(__builtin_int_to_string(at)) }\n"
        "fn main() -> String !{time.now} { let a = other() top() }\n"
    )
    left = {row.message for row in checker.check(changed) if row.code == "W401"}
    assert not any("time.now" in message for message in left)
    assert len(left) == 2
    assert [fix.id for fix in fixes(checker, text, "W401", "'other' uses")] == ["W401-declare", "W401-declare-chain"]
    assert [fix.id for fix in fixes(checker, "fn main() -> Int { time_now() }\n", "W401", "'main'")] == ["W401-declare"]


def test_policies_are_given_what_an_effect_needs() -> None:
    text = (
        "type Msg { tag: String, payload: String }\n"
        "type Effect { kind: String, payload: String, callback_tag: String }\n"
        "type Next { state: Int, effects: List<Effect> }\n"
        "type PolicySet { capabilities: List<String>, max_effects: Int, max_steps: Int }\n"
        "fn init() -> Int { 0 }\n"
        "fn policies() -> PolicySet { PolicySet { capabilities: [], max_effects: 1, max_steps: 100 } }\n"
        "fn update(state: Int, msg: Msg) -> Next {\n"
        '    Next { state: state, effects: [Effect { kind: "timer", payload: "5", callback_tag: "now" }] }\n'
        "}\n"
        "fn view(state: Int) -> Int { state }\n"
    )
    checker = Checker()
    (allow,) = fixes(checker, text, "W403", "needs 'time.now'")
    changed = with_fix(text, allow)
    assert 'capabilities: ["time.now"]' in changed
    assert checker.check(changed) == []
