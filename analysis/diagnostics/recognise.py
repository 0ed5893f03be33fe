"""Finds the diagnostic that a text is about: by a code in it, a message of a check, or words of the table of codes."""

from __future__ import annotations

import re
from typing import Final

from analysis.diagnostics.codes import CODES

_CODE: Final = re.compile(r"\b([EWPH]\d{3})\b")
_QUOTED: Final = re.compile(r"'[^']*+'|`[^`]*+`|\"[^\"]*+\"")
_WORD: Final = re.compile(r"[a-z]{3,}+")
_PHRASES: Final = (
    ("undefined variable", "E003"), ("undefined function", "E004"), ("non-exhaustive match", "E005"), ("unknown field", "E006"),
    ("must be pure", "E007"), ("undefined:", "E008"), ("type mismatch", "E009"), ("did not form", "E002"), ("expected", "E002"),
    ("unexpected character", "E001"), ("unterminated", "E001"), ("unknown enum", "E008"), ("expects", "E009"),
)  # fmt: skip
_ENOUGH: Final = 2


def recognised(text: str) -> str:
    """The code that an error message or a diagnostic is about; "" if unknown."""
    for candidate in _CODE.findall(text):
        if candidate in CODES:
            return str(candidate)
    low = _QUOTED.sub(" ", text).lower()
    for phrase, code in _PHRASES:
        if phrase in low:
            return code
    words = set(_WORD.findall(low))
    scores = {
        entry.code: len(words & {*_WORD.findall(entry.summary.lower()), *entry.name.split("-")}) for entry in CODES.values()
    }
    best = max(scores, key=lambda code: scores[code])
    return best if scores[best] >= _ENOUGH else ""
