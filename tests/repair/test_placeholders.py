"""Invented parts of a repair are applied, marked and never called verified."""

from __future__ import annotations

import pytest

from analysis.diagnostics.diagnostic import Severity
from analysis.fixes.repair import repair_file
from boruna_ls.answers.check import check_answer
from boruna_ls.answers.repair import repair_answer
from tests.support.marked import MAIN, opened

_LIGHT = "enum L { Red, Green }\nfn of(l: L) -> Int {\n    match l {\n        Red => 1,\n    }\n}\n"
INVENTED = {
    "a missing argument": (
        "fn sum(a: Int, b: Int) -> Int { a + b }\nfn main() -> Int { sum(1) }\n",
        "sum(1, 0)",
        2,
    ),
    "a missing arm": (
        f"{_LIGHT}fn main() -> Int {{ of(L::Red) }}\n",
        "Green => 0",
        5,
    ),
    "a missing field": (
        "type P { x: Int, y: Int }\nfn main() -> Int {\n    let p = P { x: 1 }\n    p.x\n}\n",
        "y: 0",
        3,
    ),
    "a missing branch": ("fn main() -> Int {\n    if 1 > 2 { 3 }\n}\n", "else { 0 }", 2),
}
"""Program, what is invented, its line in the repaired text."""


@pytest.mark.parametrize("name", INVENTED)
def test_what_is_invented_is_marked(name: str) -> None:
    program, invented, line = INVENTED[name]
    outcome = repair_file(opened(program), MAIN)
    assert invented in outcome.text.split("\n")[line - 1]
    assert [done.placed_at for done in outcome.applied] == [line]
    assert [(row.line, row.severity) for row in outcome.remaining] == [(line, Severity.WARNING)]
    assert not outcome.verified


def test_lines_count_in_the_repaired_text() -> None:
    """A later fix above the invented value moves it."""
    missing = "type P { x: Int, y: Int }\nfn made() -> P { P { x: 1 } }\n"
    program = f"{_LIGHT}{missing}fn main() -> Int {{ made().x }}\n"
    outcome = repair_file(opened(program), MAIN)
    rows = outcome.text.split("\n")
    places = {done.code: rows[(done.placed_at or 0) - 1].strip() for done in outcome.applied}
    assert places == {"E005": "Green => 0,", "W302": "fn made() -> P { P { x: 1, y: 0 } }"}


def test_a_misspelling_is_verified() -> None:
    answer = repair_answer(opened("fn main() -> Int {\n    let total = 1\n    totl\n}\n"), MAIN, None, None)
    assert answer["verify_passed"] is True
    assert "placeholder" not in answer["applied"][0]
    assert "remaining" not in answer


LEFT_ALONE = {
    "bits or a power": "let x = 7 ^ 3\n    x",
    "bits: not": "let x = ~3\n    x",
    "an unknown operator": "let x = 3 @ 4\n    x",
    "a format that has no counterpart": 'let n = 3\n    f"{n:03}"',
    "a slice in a text": 'let xs = [1, 2]\n    f"{xs[1:]} a"',
    "a value behind a comma": "let x = 1, 2\n    x",
}
"""Statements of which nobody can say what they mean: every change that parses would lose or change something."""


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_what_can_only_be_guessed_is_left_alone(name: str) -> None:
    program = f"fn main() -> Int {{\n    {LEFT_ALONE[name]}\n}}\n"
    outcome = repair_file(opened(program), MAIN)
    assert (outcome.text, outcome.applied, outcome.verified) == (program, (), False)
    assert {row.line for row in outcome.remaining} <= {2, 3}
    assert outcome.remaining


def test_the_only_guess_that_fits_is_taken_and_told() -> None:
    program = "fn main() -> Int {\n    match Some(1) {\n        Some(x) => x,\n        None, => 0,\n    }\n}\n"
    outcome = repair_file(opened(program), MAIN)
    assert outcome.text == program.replace("None,", "None")
    assert [done.fix.confidence.value for done in outcome.applied] == ["medium"]
    assert [(row.line, row.message) for row in outcome.remaining] == [(4, "a guess (remove `,`): check it")]
    assert not outcome.verified


def test_a_first_value_that_may_be_read_is_invented() -> None:
    """A variable without a value begins with a zero; that is told unless every way assigns it first."""
    program = (
        "fn of(c: Bool, n: Int) -> Int {\n"
        "    let x: Int;\n"
        "    if c { x = 1; } else { x = 2; }\n"
        "    let mut total: Int;\n"
        "    for i in 0..n { total += i; }\n"
        "    return x + total;\n"
        "}\n"
        "fn main() -> Int { of(true, 3) }\n"
    )
    outcome = repair_file(opened(program), MAIN)
    rows = outcome.text.split("\n")
    (line,) = [done.placed_at for done in outcome.applied if done.placed_at is not None]
    assert rows[line - 1].strip() == "let mut total: Int = 0"
    assert [(row.line, row.message) for row in outcome.remaining] == [
        (line, "a placeholder (`total` begins with `0`): write the real value")
    ]
    assert not outcome.verified
    without = program.replace("    let mut total: Int;\n", "    let mut total: Int = 0;\n")
    assert repair_file(opened(without), MAIN).verified


UNKNOWN_TYPES = {
    "a length": "fn size(x) -> Int { return len(x); }\nfn main() -> Int { 3 }\n",
    "a length by a method": "fn size(x) -> Int { return x.size(); }\nfn main() -> Int { 3 }\n",
    "a length in a text": 'fn size(x) -> String { return f"{len(x)} signs"; }\nfn main() -> Int { 3 }\n',
    "a part": "fn part(x) { return x[1:]; }\nfn main() -> Int { 3 }\n",
    "an item": "fn item(x) { return x[1]; }\nfn main() -> Int { 3 }\n",
    "membership": "fn has(x, y) -> Bool { if y in x { return true; }\n    return false; }\nfn main() -> Int { 3 }\n",
    "a turned value": "fn turned(x) { return reversed(x); }\nfn main() -> Int { 3 }\n",
    "a division of numbers where a fraction is wanted": "def half() -> float:\n    return 7 / 2\nfn main() -> Int { 3 }\n",
}
"""The code depends on the type of `x`, or on the language, and the text determines neither."""


@pytest.mark.parametrize("name", UNKNOWN_TYPES)
def test_a_form_that_a_type_decides_is_a_guess_where_nothing_says_the_type(name: str) -> None:
    outcome = repair_file(opened(UNKNOWN_TYPES[name]), MAIN)
    assert outcome.applied
    assert not outcome.verified
    assert any(row.message.startswith("a placeholder (") and row.line <= 2 for row in outcome.remaining)


def test_what_fails_when_it_runs_is_told() -> None:
    """A value of another type behind a function's result, which no check sees."""
    program = 'fn one(xs: List<String>) {\n    return list_get(xs, 0)\n}\nfn main() -> Int {\n    list_len(one(["abc"]);\n}\n'
    outcome = repair_file(opened(program), MAIN)
    assert "list_len(one(" in outcome.text
    assert not outcome.verified
    assert [(row.line, row.message) for row in outcome.remaining] == [
        (5, "a value of type String where a List is needed: it fails when it runs")
    ]


def test_a_statement_that_is_taken_away_is_told() -> None:
    program = 'def main() -> str:\n    xs = ["a", "ccc", "bb"]\n    return heapq.nlargest(1, xs, key=len)\n'
    assert not repair_file(opened(program), MAIN).verified


def test_applied_patches_tell_how_sure_they_are() -> None:
    sure = repair_answer(opened("fn main() -> Int {\n    let total = 1\n    totl\n}\n"), MAIN, None, None)
    assert [row["confidence"] for row in sure["applied"]] == ["medium"]
    program, _, line = INVENTED["a missing argument"]
    (row,) = repair_answer(opened(program), MAIN, None, None)["applied"]
    assert (row["confidence"], row["placeholder"], row["line"]) == ("low", True, line)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("name", INVENTED)
def test_patches_of_a_check_tell_where_they_invent_something(name: str, ends: str) -> None:
    program, invented, line = INVENTED[name]
    db = opened(program.replace("\n", ends))
    patches = [patch for row in check_answer(db, MAIN, "a.ax")["diagnostics"] for patch in row.get("patches", ())]
    place = next(patch["placeholder_at"] for patch in patches if patch.get("placeholder"))
    assert place["line"] == line
    assert place["text"] in invented.removesuffix("}").strip() or invented in place["text"]
    assert all(("placeholder_at" in patch) is patch.get("placeholder", False) for patch in patches)
