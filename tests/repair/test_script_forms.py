"""Forms and library functions of other languages: each row of the pages comes right by one verified repair.

`script_forms.tsv`: Python, JavaScript, Ruby, PHP, Lua and Perl; `functional_forms.tsv`: Haskell, Scala, Elm and Elixir;
`systems_forms.tsv`: Go, C, C++, Zig, Dart, Kotlin, Swift, C# and Java. What depends on the order in which entries were put
into a map that is not made in its
place, as in `doubtful_forms.tsv`, is marked, and so not verified.

A row holds the result type of `main`, its body with a pilcrow between lines, the result as JSON, and what stands before `main`;
in `program_forms.tsv` a dash, a whole program and its result.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repair.dialects import repaired, result_of
from tests.repair.test_dialects import is_same

PAGES = {"script_forms": 300, "functional_forms": 70, "systems_forms": 120, "program_forms": 15, "doubtful_forms": 1}
"""Pages, and how many rows each has at least."""


TOGETHER = 20
"""Rows of one test: small enough for a run to deal them out to several processes."""


def rows_of(page: str) -> list[list[str]]:
    text = Path(__file__).with_name(f"{page}.tsv").read_text("utf-8")
    return [line.split("\t") for line in text.strip().split("\n")[1:]]


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_whole(page: str) -> None:
    assert len(rows_of(page)) > PAGES[page]


@pytest.mark.parametrize(("page", "first"), [(page, first) for page in PAGES for first in range(0, len(rows_of(page)), TOGETHER)])
def test_forms(page: str, first: int) -> None:
    wrong = []
    for kind, body, expected, *before in rows_of(page)[first : first + TOGETHER]:
        lines = body.replace(" ¶ ", "\n" if kind == "-" else "\n    ")
        items = "".join(f"{each}\n\n" for each in before).replace(" ¶ ", "\n    ")
        outcome = repaired(f"{lines}\n" if kind == "-" else f"{items}fn main() -> {kind} {{\n    {lines}\n}}\n")
        found = result_of(outcome.text)
        if outcome.verified == (page == "doubtful_forms") or not is_same(json.loads(expected), found):
            wrong.append((body, found, outcome.verified))
    assert wrong == []
