"""Diagnostics during typing: errors stay in the item and on the line being written, and each mistake is reported once."""

from __future__ import annotations

import pytest

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.text.source import Source
from benchmarks.bench_typing import MAIN_PROGRAM, Tally, closing_keys, raw_keys, replay
from tests.support.marked import MAIN, opened

ITEMS = "`fn`, `type`, `enum`, `import` or `export`"
AROUND = """fn before() -> String {
    "b" ++ "c"
}

fn middle() -> Int {
    1
}

fn behind() -> String {
    "d"
}
"""


@pytest.mark.parametrize("keys", [closing_keys, raw_keys])
def test_a_right_program_is_typed_in_peace(keys: object) -> None:
    program = MAIN_PROGRAM.read_text("utf-8")
    if keys is raw_keys:
        program = program[: program.index("fn is_open")] + program[program.index("fn describe") : program.index("fn first_open")]
    type_keys = closing_keys if keys is closing_keys else raw_keys
    said: Tally = replay(program, type_keys(program), AROUND)
    assert said.keys > 500
    assert said.other_item == 0, said.examples
    assert said.off_line <= 0.1 * said.keys, said.examples
    assert said.identical == 0, said.examples
    assert said.farthest <= 3


def shown(text: str) -> list[tuple[str, str, str]]:
    """Code, first line of the message and marked text of each diagnostic, as people are told of errors and warnings."""
    db: Database = opened(text)
    placed = check_file(db, MAIN).shown(Source.from_text(text))
    return [_row(text, start, made) for start, made in placed if made.severity in ("error", "warning")]


def _row(text: str, start: int, made: Diagnostic) -> tuple[str, str, str]:
    begin = start + made.span[0]
    return made.code, made.message, text[:begin].rpartition("\n")[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("fn f(a: Int) -> Int {\n    g(a\n}\n", ("E002", "`(` is never closed", "    g"), id="a bracket"),
        pytest.param("fn f() -> Int {\n    let a =\n}\n", ("E002", "`a` gets no value", "    let "), id="a value"),
        pytest.param("fn f(a: Int) -> Int {\n    a +\n}\n", ("E002", "expected an expression", "    a +"), id="an operand"),
        pytest.param("fun f() -> Int {\n    1\n}\n", ("E002", f"expected {ITEMS}", ""), id="a keyword"),
        pytest.param("fn f(a: Int) -> Int {\n    g(a,)\n}\n", ("E002", "expected an expression", "    g(a,"), id="a comma"),
        pytest.param("fn f(a: Int", ("E002", "expected `,`", "fn f(a: Int"), id="a header"),
        pytest.param('fn f() -> String {\n    "abc\n', ("E001", "unterminated string", "    "), id="a string"),
    ],
)
def test_what_is_missing_is_told_once_and_where_it_is_missing(text: str, expected: tuple[str, str, str]) -> None:
    errors = [row for row in shown(text + "\nfn g(b: Int) -> Int {\n    b\n}\n") if row[0] in ("E001", "E002")]
    assert errors == [expected]


def test_a_syntax_error_costs_the_statement_only() -> None:
    text = "fn main() -> Int {\n    let a: Int = nothing\n    let b =\n    let c = a + b + gone\n    c\n}\n"
    codes = [(code, message) for code, message, _ in shown(text)]
    assert ("E003", "undefined variable: nothing") in codes
    assert any(code == "E002" for code, _ in codes)
    # `b` may have been meant to be declared by the broken statement.
    assert not any("undefined variable: b" in message for _, message in codes)


ARMS = """fn stop(light: Light) -> Int {
    match light {
        Red => 1,
        Amber => list_len([1, 2]),
        Blink(times) => {
            let twice = times * 2
            twice + 1
        },
        Green => 0,
    }
}
"""


def test_missing_arms_become_fewer_arm_by_arm() -> None:
    """While a match is written, the list of missing arms never grows, and never disappears to come back."""
    head = "enum Light { Red, Amber, Green, Blink(Int) }\n\nfn main() -> Int { stop(Light::Red) }\n\n"
    counts = [4]
    for before, behind in closing_keys(ARMS):
        if len(before) < ARMS.index("Red"):
            continue
        reported = [text for code, text, _ in shown(head + before + behind) if code == "E005"]
        counts.append(len(reported[0].split(", ")) if reported else 0)
    assert counts == sorted(counts, reverse=True)
    assert set(counts) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("value", ["light", "(light)"])
def test_a_missing_arm_is_one_diagnostic(value: str) -> None:
    """E005 for a parameter, W201 for any other value; the place where the arm would stand is for tools."""
    text = ARMS.replace("        Amber => list_len([1, 2]),\n", "").replace(
        "match light", f"let light = light\n    match {value}"
    )
    for program in (text, text.replace("let light = light\n    ", "")):
        whole = f"enum Light {{ Red, Amber, Green, Blink(Int) }}\n\nfn main() -> Int {{ stop(Light::Red) }}\n\n{program}"
        found = [made for _, made in check_file(opened(whole), MAIN).shown(Source.from_text(whole))]
        assert len([made for made in found if made.code in ("E005", "W201")]) == 1
