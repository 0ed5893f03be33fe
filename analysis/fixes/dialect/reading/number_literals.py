"""Numbers of every dialect: bases, signs between digits, exponents, and suffixes of types (`3u8`, `20m`, `1_000L`)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_NUMBER: Final = re.compile(r"0x[\da-f_]+|0b[01_]+|0o[0-7_]+|\d[\d_]*(?:\.(?:\d[\d_]*|(?=[ \n),;])))?(?:e[+-]?\d+)?", re.I | re.A)
_SUFFIX: Final = re.compile(r"_?(?:[iu](?:8|16|32|64|128|size)|f(?:32|64)?|[uU]?[lL]{1,2}|[uU]|[dfmMn])(?![A-Za-z0-9_])")


class Number(NamedTuple):
    """`text` is the spelling in `.ax`, `digits` what was written; `is_decimal` if it counts in tenths, as `19.90m` does."""

    text: str
    digits: str
    end: int
    is_int: bool
    is_decimal: bool


def number_at(text: str, start: int) -> Number:
    """The number that begins at an offset where a digit stands."""
    match = _NUMBER.match(text, start)
    assert match is not None
    suffix = _SUFFIX.match(text, match.end())
    kind = suffix[0].lstrip("_")[0] if suffix else ""
    end = suffix.end() if suffix else match.end()
    digits = match[0].replace("_", "")
    if digits[:2].lower() in ("0x", "0b", "0o"):
        return Number(str(int(digits, 0)), digits, end, is_int=True, is_decimal=False)
    if "." in digits or "e" in digits.lower():
        return Number(_decimal(float(digits)), digits, end, is_int=False, is_decimal=kind in ("m", "M"))
    if kind and kind in "fdmM":
        return Number(f"{digits}.0", digits, end, is_int=False, is_decimal=kind in ("m", "M"))
    return Number(digits.lstrip("0") or "0", digits, end, is_int=True, is_decimal=False)


def _decimal(value: float) -> str:
    written = f"{value:.15f}".rstrip("0")
    return f"{written}0" if written.endswith(".") else written
