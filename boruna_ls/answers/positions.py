"""Offsets as the positions that tools and the command line give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.text.source import Encoding, Source, advance, units


def place(source: Source, start: int, end: int) -> dict[str, Any]:
    """A half-open range in both units, and its length in bytes."""
    piece = source.text[start:end]
    line, column = source.position(start)
    col = source.bytes_between(start - column, start)
    size = source.bytes_between(start, end)
    if "\n" in piece:
        end_line, end_column = source.position(end)
        end_col = source.bytes_between(end - end_column, end)
    else:
        end_line, end_column, end_col = line, column + len(piece), col + size
    return {
        "line": line + 1,
        "col": col + 1,
        "column": column,
        "end_line": end_line + 1,
        "end_col": end_col + 1,
        "end_column": end_column,
        "span_len": size,
    }


POSITION_RULE = '{"line", "col"} (from 1, bytes of UTF-8) or {"line", "column"} (line from 1, column from 0, characters)'


def offset_of(source: Source, position: Mapping[str, Any]) -> int:
    """Offset of a position in either form, distinguished by the key; one with both keys is our own form, in bytes.

    Raises ValueError for what is no place of the text.
    """
    line = position.get("line")
    keys = [key for key in ("col", "column") if position.get(key) is not None]
    if not _is_number(line) or not keys or not _is_number(position[keys[0]]):
        raise ValueError(f"a position is {POSITION_RULE}")
    text, number = source.text, int(line or 0)
    last = text.count("\n") + 1
    if not 1 <= number <= last:
        raise ValueError(f"line {number} does not exist: the text has lines 1 to {last}")
    start = source.offset_of(number - 1, 0)
    end = text.find("\n", start)
    written = text[start : len(text) if end < 0 else end]
    key, count = keys[0], int(position[keys[0]])
    if key == "column":
        if not 0 <= count <= len(written):
            raise ValueError(f"column {count} does not exist: line {number} has columns 0 to {len(written)}")
        return start + count
    size = units(written, 0, len(written), Encoding.UTF8)
    if not 1 <= count <= size + 1:
        raise ValueError(f"col {count} does not exist: line {number} has cols 1 to {size + 1}")
    return start + advance(written, 0, len(written), count - 1, Encoding.UTF8)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
