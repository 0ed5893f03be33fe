"""Texts of others inside our sentences: quoted, with everything escaped that cannot be seen (spec chapter 11 section 7.5)."""

from __future__ import annotations

import unicodedata
from typing import Final

_SHORT: Final = {'"': '\\"', "\\": "\\\\", "\0": "\\0", "\t": "\\t", "\r": "\\r", "\n": "\\n"}
_HIDDEN: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Mn", "Me"))


def quoted(text: str) -> str:
    """`text` in double quotes."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if (short := _SHORT.get(character)) is not None:
        return short
    if character != " " and unicodedata.category(character) in _HIDDEN:
        return f"\\u{{{ord(character):x}}}"
    return character


def float_text(value: float) -> str:
    """A finite float as JSON: the shortest digits, positional for 1e-5 ≤ |x| < 1e16 (spec chapter 12 section 1.3)."""
    text = repr(value)
    digits, _, exponent = text.partition("e")
    if not exponent:
        return text
    power = int(exponent)
    if power == -5:
        # Python changes to exponents one power earlier.
        sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
        return f"{sign}0.0000{digits.replace('.', '')}"
    return f"{digits}e{power:+d}" if power > 0 else f"{digits}e{power}"
