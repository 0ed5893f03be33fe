"""A value and how often it stands: which of two arguments is which."""

from __future__ import annotations

from analysis.fixes.dialect.tree import nodes as n


def repeated_sign(arguments: list[n.Argument]) -> tuple[n.Expr, n.Expr] | None:
    """`new string('-', n)` of C#, `std::string(n, '-')`: the character and how often it stands."""
    if len(arguments) != 2 or any(each.name for each in arguments):
        return None
    first, second = arguments[0].value, arguments[1].value
    if is_one_character(first):
        return first, second
    return (second, first) if is_one_character(second) else None


def is_no_count(value: n.Expr) -> bool:
    """True if a value is no number of items: 0, or below it."""
    return isinstance(value, n.Unary) or (isinstance(value, n.Literal) and (value.kind != "int" or value.text == "0"))


def is_one_character(value: n.Expr) -> bool:
    """True if a literal holds one character: OCaml looks for one in a text, which comes first there."""
    return isinstance(value, n.Literal) and value.kind == "string" and len(value.text) == 3
