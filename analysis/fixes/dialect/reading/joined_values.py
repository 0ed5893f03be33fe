"""Two values with an operator between them, and functions with more arguments, as the tree holds them."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.libraries.text_formats import with_percents
from analysis.fixes.dialect.tree import nodes as n

_OF_RUBY: Final = re.compile(r"-\d{1,20}\.abs\b(?!\()")
_COMPARING: Final = frozenset(("<", "<=", ">", ">="))


def chained(sign: str, left: n.Expr, right: n.Expr, text: str) -> n.Expr:
    """An operator between two values of a text; `a <= b < c` holds where both comparisons do, `-2 ** 2` is negative."""
    if sign == "**" and isinstance(left, n.Unary) and left.operator == "-" and ")" not in text[left.end : right.start]:
        return n.Unary("-", n.Binary("**", left.operand, right))
    last = left.right if isinstance(left, n.Binary) and left.operator == "&&" else left
    if sign in _COMPARING and isinstance(last, n.Binary) and last.operator in _COMPARING:
        return n.Binary("&&", left, n.Binary(sign, last.right, right, start=last.right.start, end=right.end))
    if sign in ("==", "!=") and isinstance(left, n.Call) and _is_zero(right) and _rounds(left):
        # Whether nothing is left does not depend on the rounding.
        assert isinstance(left.function, n.Member)
        left = n.Binary("%", left.function.object, left.arguments[0].value, start=left.start, end=left.end)
    if sign == "%" and isinstance(left, n.Literal) and left.kind == "string":
        items = right.items if isinstance(right, (n.TupleOf, n.ListOf)) else [right]
        return with_percents(left, list(items)) or n.Binary(sign, left, right)
    if sign == "<=>" and (rows := _compared(left, right)) is not None:
        return rows
    return n.Binary(sign, left, right, _written(sign, text[left.end : right.start]))


def _written(sign: str, between: str) -> str:
    """The sign of a division in the text between its values; empty for a word such as `div`."""
    if sign not in ("/", "%"):
        return ""
    if between.lstrip(" \t\n)").startswith("//"):
        return "//"
    return sign if sign in between else ""


def _compared(left: n.Expr, right: n.Expr) -> n.Expr | None:
    """`[a, b] <=> [c, d]`: the first parts that differ decide."""
    if not isinstance(left, (n.ListOf, n.TupleOf)) or not isinstance(right, (n.ListOf, n.TupleOf)):
        return None
    if len(left.items) != len(right.items) or not left.items:
        return None
    order: n.Expr | None = None
    for one, other in zip(left.items, right.items, strict=True):
        part = n.Binary("<=>", one, other, start=one.start, end=other.end)
        if order is None:
            order = part
        else:
            then = n.Member(order, "then_order", start=left.start, end=right.end)
            order = n.Call(then, [n.Argument(part)], start=left.start, end=right.end)
    return order


def is_order(node: n.Expr) -> bool:
    """True if a value is the order of two others: `compare a b`."""
    if isinstance(node, n.Call) and isinstance(node.function, n.Member) and node.function.name == "then_order":
        return True
    return isinstance(node, n.Binary) and node.operator == "<=>"


def _is_zero(node: n.Expr) -> bool:
    return isinstance(node, n.Literal) and node.text == "0"


def _rounds(call: n.Call) -> bool:
    """True if a call is ``a `mod` b``."""
    return isinstance(call.function, n.Member) and call.function.name == "mod" and len(call.arguments) == 1


def applied(function: n.Expr, arguments: list[n.Expr]) -> n.Expr:
    """A function with more arguments behind those that it has."""
    more = [n.Argument(value) for value in arguments]
    if isinstance(function, n.Binary) and function.operator in ("++", "+", "<>", "^"):
        # `"total: " ++ show $ a + b`: the function stands last before the sign.
        function.right = applied(function.right, arguments)
        return function
    if isinstance(function, n.Call):
        function.arguments += more
        return function
    return n.Call(function, more)


def signed(sign: str, operand: n.Expr, span: tuple[int, int], text: str, habit: str) -> n.Expr:
    """`-x`, `!x`, `not x` between two offsets; in Ruby a minus belongs to the number behind it: `-5.abs`."""
    if sign == "-" and (habit == "ruby" or _OF_RUBY.match(text, span[0]) is not None):
        return _with_sign(operand)
    return n.Unary("!" if sign in ("!", "not") else "-", operand, start=span[0], end=span[1])


def _with_sign(whole: n.Expr) -> n.Expr:
    """A chain of calls on a number, with the number below zero."""
    last: n.Expr = whole
    while True:
        match last:
            case n.Call(function=n.Member() as member):
                below, holder = member.object, member
            case n.Member():
                below, holder = last.object, last
            case _:
                return n.Unary("-", whole, start=whole.start, end=whole.end)
        if isinstance(below, n.Literal):
            holder.object = n.Unary("-", below, start=below.start, end=below.end)
            return whole
        last = below
