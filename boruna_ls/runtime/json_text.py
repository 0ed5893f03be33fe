"""JSON text of plain data without recursion, floats and escapes as in the canonical form of logs (chapter 12 section 1.3)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Final

from boruna_ls.runtime.quoting import float_text

_NESTING: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)


def compact(data: Any) -> str:
    """Without blanks, keys in the order of the data."""
    return "".join(_written(data, "", ""))


def pretty(data: Any) -> Iterator[str]:
    """JSON text in pieces, two blanks for each level, one item a line."""
    return _written(data, "\n", "  ")


def _written(data: Any, newline: str, indent: str) -> Iterator[str]:
    colon = ": " if newline else ":"
    # A string is written as it is, anything else is a pair of depth and value.
    todo: list[str | tuple[int, Any]] = [(0, data)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
            continue
        depth, value = item
        if not isinstance(value, dict | list | tuple) or not value:
            yield _scalar(value)
            continue
        outer, inner = newline + indent * depth, newline + indent * (depth + 1)
        opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
        todo.append(outer + closing)
        entries = list(value.items()) if isinstance(value, dict) else [(None, part) for part in value]
        for number in range(len(entries) - 1, -1, -1):
            key, part = entries[number]
            todo.append((depth + 1, part))
            name = "" if key is None else quoted(key) + colon
            todo.append(f"{',' if number else ''}{inner}{name}")
        yield opening


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, float):
        return float_text(value) if math.isfinite(value) else "null"
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    return json.dumps(value)


def quoted(text: str) -> str:
    """A string with nothing escaped but what must be."""
    return json.dumps(text, ensure_ascii=False)


def depth_of(text: str) -> int:
    """Nesting depth of lists and objects in a JSON text."""
    depth = deepest = 0
    for match in _NESTING.finditer(text):
        if match[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in "]}":
            depth -= 1
    return deepest
