"""String literals in a text: most are found by a regular expression, long ones piece by piece, so that others can go first.

A regular expression runs through a string of a megabyte in twenty milliseconds, in which no other thread runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

STRING: Final = r'"[^"\\]{0,4000}+(?:\\.[^"\\]{0,4000}+){0,20}+"'
"""A closed string that is neither long nor has many escapes; `closing_quote` finds the end of the others. Under re.DOTALL a
backslash may stand before a line feed."""
_PIECES: Final = r'(?:[^"\\]{1,4000}+|\\.){1,20}+'
_INSIDE: Final = re.compile(_PIECES)
_INSIDE_DOTALL: Final = re.compile(_PIECES, re.DOTALL)


def behind(pieces: re.Pattern[str], text: str, position: int, pause: Callable[[], None]) -> int:
    """The place from `position` on where no further piece follows; `pause` is called between two."""
    while (piece := pieces.match(text, position)) is not None:
        pause()
        position = piece.end()
    return position


def closing_quote(text: str, start: int, pause: Callable[[], None], dotall: bool = False) -> int | None:
    """Place of the quote that ends the string at `start`; None if it is left open.

    With `dotall` a backslash may stand before a line feed. Then, whether a quote is escaped does not depend on where a string
    begins: behind one that is left open, all are.
    """
    place = behind(_INSIDE_DOTALL if dotall else _INSIDE, text, start + 1, pause)
    return place if text.startswith('"', place) else None
