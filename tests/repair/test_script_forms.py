"""Forms and library functions of Python and JavaScript: each row of `script_forms.tsv` comes right by one verified repair.

A row holds the result type of `main`, its body with a pilcrow between lines, and the result as JSON.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.repair.dialects import repaired, result_of
from tests.repair.test_dialects import is_same

PAGE = Path(__file__).with_name("script_forms.tsv")


def test_forms_of_script_languages() -> None:
    rows = [line.split("\t") for line in PAGE.read_text("utf-8").strip().split("\n")[1:]]
    assert len(rows) > 300
    wrong = []
    for kind, body, expected in rows:
        lines = body.replace(" ¶ ", "\n    ")
        outcome = repaired(f"fn main() -> {kind} {{\n    {lines}\n}}\n")
        found = result_of(outcome.text)
        if not outcome.verified or not is_same(json.loads(expected), found):
            wrong.append((body, found, outcome.verified))
    assert wrong == []
