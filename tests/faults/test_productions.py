"""Checks of sources that repeat one form: lines of Python are counted, not time, so the machine does not matter.
What a function of the interpreter does in one line (a search, a comparison of lists) is not seen here; the command sees it.

`python -m tests.faults.stretches --productions 40000 --grow` asks in all ways about all of them.
"""

from __future__ import annotations

import pytest

from analysis.diagnostics.check import check_file
from analysis.diagnostics.file_rules.file_problems import file_problems
from analysis.inputs import FileId, source
from analysis.text.source import Source
from tests.faults.hostile_sources import Lines, Measured, Stretches, measure
from tests.faults.stretches import MOST_GROWTH, productions

CHARACTERS = 8_000
LONGEST = 80_000
"""Lines between two checkpoints: about 5 ms."""


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """Modules that the first syntax error needs are loaded."""
    measure("fn f() -> Int {\n let = \n}\n")


def counted(name: str, characters: int) -> Measured:
    """What a check of a source takes, in lines."""
    text = productions(characters)[name](1.0)
    with Lines() as lines:
        return measure(text, lines)


@pytest.mark.parametrize(
    "name",
    [
        "unknown capabilities",
        "quotes",
        "nested whiles",
        "lines of an opening brace",
        "only semicolons",
        "texts of bad escapes",
        "bad characters",
        "letters that no name has",
        "else ifs",
        "declarations of another language",
        "'$\"' on a line",
    ],
)
def test_a_check_gives_way_inside_a_form(name: str) -> None:
    found = counted(name, CHARACTERS)
    assert found.longest < LONGEST, found


@pytest.mark.parametrize("name", ["functions and one that is there twice", "functions of one circle", "functions of an app"])
def test_rules_about_a_file_give_way_among_its_functions(name: str) -> None:
    """The check after an edit: what is about single functions is there already."""
    text = productions(10 * CHARACTERS)[name](1.0)
    stretches = Stretches(lines := Lines())
    branch = stretches.root.branch(stretches.give_way)
    file = FileId("", "inline", "hostile.ax")
    source.set(branch, file, Source.from_text(text))
    check_file(branch, file)
    source.set(branch, file, source(branch, file).edited(len(text), len(text), "fn last() -> Int { 1 }\n"))
    with lines:
        stretches.begin()
        file_problems(branch, file)
        stretches.note("end")
    assert stretches.longest < LONGEST / 5, stretches.where


def test_many_broken_statements_are_left_out_in_steps() -> None:
    found = counted("semicolons", 5 * CHARACTERS)
    assert found.longest < LONGEST, found


@pytest.mark.parametrize(("name", "characters"), [("else ifs", 4_000), ("'$\"' on a line", 4_000)])
def test_a_check_grows_with_the_form(name: str, characters: int) -> None:
    small, large = counted(name, characters), counted(name, 2 * characters)
    assert large.whole < MOST_GROWTH * small.whole


def test_a_literal_with_a_spread_costs_what_it_gives() -> None:
    def taken(fields: int, literals: int) -> float:
        declared = ", ".join(f"f{number}: Int" for number in range(fields))
        uses = "\n".join(f"  let x{number} = R {{ ..r, f1: {number} }}" for number in range(literals))
        with Lines() as lines:
            return measure(f"type R {{ {declared} }}\nfn f(r: R) -> Int {{\n{uses}\n  1\n}}\n", lines).whole

    few, many = (taken(fields, 200) - taken(fields, 100) for fields in (200, 2_000))
    assert many < 1.5 * few
