"""Values that are always true as a condition."""

from __future__ import annotations

import re

from analysis.fixes.dialect import nodes as n


def is_always_true(node: n.Expr, inner: str, habit: str, text: str) -> bool:
    """True if what an Option holds counts as true: a list of JavaScript and Ruby, what a pattern found."""
    if inner == "List" and habit in ("javascript", "ruby"):
        return True
    if isinstance(node, n.Name) and inner == "List":
        found = rf"\b{re.escape(node.name)}[ \t]*:?=[ \t]*\w+\.(?:match|search|fullmatch)\("
        return re.search(found, text) is not None
    return isinstance(node, n.Call) and node.operation is not None and node.operation.name == "pattern_first"
