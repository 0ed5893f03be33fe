"""Formats in the braces of texts: `{x:.2f}`, `{x:>8}`, `{total,8:F2}`. Each becomes a call behind the value."""

from __future__ import annotations

import re
from typing import Final

from analysis.database.caches import cached

_FORMAT: Final = re.compile(r"(.*[^:]):(?:\.(\d+)f|[FfN](\d)|([<>])(\d+)|(0)(\d+)d?|D(\d+)|[dsD]?)$", re.DOTALL)
_SPEC: Final = re.compile(r"(.*[^:\s]):((?:.?[<>^])?\+?0?\d*,?(?:\.\d+)?[dsfbxXo%]?)$", re.DOTALL)
"""A value and its format in a brace of `f"…"`."""
_NESTED: Final = re.compile(r"([^{}:]{1,80}):(?:(.)?([<>^]))?(0)?\{(\w{1,40})\}[ds]?$")
_DECIMALS: Final = re.compile(r"([^{}:]{1,80}):\.\{(\w{1,40})\}f$")
"""Formats whose width or whose decimals another brace gives."""
_SIDES: Final = {"<": "padEnd", ">": "padStart", "^": "center_format"}
_ALIGNED: Final = re.compile(r"([^,:()\[\]{}\"']{1,80}),(-?\d{1,2})(?::([FfN]\d|D\d))?$")
"""A value and its width in a brace of C#."""
_OF_SCALA: Final = re.compile(r"\bval \w|(?<!\w)s\"[^\"\n]{0,200}\$|\$\w{1,40}%[-0-9.a-z]|\}%[-0-9.,+]{0,8}[a-zA-Z]")


_QUOTING: Final = re.compile(r"""\{[A-Za-z_][\w.]{0,60}\((?:[\w.]{1,40}, ?)?"(?:[^"\w\n\\]|\\.){0,5}"\)\}""")


def opens_code(text: str, at: int, php: re.Pattern[str]) -> bool:
    """True if a brace in a text without a mark opens code: `{$x` in a program of PHP, a call with a quoted separator.

    `"{words.join(", ")}"` ends at none of its inner quotes.
    """
    return (text.startswith("{$", at) and php.search(text) is not None) or _QUOTING.match(text, at) is not None


@cached(2)
def marks_values(text: str) -> bool:
    """True for a program whose texts `f"…"` show a value behind a dollar, as in Scala; else a dollar in them is one."""
    return _OF_SCALA.search(text) is not None


def formatted(code: str) -> str:
    """The code in a brace with its format as a call."""
    if aligned := _ALIGNED.match(code):
        # `{total,8:F2}` of C#.
        value = formatted(f"{aligned[1]}:{aligned[3]}") if aligned[3] else f"({aligned[1]}).to_string()"
        return f"{value}.{'padEnd' if aligned[2].startswith('-') else 'padStart'}({aligned[2].lstrip('-')})"
    return with_format(code)


def with_format(code: str) -> str:
    """The code in a brace of `f"…"` with its format as a call: `x:.2f`, `x:>8`, `x!r`; another format stays, and is not read."""
    if code.endswith("!r"):
        return f"({code[:-2]}).python_repr()"
    if decimals_of := _DECIMALS.match(code):
        return f"({decimals_of[1]}).toFixed({decimals_of[2]})"
    if (nested := _NESTED.match(code)) and nested[2] not in ('"', "\\"):
        value, fill, side, zero, width = nested.groups()
        if zero:
            return f"({value}).to_string().zfill({width})"
        if side:
            return f'({value}).to_string().{_SIDES[side]}({width}, "{fill or " "}")'
        return f"({value}).pad_format({width})"
    match = _FORMAT.match(code)
    if match is None:
        spec = _SPEC.match(code)
        if spec is None or not spec[2] or '"' in spec[2]:
            return code
        return f'({spec[1]}).shown_as("{spec[2]}")'
    value, decimals, digits, side, width, zero, zeros, numerals = match.groups()
    if decimals is not None or digits is not None:
        return f"({value}).toFixed({decimals or digits})"
    if zero is not None or numerals is not None:
        return f"({value}).to_string().zfill({zeros or numerals})"
    if width is not None:
        return f"({value}).to_string().{'padStart' if side == '>' else 'padEnd'}({width})"
    return value
