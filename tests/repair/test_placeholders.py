"""What a repair invents is applied, marked and never called verified."""

from __future__ import annotations

import pytest

from analysis.diagnostics.diagnostic import Severity
from analysis.fixes.engine import repair_file
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
