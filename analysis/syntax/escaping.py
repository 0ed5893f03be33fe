"""The characters that are shown escaped where a text is quoted (spec chapter 01 section 11)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_CATEGORIES: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Mn", "Me"))
_EXTENDING: Final = (
    "FF9E FF9F 09BE 09D7 0B3E 0B57 0BBE 0BD7 0CC0 0CC2 0CC7 0CC8 0CCA 0CCB 0CD5 0CD6 0D3E 0D57 0DCF 0DDF 1715 1734 1B35 1B3B "
    "1B3D 1B43 1B44 1BAA 1BF2 1BF3 302E 302F A953 A9C0 111C0 11235 1133E 1134D 11357 114B0 114BD 115AF 116B6 11930 1193D "
    "16FF0 16FF1 1D165 1D166 1D16D 1D16E 1D16F 1D170 1D171 1D172"
)
"""Other_Grapheme_Extend: marks that a terminal would join with the character before them."""


_EXTENDING_SET: Final = frozenset(chr(int(number, 16)) for number in _EXTENDING.split())
_SUSPECT: Final = re.compile(r'["\\\x00-\x1f]|[^\x00-\x7e]')
_NAMED: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}


def quoted(text: str) -> str:
    """A text in double quotes with everything unprintable escaped."""
    return '"' + _SUSPECT.sub(_escaped, text) + '"'


def escaped(text: str) -> str:
    """A text with everything unprintable escaped."""
    return _SUSPECT.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character in _NAMED:
        return _NAMED[character]
    if character in _EXTENDING_SET or unicodedata.category(character) in _CATEGORIES:
        return f"\\u{{{ord(character):x}}}"
    return character
