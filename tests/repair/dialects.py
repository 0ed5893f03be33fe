"""Reads and writes the page of programs in other dialects: a draft, what repairs make of it, what that returns.

`python -m tests.repair.dialects` writes the repaired programs anew; look at the difference before you commit it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from analysis.codegen.compile import compile_file
from analysis.fixes.outcome import RepairOutcome
from analysis.fixes.repair import repair_file
from boruna_ls.runtime.forms import public
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.run import run_module
from boruna_ls.workspace import Host

PAGE = Path(__file__).with_name("dialects.md")
_EXAMPLE = re.compile(
    r"^## ([^\n]+)\n\n```ax draft result=([^\n]*)\n(.*?)```\n\n```ax repaired\n(.*?)```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Example:
    title: str
    result: str
    draft: str
    repaired: str


def examples() -> list[Example]:
    text = PAGE.read_text(encoding="utf-8")
    found = [Example(*match) for match in _EXAMPLE.findall(text)]
    assert len(found) == text.count("\n## "), "an example of the page is written in another form"
    return found


@cache
def _host() -> Host:
    """One for all texts: reading the libraries takes as long as repairing a program."""
    return Host()


def repaired(text: str) -> RepairOutcome:
    host = _host()
    return repair_file(host.db, host.inline(text))


def result_of(text: str) -> Any:
    """Result of a program, as JSON; a text with the reason where there is none."""
    host = _host()
    compiled = compile_file(host.db, host.inline(text), "module")
    if compiled.module is None:
        return f"refused: {compiled.errors[0].message}"
    outcome = run_module(compiled.module, Options())
    return f"fails: {outcome.error.message}" if outcome.error is not None else public(outcome.value)


def main() -> None:
    head = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    parts = [head.rstrip("\n")]
    for example in examples():
        made = repaired(example.draft).text
        result = json.dumps(result_of(made))
        parts.append(f"## {example.title}\n\n```ax draft result={result}\n{example.draft}```\n\n```ax repaired\n{made}```")
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
