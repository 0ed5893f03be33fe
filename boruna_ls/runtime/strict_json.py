"""JSON by the letter of RFC 8259: no NaN, no lone surrogates, no numbers that a float cannot hold, bounded nesting.

Integers beyond 64 bits and `-0` become floats, as readers with fixed types have it.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

_DEEPEST: Final = 127
_LOWEST: Final = -(2**63)
_HIGHEST: Final = 2**64 - 1
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NESTING: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


class JsonDefect(ValueError):
    """The text is not strict JSON; the message says what is wrong, and where."""


def read_json(text: str, deepest: int | None = _DEEPEST) -> Any:
    """The value of a document; of equal keys the last counts. Raises JsonDefect, without `deepest` also RecursionError."""
    if deepest is not None:
        _check_nesting(text, deepest)
    try:
        value = json.loads(text, parse_int=_integer, parse_float=_float, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise JsonDefect(f"{error.msg.lower()} at line {error.lineno} column {error.colno}") from None
    if "\\u" in text and _has_surrogate(value):
        match = re.search(r"\\u[dD][89a-fA-F]", text)
        raise _defect("lone surrogate in an escape", text, match.start() if match else 0)
    return value


def _check_nesting(text: str, deepest: int) -> None:
    depth = 0
    for match in _NESTING.finditer(text):
        if match[0] in "[{":
            depth += 1
            if depth > deepest:
                raise _defect(f"nested deeper than {deepest} levels", text, match.start())
        elif match[0] in "]}":
            depth -= 1


def _defect(what: str, text: str, offset: int) -> JsonDefect:
    before = text[:offset]
    return JsonDefect(f"{what} at line {before.count(chr(10)) + 1} column {offset - before.rfind(chr(10))}")


def _integer(digits: str) -> int | float:
    # Texts of thousands of digits would be refused by `int`.
    if digits == "-0" or len(digits) > 20:
        return _float(digits)
    value = int(digits)
    return value if _LOWEST <= value <= _HIGHEST else float(value)


def _float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise JsonDefect(f"number out of range: {digits[:40]}")
    return value


def _constant(name: str) -> Any:
    raise JsonDefect(f"{name} is no JSON value")


def _has_surrogate(value: Any) -> bool:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            if _SURROGATE.search(part):
                return True
        elif isinstance(part, dict):
            waiting += part.keys()
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return False
