"""Invented parts of a repair are applied, marked and never called verified."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.diagnostics.diagnostic import Severity
from analysis.fixes.repair import repair_file
from analysis.text.edits import Confidence
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
    assert [(row.line, row.message) for row in outcome.remaining] == [(line, "placeholder (`total` begins with `0`): replace it")]
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
    assert any(row.message.startswith("placeholder (") and row.line <= 2 for row in outcome.remaining)


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
    assert (row["confidence"], row["placeholder"], row["line"]) == ("medium", True, line)


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


_E = "enum E { %s }\nfn main() -> Int { match E::%s { _ => 1 } }\n"
GUESSED_NAMES = {
    "a variable of one letter": "fn main() -> Int {\n    let x = 1\n    let y = 2\n    z + y\n}\n",
    "a variable of one letter beside itself": "fn main() -> Int {\n    let mut s = 0\n    s = s + k\n    s\n}\n",
    "another number": "fn main() -> Int {\n    let place1 = 1\n    place2\n}\n",
    "a function with another number": "fn max2(a: Int, b: Int) -> Int { a }\nfn main() -> Int { max3(1, 2) }\n",
    "a function of one letter": "fn f1() -> Int { 1 }\nfn f2() -> Int { 2 }\nfn main() -> Int { f3() }\n",
    "two names equally near": "fn main() -> Int {\n    let cab = 1\n    let cat = 2\n    cax + cat\n}\n",
    "a field of one letter": "type P { x: Int, y: Int }\nfn main() -> Int {\n    let p = P { x: 1, y: 2 }\n    p.z\n}\n",
    "a given field of one letter": "type P { x: Int, y: Int }\nfn main() -> Int {\n    let p = P { x: 1, z: 2 }\n    p.x\n}\n",
    "a variant of one letter": _E % ("A, B", "C"),
    "a variant as near as another": _E % ("Bar, Baz", "Bat"),
    "a variant behind a dot": "enum E { Bar, Baz }\nfn main() -> Int { match E.Bat { _ => 1 } }\n",
    "a pattern": "enum E { Bar, Baz, C }\nfn of(e: E) -> Int { match e { Bat => 1, _ => 2 } }\nfn main() -> Int { of(E::C) }\n",
}
"""Programs with an unknown name that may mean several others."""


@pytest.mark.parametrize("name", GUESSED_NAMES)
def test_a_guessed_name_is_never_verified(name: str) -> None:
    outcome = repair_file(opened(GUESSED_NAMES[name]), MAIN)
    assert not outcome.verified
    assert outcome.remaining
    assert all(done.fix.confidence is not Confidence.LOW for done in outcome.applied)


def test_a_guessed_name_is_listed_and_marked() -> None:
    listed = check_answer(opened(GUESSED_NAMES["a variable of one letter"]), MAIN, "a.ax")["diagnostics"]
    (patch,) = [patch for row in listed for patch in row.get("patches", ()) if patch["id"] == "E003-rename-z"]
    assert (patch["placeholder"], patch["confidence"]) == (True, "low")


def test_a_variable_is_meant_rather_than_a_function() -> None:
    listed = check_answer(opened("fn f(a: Int, b: Int) -> Int { a + c }\nfn main() -> Int { f(1, 2) }\n"), MAIN, "a.ax")
    (patch,) = [patch for row in listed["diagnostics"] if row["id"] == "E003" for patch in row["patches"]]
    assert patch["description"] == "rename 'c' to 'a'"


SURE_NAMES = {
    "a variable": ("fn main() -> Int {\n    let total = 1\n    totl\n}\n", "    total\n"),
    "a swap": ("fn main() -> Int {\n    let height = 1\n    let weight = 2\n    heigth + weight\n}\n", "height + weight"),
    "a variant": (_E % ("Red, Green", "Grean"), "E::Green"),
    "another spelling": ("fn is_ok() -> Bool { true }\nfn main() -> Bool { isOk() }\n", "{ is_ok() }"),
    "the only field that is missing": (
        "type P { lo: Int, hi: Int }\nfn main() -> Int {\n    let p = P { lo: 1, high: 2 }\n    p.hi\n}\n",
        "P { lo: 1, hi: 2 }",
    ),
}
"""Program, and a part of its repair."""


@pytest.mark.parametrize("name", SURE_NAMES)
def test_a_name_that_means_one_thing_is_verified(name: str) -> None:
    program, part = SURE_NAMES[name]
    outcome = repair_file(opened(program), MAIN)
    assert part in outcome.text
    assert outcome.verified


def test_a_failure_that_is_only_hidden_is_told() -> None:
    """What a fix assigns to is no constant any more, so that the check is silent; the call fails as before."""
    outcome = repair_file(opened("fn main() -> Int {\n    let xs = [1]\n    list_push(xs, 2)\n    list_get(xs, 5)\n}\n"), MAIN)
    assert "xs = list_push(xs, 2)" in outcome.text
    assert not outcome.verified
    assert [(row.code, row.line) for row in outcome.remaining] == [("W109", 4)]


_UNWRAPPING = (Path(__file__).parents[2] / "libs/std-option/src/core.ax").read_text(encoding="utf-8")
INVENTED_MEANINGS = {
    "what is compared": 'fn main() -> Bool { "1" == 1 }\n',
    "the key of a map": (
        'fn main() -> Option<Int> {\n    let m = __builtin_map_set(map_new(), "a", 1)\n    __builtin_map_get(m, 1)\n}\n'
    ),
    "no first item": "fn main() -> Int { __builtin_list_head([3, 1]) + 1 }\n",
    "no number": 'fn twice(n: Int) -> Int { n * 2 }\nfn main() -> Int { twice(__builtin_int_parse("x")) }\n',
    "no first text": 'fn main() -> String { "x" ++ __builtin_list_head(["a"]) }\n',
}


@pytest.mark.parametrize("name", INVENTED_MEANINGS)
def test_an_invented_meaning_is_marked(name: str) -> None:
    outcome = repair_file(opened(INVENTED_MEANINGS[name], {"std-option": _UNWRAPPING}), MAIN)
    assert outcome.applied
    assert any(done.placed_at is not None for done in outcome.applied)
    assert not outcome.verified


def test_an_unwrapping_that_is_written_is_verified() -> None:
    program = "fn main() -> Int {\n    let n = __builtin_list_head([3, 1]).unwrap();\n    n + 1\n}\n"
    outcome = repair_file(opened(program, {"std-option": _UNWRAPPING}), MAIN)
    assert "option_unwrap(__builtin_list_head([3, 1]))" in outcome.text
    assert outcome.verified


def test_a_mean_keeps_its_fraction() -> None:
    outcome = repair_file(opened("fn main() -> Float {\n    let total = 3;\n    total / list_len([1, 2]);\n}\n"), MAIN)
    assert "total * 1.0 / list_len([1, 2])" in outcome.text
    assert not outcome.verified


@pytest.mark.parametrize("program", [row[0] for row in INVENTED.values()] + list(UNKNOWN_TYPES.values()))
def test_best_applies_nothing_of_low_confidence(program: str) -> None:
    assert all(done.fix.confidence is not Confidence.LOW for done in repair_file(opened(program), MAIN).applied)
