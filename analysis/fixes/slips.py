"""Slips in a program of .ax, as opposed to programs of another language: a few fixes and the translation come to the same."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.applying import edited
from analysis.fixes.dialect.translate import translated
from analysis.formatting.formatter import Formatted, format_source
from analysis.text.source import Source

_WORDS: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|\w++|[^\w\s]')
_MOST_WORDS: Final = 12
"""Two fixes change fewer different words than these, however often each."""


def is_far(original: str, translation: str) -> bool:
    """True if a translation has so many other words than its original that no two fixes come to the same."""
    return len({*_WORDS.findall(original)} ^ {*_WORDS.findall(translation)}) > _MOST_WORDS


def means_the_same(fixed: str, translation: str) -> bool:
    """True if a partly fixed text holds no foreign form and equals the translation but for `&&` and `||`."""
    if fixed == translation:
        return True
    left = translated(fixed, protects=False)
    if left is not None and left.edits:
        return False
    again = translated(fixed)
    text = edited(Source.from_text(fixed), again.edits).text if again is not None else fixed
    formatted, expected = format_source(None, text), format_source(None, translation)
    return isinstance(formatted, Formatted) and formatted == expected
