"""The part of an item that is being written: the innermost statement around the cursor, or the header of the item."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import Final

from analysis.ide.name_meanings import item_around
from analysis.syntax.parser import ChunkTree
from analysis.syntax.tree import Block, Function, Item, Node, path_to
from analysis.text.edits import Span

_MOST: Final = 3
"""Statements that the cursor can be in or behind: one may end where another begins."""


class WrittenPart:
    """What is being written at a cursor; all places count from the start of the chunk."""

    def __init__(self, tree: ChunkTree, cursor: int) -> None:
        self._tree = tree
        self._cursor = cursor
        self._item: Item | None = None
        """The item around the last place."""
        self._statements: dict[int, list[Node]] = {}
        """By where a function begins: the statements of its body that are being written."""
        self.looks = 0
        """Number of places that were searched in the tree."""

    def holds(self, span: Span) -> bool:
        """True if the cursor is in the innermost statement around a span, or in the blanks after it."""
        item = self._item
        if item is None or not item.start < span[0] <= item.end:
            item = self._item = item_around(self._tree.items, span[0])
        if item is None:
            return False
        if isinstance(item, Function) and item.body.start < min(span[0], self._cursor):
            # One that is being written lies in one of the body that is: of most diagnostics no more needs to be looked at.
            around = self._statements.get(item.start)
            if around is None:
                around = self._statements[item.start] = self._written(item.body)
            if not any(each.start <= span[0] <= each.end for each in around):
                return False
        self.looks += 1
        start, end = item.start, item.body.start if isinstance(item, Function) else item.end
        path = path_to(item, span[0])
        for outer, inner in pairwise(path):
            if isinstance(outer, Block) and inner.end >= span[1]:
                start, end = inner.start, inner.end
        return self._is_at(start, end)

    def _written(self, body: Block) -> list[Node]:
        last = bisect_right(body.statements, self._cursor, key=_start)
        return [each for each in body.statements[max(last - _MOST, 0) : last] if self._is_at(each.start, each.end)]

    def _is_at(self, start: int, end: int) -> bool:
        """True if the cursor is between two places, or in the blanks after the second."""
        cursor = self._cursor
        return start <= cursor <= end or (end < cursor and not self._tree.tokens.text[end:cursor].strip(" \t"))


def _start(node: Node) -> int:
    return node.start
