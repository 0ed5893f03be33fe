"""Characters that a program counts with: their numbers, and which values may be numbers of characters."""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head, is_char


def as_character(node: n.Binary) -> None:
    """A character and a number as the character that many places behind it."""
    total = n.Binary("+", coded(node.left), node.right, start=node.start, end=node.end)
    node.operator, node.left = "++", n.Literal("string", '""', start=node.start, end=node.start)
    node.right = n.Call(n.Member(total, "chr", start=node.start, end=node.end), [], start=node.start, end=node.end)


def coded(node: n.Expr) -> n.Expr:
    """The number of a character."""
    return n.Call(n.Member(node, "ord", start=node.start, end=node.end), [], start=node.start, end=node.end)


def is_sum(node: n.Expr) -> bool:
    return isinstance(node, n.Binary) and node.operator in ("+", "-", "%", "*")


def is_coded(node: n.Expr) -> bool:
    """True if a number was counted from a character."""
    if isinstance(node, n.Call):
        return isinstance(node.function, n.Member) and node.function.name == "ord"
    return isinstance(node, n.Binary) and node.operator != "/" and (is_coded(node.left) or is_coded(node.right))


def may_be_code(node: n.Expr, kind: Type) -> bool:
    """True if a value can stand for the number of a character: a number, a character, a text of one sign."""
    if head(kind) != "String":
        return head(kind) == "Int"
    is_sign = isinstance(node, n.Literal) and len(node.text.replace("\\", "")) == 3
    return is_sign or is_char(kind)
