"""The part of an item that is being written: the innermost statement around the cursor, or the header of the item."""

from __future__ import annotations

from itertools import pairwise

from analysis.edits import Span
from analysis.ide.name_meanings import item_around
from analysis.syntax.parser import ChunkTree
from analysis.syntax.tree import Block, Function, path_to


def is_being_written(tree: ChunkTree, span: Span, cursor: int) -> bool:
    """True if the cursor is in the innermost statement around a span, or in the blanks after it; relative to the chunk."""
    item = item_around(tree.items, span[0])
    if item is None:
        return False
    start, end = item.start, item.body.start if isinstance(item, Function) else item.end
    path = path_to(item, span[0])
    for outer, inner in pairwise(path):
        if isinstance(outer, Block) and inner.end >= span[1]:
            start, end = inner.start, inner.end
    return start <= cursor <= end or (end < cursor and not tree.tokens.text[end:cursor].strip(" \t"))
