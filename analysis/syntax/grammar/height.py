"""Nesting depth of a tree."""

from __future__ import annotations

from analysis.database import checkpoint, paced
from analysis.syntax.tree import Binary, Node, children


def height(node: Node) -> int:
    """Levels of a tree, a chain of binary operators counted as one level."""
    highest = 0
    nodes: list[Node] = [node]
    while nodes:
        highest += 1
        below: list[Node] = []
        for each in paced(nodes, 1_000):
            node, count = each, 0
            while isinstance(node, Binary):
                below.append(node.right)
                node, count = node.left, count + 1
                if count % 1_000 == 0:
                    checkpoint()
            below += children(node)
        nodes = below
    return highest
