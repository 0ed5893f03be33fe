"""Facts of syntax trees that a rewriting asks for: names of calls, parts of a joint, lists with two names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.syntax import tree as t


class Unwritable(Exception):
    """A form that a language lacks, or whose meaning there is not certain."""


def adds_one(value: t.Expr) -> bool:
    """True for `i + 1`."""
    if not isinstance(value, t.Binary) or value.operator != "+" or not isinstance(value.left, t.Name):
        return False
    return isinstance(value.right, t.IntLiteral) and value.right.text == "1"


def pattern_text(node: t.Pattern) -> str:
    match node:
        case t.WildcardPattern():
            return "_"
        case t.NamePattern():
            return node.name
        case t.IntPattern():
            return node.text
        case t.StringPattern():
            return f'"{node.raw}"'
        case t.BoolPattern():
            return "true" if node.value else "false"
        case t.NonePattern():
            return "None"
        case t.WrapPattern():
            return f"{node.kind}({pattern_text(node.inner)})"
        case t.VariantPattern():
            return node.name + (f"({pattern_text(node.payload)})" if node.payload else "")
    raise Unwritable


def add_parts(node: t.Expr, parts: list[t.Expr]) -> None:
    """The operands of a chain of `++`."""
    if isinstance(node, t.Binary) and node.operator == "++":
        add_parts(node.left, parts)
        add_parts(node.right, parts)
    else:
        parts.append(node)


def called(node: t.Expr) -> str:
    return node.callee.name if isinstance(node, t.Call) and isinstance(node.callee, t.Name) else ""


def argument_names(node: t.Expr) -> list[str]:
    """The arguments of a call that are names; "" for others."""
    arguments = node.arguments if isinstance(node, t.Call) else ()
    return [each.name if isinstance(each, t.Name) else "" for each in arguments]


_READS: Final = ("list_len", "list_get", "list_contains", "list_sum", "__builtin_string_join", "__builtin_list_is_empty")


def shared_names(function: t.Function) -> Iterator[str]:
    """Lists that may have two names, so that a change of one would be seen by the other."""
    yield from (each.name for each in function.parameters)
    read: set[int] = set()
    for node in t.walk(function):
        if isinstance(node, t.Call) and called(node) in _READS:
            read |= {id(each) for each in node.arguments if isinstance(each, t.Name)}
        if isinstance(node, t.Assign) and called(node.value) == "list_push" and isinstance(node.value, t.Call):
            read.add(id(node.value.arguments[0]))
        if isinstance(node, t.Let) and not isinstance(node.value, t.ListLiteral):
            yield node.name
        if isinstance(node, t.Return) and node.value is not None:
            read.add(id(node.value))
    last = function.body.statements[-1] if function.body.statements else None
    read.add(id(last))
    for node in t.walk(function):
        if isinstance(node, t.Name) and id(node) not in read:
            yield node.name
