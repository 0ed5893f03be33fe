"""JSON by the letter of RFC 8259: no NaN, no lone surrogates, no numbers that a float cannot hold, bounded nesting.

Integers beyond 64 bits and `-0` become floats, as readers with fixed types have it. Python's reader does the work; a text that
it refuses is read again by `json_scanner.py`, whose messages and places are those of the readers of workflows.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from analysis.workflow.json_scanner import DEEPEST, JsonError, Scanner

_LOWEST: Final = -(2**63)
_HIGHEST: Final = 2**64 - 1
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NESTING: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


class JsonDefect(ValueError):
    """The text is not strict JSON; the message says what is wrong, and where."""


def read_json(text: str, deepest: int | None = DEEPEST) -> Any:
    """The value of a document; of equal keys the last counts. Raises JsonDefect, without `deepest` also RecursionError."""
    if deepest is not None and _is_deeper(text, deepest):
        raise _first_defect(text, deepest)
    try:
        value = json.loads(text, parse_int=_integer, parse_float=_float, parse_constant=_constant)
    except ValueError:
        raise _first_defect(text, deepest) from None
    if "\\u" in text and _has_surrogate(value):
        raise _first_defect(text, deepest)
    return value


def _first_defect(text: str, deepest: int | None) -> JsonDefect:
    scanner = Scanner(text, deepest)
    try:
        scanner.any_value()
        scanner.end()
    except JsonError as error:
        return JsonDefect(str(error))
    return JsonDefect("not JSON")


def _is_deeper(text: str, deepest: int) -> bool:
    depth = 0
    for match in _NESTING.finditer(text):
        if match[0] in "[{":
            depth += 1
            if depth > deepest:
                return True
        elif match[0] in "]}":
            depth -= 1
    return False


def _integer(digits: str) -> int | float:
    # Texts of thousands of digits would be refused by `int`.
    if digits == "-0" or len(digits) > 20:
        return _float(digits)
    value = int(digits)
    return value if _LOWEST <= value <= _HIGHEST else float(value)


def _float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise ValueError(digits)
    return value


def _constant(name: str) -> Any:
    raise ValueError(name)


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
