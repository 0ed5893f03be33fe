"""Calls of builtins on constants that never give what they are called for: empty slices, texts that are no numbers (W109)."""

from __future__ import annotations

import re
from typing import Final

_INT: Final = re.compile(r"[+-]?[0-9]++")
_FLOAT: Final = re.compile(
    r"[+-]?(?:inf|infinity|nan|(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:e[+-]?[0-9]++)?)", re.IGNORECASE | re.ASCII
)
_LOWEST: Final = -(2**63)
_MOST_DIGITS: Final = 4_000
"""Digits of a number that Python reads."""
_BLANKS: Final = (*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
_WHITE_SPACE: Final = "".join(map(chr, _BLANKS))
_GIVEN: Final = {
    "parse_int": "0", "try_parse_int": "Err", "__builtin_int_parse": "None", "__builtin_float_parse": "None",
}  # fmt: skip
PARSERS: Final = frozenset(_GIVEN)
SLICE: Final = "__builtin_string_slice"


def empty_slice(text: str, start: int, end: int) -> str | None:
    """What is wrong with a slice that is empty although it does not end where it begins; None if nothing is."""
    held = text.encode("utf-8", "surrogatepass")
    if start == end and 0 <= start <= len(held):
        return None
    if not 0 <= start <= len(held) or not 0 <= end <= len(held):
        return f"this slice is always empty: bytes {start} to {end} of a text of {len(held)}"
    if start > end:
        return f"this slice is always empty: it ends at byte {end}, before byte {start}"
    if any(held[at : at + 1] and 0x80 <= held[at] < 0xC0 for at in (start, end)):
        return "this slice is always empty: it cuts through a character"
    return None


def impossible_parse(name: str, text: str) -> str | None:
    """What a parser gives for a text that is no number; None for one that is."""
    if name == "__builtin_float_parse":
        return None if _FLOAT.fullmatch(text) else "this always gives None: the text is no Float"
    digits = text.strip(_WHITE_SPACE) if name in ("parse_int", "try_parse_int") else text
    if len(digits) > _MOST_DIGITS or (_INT.fullmatch(digits) and _LOWEST <= int(digits) < -_LOWEST):
        return None
    return f"this always gives {_GIVEN[name]}: the text is no Int"
