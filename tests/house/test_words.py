"""Code asks for a diagnostic's topic, a fix's kind and an error's production: no rule reads a message, an id or a new text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
WORDS: Final = frozenset(("advice", "description", "help", "id", "message", "new_text", "rationale", "slug", "why"))
"""Attributes that hold what people read."""
ASKING: Final = frozenset(
    ("startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix", "find", "index", "count", "split")
)
MATCHING: Final = frozenset(("match", "fullmatch", "search", "findall", "finditer"))
ALLOWED: Final = {
    "analysis/text/edits.py": "`Edit.begins_line`: where the written text begins decides where a diagnostic about it points",
    "analysis/fixes/dialect/translate.py": "the text that a translation writes is split into lines, and parsed again",
    "analysis/fixes/dialect/tree/guesses.py": "a guess stands where its word is in the text that a translation writes",
    "analysis/ide/server_tools.py": "the description that a server gives of a parameter is shortened",
}
"""Modules that look at such a text itself, and why."""


def _reads_words(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Attribute) and each.attr in WORDS for each in ast.walk(node))


def _holds_text(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in ast.walk(node))


def questions(text: str) -> Iterator[int]:
    """Lines on which a text for people is compared with a literal, searched, or taken apart."""
    if not any(f".{word}" in text for word in WORDS):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(_reads_words(side) and not _holds_text(side) for side in sides) and any(_holds_text(side) for side in sides):
                yield node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            asks = node.func.attr in ASKING and _reads_words(node.func.value)
            matches = node.func.attr in MATCHING and any(_reads_words(argument) for argument in node.args)
            if asks or matches:
                yield node.lineno


def test_no_rule_reads_what_people_read() -> None:
    """A message may be reworded, an id renamed, an edit written otherwise: nothing else changes."""
    found: dict[str, list[int]] = {}
    for path in sorted((ROOT / "analysis").rglob("*.py")):
        if lines := list(questions(path.read_text(encoding="utf-8"))):
            found[path.relative_to(ROOT).as_posix()] = lines
    assert {path: lines for path, lines in found.items() if path not in ALLOWED} == {}
    assert set(ALLOWED) <= set(found), "a reason without its code"


def test_questions_are_found() -> None:
    """The forms that rules had."""
    for text in (
        'error.message.endswith("defined twice")',
        'fix.id == "E002-translate"',
        "PATTERN.match(fix.id)",
        'f"needs {name}" in diagnostic.message',
        'error.message.partition(", found")[0]',
        '{edit.new_text for edit in edits} == {""}',
        'edit.new_text in ("let", "var")',
    ):
        assert list(questions(text)) == [1], text
    assert not list(questions("error.message == other.message"))
