"""What a translation invents or guesses, and where it stands in the texts that it writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from analysis.text.edits import Edit


class FirstValue(NamedTuple):
    """A variable without a value that may be read before it gets one, and where the text of an edit invents the value."""

    edit: int
    offset: int
    name: str
    value: str


class Guess(NamedTuple):
    """A form that was chosen for a value whose type nothing says, and where it stands in the text of an edit."""

    edit: int
    offset: int
    meaning: str


def first_values(edits: tuple[Edit, ...], values: list[tuple[str, str]]) -> Iterator[FirstValue]:
    """Positions of the invented values."""
    for name, value in dict.fromkeys(values):
        declared = re.compile(rf"let mut {re.escape(name)}\b[^=\n]{{0,200}}+= {re.escape(value)}$", re.MULTILINE)
        for number, edit in enumerate(edits):
            for match in declared.finditer(edit.new_text):
                yield FirstValue(number, match.start(), name, value)


def placed(edits: tuple[Edit, ...], guesses: list[tuple[int, str, str]]) -> Iterator[Guess]:
    """Positions of guessed words; each guess has the offset of its item."""
    for start, word, meaning in guesses:
        number = max(number for number, edit in enumerate(edits) if edit.span[0] == start)
        yield Guess(number, max(0, edits[number].new_text.find(word)), meaning)
