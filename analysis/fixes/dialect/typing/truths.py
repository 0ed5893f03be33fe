"""Values that are always true as a condition, and what an Option holds only where that is true."""

from __future__ import annotations

import re

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import head


def is_always_true(node: n.Expr, inner: str, habit: str, text: str) -> bool:
    """True if what an Option holds counts as true: a list of JavaScript and Ruby, what a pattern found."""
    if inner == "List" and habit in ("javascript", "ruby"):
        return True
    if isinstance(node, n.Name) and inner == "List":
        pattern = rf"\b{re.escape(node.name)}[ \t]*:?=[ \t]*\w+\.(?:match|search|fullmatch)\("
        return re.search(pattern, text) is not None
    return isinstance(node, n.Call) and node.operation is not None and node.operation.name == "pattern_first"


def where_true(option: n.Expr) -> n.Expr:
    """An Option, typed already, that is none where what it holds is an empty text or a zero."""
    start, end = option.start, option.end
    if isinstance(option, n.Index) and option.may_be_absent:
        # An index gives an Option only where one is wanted.
        name = "get" if head(option.object.ty) == "Map" else "getAt"
        lookup = n.Member(option.object, name, start=start, end=end)
        option = n.Call(lookup, [n.Argument(option.index)], start=start, end=end)
    held = n.Name("found_value", start=start, end=end)
    is_true = n.Call(n.Member(held, "is_truthy", start=start, end=end), [], start=start, end=end)
    closure = n.Lambda([n.Binding("found_value")], is_true, start=start, end=end)
    return n.Call(n.Member(option, "filter", start=start, end=end), [n.Argument(closure)], start=start, end=end)
