"""The example of docs/query-database.md does what the page says."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "query-database.md"


def test_the_worked_example_runs_as_shown() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 4
    declarations, edit, log, branch = blocks
    names: dict[str, Any] = {"__name__": "example"}
    exec(declarations, names)
    assert names["outline"](names["db"], "main.ax") == "fn a()\nfn b()"
    exec(edit, names)
    question, shown = re.fullmatch(r">>> (.*?)\n(.*)", log, re.S).groups()  # type: ignore[union-attr]
    assert eval(question, names) == ast.literal_eval(shown)
    exec(branch, names)
    assert names["outline"](names["branch"], "main.ax") == "fn a()\nfn c()"
    assert names["outline"](names["db"], "main.ax") == "fn a()\nfn b()"
