"""Reads and writes the page of examples: under each heading a broken text and the text that the repairs make of it.

`python -m tests.repair.pages` writes the second half of each example anew; look at the difference before you commit it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from analysis.suggestions.broken_text import candidates, mistake
from analysis.text.source import Source
from tests.repair.breaking import arities, errors, repaired

PAGE = Path(__file__).with_name("syntax_repairs.md")
ROUNDS = 9
_EXAMPLE = re.compile(
    r"^## ([^\n]+)\n\n```ax broken line=(\d+) id=(\S+)\n(.*?)```\n\n```ax repaired\n(.*?)```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Example:
    """`line` is where the first mistake is told, `patch_id` the best patch of the first error."""

    title: str
    line: int
    patch_id: str
    broken: str
    repaired: str


def examples() -> list[Example]:
    text = PAGE.read_text(encoding="utf-8")
    found = [Example(m[1], int(m[2]), m[3], m[4], m[5]) for m in _EXAMPLE.finditer(text)]
    assert len(found) == text.count("\n## "), "an example of the page is written in another form"
    return found


def first_mistake(text: str) -> tuple[int, str]:
    """The line of the first mistake and the first patch's id."""
    known = arities(text)
    offset, chunk, tree, error = next(errors(text))
    found, fixes = mistake(chunk, tree, error, known), candidates(chunk, tree, error, known)
    line = Source.from_text(text).position(offset + found.span[0])[0] + 1 if found else 0
    return line, fixes[0].id if fixes else "-"


def written(title: str, broken: str) -> str:
    line, patch_id = first_mistake(broken)
    return f"## {title}\n\n```ax broken line={line} id={patch_id}\n{broken}```\n\n```ax repaired\n{repaired(broken, ROUNDS)}```\n"


def main() -> None:
    head = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    PAGE.write_text(
        "\n".join([head + "\n", *(written(example.title, example.broken) for example in examples())]), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
