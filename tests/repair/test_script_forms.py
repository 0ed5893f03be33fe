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


@pytest.mark.parametrize("page", PAGES)
def test_forms(page: str) -> None:
    text = Path(__file__).with_name(f"{page}.tsv").read_text("utf-8")
    rows = [line.split("\t") for line in text.strip().split("\n")[1:]]
    assert len(rows) > PAGES[page]
    wrong = []
    for kind, body, expected, *before in rows:
        lines = body.replace(" ¶ ", "\n" if kind == "-" else "\n    ")
        items = "".join(f"{each}\n\n" for each in before).replace(" ¶ ", "\n    ")
        outcome = repaired(f"{lines}\n" if kind == "-" else f"{items}fn main() -> {kind} {{\n    {lines}\n}}\n")
        found = result_of(outcome.text)
        if outcome.verified == (page == "doubtful_forms") or not is_same(json.loads(expected), found):
            wrong.append((body, found, outcome.verified))
    assert wrong == []
