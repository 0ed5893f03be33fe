"""Nesting depth of a tree."""

from __future__ import annotations

from analysis.database import checkpoint
from analysis.syntax.tree import Binary, Node, children


def height(node: Node) -> int:
    """Levels of a tree, a chain of binary operators counted as one level."""
    highest = count = 0
    stack = [(node, 1)]
    while stack:
        node, level = stack.pop()
        highest = max(highest, level)
        count += 1
        if count % 1000 == 0:
            checkpoint()
        if isinstance(node, Binary):
            stack.append((node.left, level))
            stack.append((node.right, level + 1))
        else:
            stack.extend((child, level + 1) for child in children(node))
    return highest
