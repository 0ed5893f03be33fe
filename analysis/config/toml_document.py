"""Reads a TOML document against a table of fields: what is valid, and what is wrong, with places.

A mistake costs the setting that it is in, never the rest; a document that is no TOML counts as empty.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from analysis.config.schema import Table, read
from analysis.config.toml_places import Places, Span, places

LONGEST: Final = 1 << 16
"""Characters of a document."""
MOST_PROBLEMS: Final = 100
"""Those told; when they are corrected the others are."""
MOST_DOTS: Final = 200
"""In one line: each dot of a key is a table, and the standard library's reader takes the square of their number."""
_PLACE: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class Problem(NamedTuple):
    """A defect, as a sentence without a full stop, and its place; `line` counts from 1, 0 for the whole document."""

    message: str
    span: Span
    line: int


class Document(NamedTuple):
    """The valid part of a document. `is_readable` is False if it is no TOML, or too large."""

    values: dict[str, Any]
    problems: tuple[Problem, ...] = ()
    is_readable: bool = True


def read_toml(text: str, table: Table) -> Document:
    """The fields of a document."""
    if reason := too_much(text):
        return Document({}, (Problem(reason, (0, 0), 0),), is_readable=False)
    # Few programs have settings; the others do not wait for this.
    import tomllib

    try:
        parsed = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Document({}, (_syntax_error(text, str(error)),), is_readable=False)
    values, defects = read(table, parsed)
    where = places(text) if defects else Places()
    placed = sorted((where.span(defect.path, defect.on_key), defect.message) for defect in defects)[:MOST_PROBLEMS]
    problems = (Problem(message, span, text.count("\n", 0, span[0]) + 1) for span, message in placed)
    return Document(values, tuple(problems))


def too_much(text: str) -> str:
    """Reason why a text is too large to read; "" if it is not."""
    if len(text) > LONGEST:
        return f"it has {len(text)} characters, more than {LONGEST}"
    number = next((number for number, line in enumerate(text.split("\n"), 1) if line.count(".") > MOST_DOTS), 0)
    return f"line {number} has more than {MOST_DOTS} dots: write one pattern on a line" if number else ""


def _syntax_error(text: str, words: str) -> Problem:
    match = _PLACE.search(words)
    if match is None:
        return Problem(words, (0, 0), 0)
    lines = text.split("\n")
    if match[1] is None:
        return Problem(words[: match.start()], (len(text), len(text)), len(lines))
    line = int(match[1])
    at = min(sum(len(before) + 1 for before in lines[: line - 1]) + int(match[2]) - 1, len(text))
    return Problem(words[: match.start()], (at, min(at + 1, len(text))), line)
