"""Pairs of brackets."""

from __future__ import annotations

from bisect import bisect_left

from analysis.database import Database
from analysis.semantics.declarations import chunk_tree
from analysis.text.source import Source


def opening_of(db: Database, text: Source, end: int) -> int | None:
    """Offset of the brace that is closed by the one directly before `end`; None if there is none in the same item."""
    index = text.chunk_at(end - 1)
    start = text.offsets[index]
    tokens = chunk_tree(db, text.chunks[index].text).tokens
    depth = 0
    for number in range(bisect_left(tokens.starts, end - start) - 1, -1, -1):
        if tokens.kinds[number] == "}":
            depth += 1
        elif tokens.kinds[number] == "{":
            depth -= 1
            if not depth:
                return start + tokens.starts[number]
    return None
