"""Answers about runs and modules hold the diagnostics of the program, as boruna_check gives them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from analysis.diagnostics.codes import ABOUT_FORM
from tests.mcp.test_run import ask
from tests.support.mcp_lines import LineServer, line_server

WARNED = 'fn main() -> Int {\n    let xs = [1]\n    if list_len(xs) > 1 { 1 + "a" } else { 2 }\n}\n'
FAILS = 'fn main() -> Int {\n    if false { 1 + "a" } else { 2 }\n    1 / list_len([])\n}\n'
REFUSED = 'fn main() -> Int {\n    if false { 1 + "a" } else { 2 }\n    totl\n}\n'
CLEAN = "fn main() -> Int {\n    1\n}\n"


@pytest.fixture(scope="module")
def server() -> Iterator[LineServer]:
    with line_server() as started:
        yield started.open()


def weighty(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The diagnostics of a check that concern what a program computes, the most serious first."""
    found = [one for one in answer["diagnostics"] if one["severity"] != "hint" or one["id"] not in ABOUT_FORM]
    return [one for severity in ("error", "warning", "info", "hint") for one in found if one["severity"] == severity]


@pytest.mark.parametrize("source", [WARNED, FAILS, REFUSED])
@pytest.mark.parametrize("tool", ["boruna_run", "boruna_compile", "boruna_trace", "boruna_run_sealed"])
def test_success_and_failure_hold_what_a_check_finds(server: LineServer, tool: str, source: str) -> None:
    expected = weighty(ask(server, "boruna_check", source=source))
    assert "W104" in [one["id"] for one in expected]
    answer = ask(server, tool, source=source)
    assert answer["diagnostics"] == expected
    assert answer["success"] is (source == WARNED or (tool == "boruna_compile" and source == FAILS))


@pytest.mark.parametrize("tool", ["boruna_run", "boruna_compile", "boruna_trace"])
def test_a_program_without_faults_has_no_such_field(server: LineServer, tool: str) -> None:
    answer = ask(server, tool, source=CLEAN)
    assert answer["success"] is True
    assert "diagnostics" not in answer


def test_a_result_that_is_lost_is_named(server: LineServer) -> None:
    source = "fn main() -> Int {\n    let mut xs = [1]\n    list_push(xs, 2)\n    list_len(xs)\n}\n"
    (lost,) = ask(server, "boruna_run", source=source)["diagnostics"]
    assert (lost["id"], lost["location"]["line"]) == ("W503", 3)
    assert lost["patches"][0]["edits"][0]["new_text"] == "xs = "


def test_a_failure_shows_the_variables_at_its_place(server: LineServer) -> None:
    """Those in scope, the inner of two of a name; in a run that is interpreted as in one that is translated."""
    source = """fn pick(xs: List<Int>, at: Int) -> Int {
    let mut n = 0
    while n < ROUNDS { n = n + 1 }
    if at > 1 { let hidden = 1 n = n + hidden }
    for x in xs {
        let at = "inner"
        if x > 1 { return list_get(xs, n * 1000000) }
    }
    let late = 1
    late
}
fn main() -> Int { pick([1, 2], 4) }
"""
    for rounds in (3, 200_000):
        answer = ask(server, "boruna_run", source=source.replace("ROUNDS", str(rounds)))
        assert answer["locals"] == [
            {"name": "xs", "value": "[1, 2]"},
            {"name": "at", "value": '"inner"'},
            {"name": "n", "value": str(rounds + 1)},
            {"name": "x", "value": "2"},
        ]


def test_variables_have_the_names_of_their_types(server: LineServer) -> None:
    source = """type P { at: Option<E>, n: Int }
enum E { A, B(List<P>) }
fn main() -> Int {
    let p = P { at: Some(E::B([P { at: None, n: 1 }])), n: 2 }
    let q = [E::A]
    1 / (p.n - list_len(q) - 1)
}
"""
    shown = {one["name"]: one["value"] for one in ask(server, "boruna_run", source=source)["locals"]}
    assert shown == {"p": "P { at: Some(E::B([P { at: None, n: 1 }])), n: 2 }", "q": "[E::A]"}


def test_long_values_of_variables_are_cut(server: LineServer) -> None:
    grown = "while n < 12 { s = s ++ s n = n + 1 }"
    source = f'fn main() -> Int {{\n    let mut s = "abc"\n    let mut n = 0\n    {grown}\n    1 / (n - 12)\n}}\n'
    shown = {one["name"]: one["value"] for one in ask(server, "boruna_run", source=source)["locals"]}
    assert len(shown["s"]) == 200
    assert shown["s"].endswith("…")


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("fn main(n: Int) -> Int { n }\n", "W307"),
        ("fn main(n: Int) -> Int { n + 1 }\n", "W307"),
        ('fn main() -> Int { "a" }\n', "W103"),
        ("fn main() -> Int {\n    let x = 1\n    x = 2\n    x\n}\n", "W306"),
        ('fn age(text: String) -> Int { parse_int(text) }\nfn main() -> Int { age("x") }\n', "W604"),
        ("fn now() -> Int !{time.now} { time_now() }\nfn main() -> Int { now() }\n", "W401"),
        ("fn main() -> Int {\n    list_push([1], 2)\n    1\n}\n", "W503"),
    ],
)
@pytest.mark.parametrize("tool", ["boruna_run", "boruna_compile", "boruna_trace"])
def test_infos_and_hints_about_what_a_program_computes_are_told(server: LineServer, tool: str, source: str, code: str) -> None:
    (expected,) = ask(server, "boruna_check", source=source)["diagnostics"]
    assert expected["id"] == code
    assert ask(server, tool, source=source)["diagnostics"] == [expected]


def test_a_trial_has_them_too(server: LineServer) -> None:
    source = "fn main(n: Int) -> Int { n }\n"
    answer = ask(server, "try_edits", code=source, candidates=[{"text": CLEAN}], run=True)
    assert [one["id"] for one in answer["base"]["diagnostics"]] == ["W307"]


def test_hints_about_form_are_counted(server: LineServer) -> None:
    source = "fn unused() -> Int { 1 }\nfn main() -> Int {\n    let x = 1\n    2\n}\n"
    assert [one["id"] for one in ask(server, "boruna_check", source=source)["diagnostics"]] == ["W501", "W501"]
    answer = ask(server, "boruna_run", source=source)
    assert answer["hints"] == 2
    assert "diagnostics" not in answer
    assert "hints" not in ask(server, "boruna_run", source=CLEAN)


def test_a_failure_by_a_parameter_of_main_names_it(server: LineServer) -> None:
    answer = ask(server, "boruna_run", source="fn main(n: Int) -> Int { n + 1 }\n")
    assert answer["message"] == "type error: expected numeric, got Unit"
    assert answer["hint"].startswith("a run calls `main` without arguments")


def test_they_are_bounded_and_errors_come_first(server: LineServer) -> None:
    source = "fn main() -> Int {\n" + '    if false { 1 + "a" } else { 2 }\n' * 30 + "    totl\n}\n"
    expected = weighty(ask(server, "boruna_check", source=source))
    answer = ask(server, "boruna_run", source=source)
    assert answer["diagnostics"] == expected[:10]
    assert answer["diagnostics"][0]["severity"] == "error"
    assert answer["diagnostics_omitted"]["left_out"] == len(expected) - 10


def test_a_trial_tells_those_of_the_present_text(server: LineServer) -> None:
    edits = [{"edits": [{"old_text": '1 + "a"', "new_text": "1"}]}]
    for run in (False, True):
        arguments = {"run": True} if run else {}
        answer = ask(server, "try_edits", code=WARNED, candidates=edits, **arguments)
        (told,) = answer["base"]["diagnostics"]
        assert (told["id"], told["location"]["line"]) == ("W104", 3)
        assert [one["id"] for one in answer["candidates"][0]["resolved"] if one["severity"] == "warning"] == ["W104"]
        assert ("run" in answer["base"]) is run
    assert "base" not in ask(server, "try_edits", code=CLEAN, candidates=[{"text": CLEAN}])
