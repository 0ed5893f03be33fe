"""Parts of rewriting exceptions: conversions as Options, the values of functions that throw as Results, what handlers mention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from analysis.fixes.dialect.rewriting.failures.exception_kinds import FINDING, conversion, finds, said_by
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_MESSAGES: Final = frozenset("getMessage message what toString to_string localizedMessage getLocalizedMessage".split())


def text(text: str) -> n.Expr:
    return n.Literal("string", f'"{text}"')


def as_option(call: n.Call) -> None:
    """A conversion as a method that gives an Option."""
    if (word := conversion(call)) != "":
        call.function = n.Member(call.arguments[0].value, word, start=call.start, end=call.end)
        call.arguments = []
        return
    assert isinstance(call.function, n.Member)
    if finds(call):
        call.function.name = FINDING[call.function.name]
        return
    word = "to_float" if call.function.name in ("parse_number", "toDouble") else "to_int"
    call.function.name = word


def tried_conversion(call: n.Call, as_thrown: Callable[[n.Expr], n.Expr]) -> n.Expr:
    """A conversion in a function that throws: its number, or the message of the exception."""
    said = as_thrown(said_by(call) or text(""))
    as_option(call)
    setattr(call, "is_caught", True)  # noqa: B010
    result = n.Call(n.Member(call, "ok_or", start=call.start, end=call.end), [n.Argument(said)], start=call.start, end=call.end)
    return n.Try(result, start=call.start, end=call.end)


def loops_in(block: n.Block) -> bool:
    return any(isinstance(node, (n.For, n.While, n.CountingFor)) for node in walk(block))


def divisor_of(statement: n.Statement) -> n.Expr | None:
    """Divisor in a statement, if it is a name or a field."""
    value = statement.value if isinstance(statement, (n.Let, n.Assign, n.Evaluate)) else None
    value = value.value if isinstance(value, n.Jump) else value
    if value is None or isinstance(value, (n.If, n.Match, n.Block)):
        return None
    for node in walk(value):
        if isinstance(node, n.Lambda):
            return None
        if isinstance(node, n.Binary) and node.operator in ("/", "%") and isinstance(node.right, (n.Name, n.Member)):
            return node.right
    return None


def uses(block: n.Block, name: str) -> bool:
    return bool(name) and any(isinstance(node, n.Name) and node.name == name for node in walk(block))


def message_of(name: str) -> Callable[[n.Node], n.Node]:
    """`e.getMessage()`, `e.message`: what was thrown is its message here."""

    def change(node: n.Node) -> n.Node:
        inner = node.function if isinstance(node, n.Call) and not node.arguments else node
        owner = inner.object if isinstance(inner, n.Member) and inner.name in _MESSAGES else None
        owner = owner.value if isinstance(owner, n.Cast) else owner
        if isinstance(owner, n.Name) and owner.name == name:
            return owner
        if isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name == name and not node.arguments:
            return node.function
        if isinstance(node, n.Binary) and node.operator == "??" and isinstance(node.left, n.Name) and node.left.name == name:
            return node.left
        return node

    return change


def wrapped(word: str, value: n.Expr) -> n.Expr:
    return n.Call(n.Name(word, start=value.start, end=value.start), [n.Argument(value)], start=value.start, end=value.end)


def leaves(block: n.Block) -> bool:
    last = block.statements[-1] if block.statements else None
    return isinstance(last, n.Evaluate) and isinstance(last.value, n.Jump)


def gives_value(block: n.Block) -> bool:
    """True if the last of some statements is a value for certain; a call may give none."""
    last = block.statements[-1] if block.statements else None
    value = last.value if isinstance(last, n.Evaluate) else None
    if isinstance(value, n.If):
        return value.otherwise is not None and gives_value(value.then) and gives_value(value.otherwise)
    return isinstance(value, (n.Name, n.Literal, n.Binary, n.Interpolated, n.Index, n.ListOf, n.MapOf, n.RecordOf, n.TupleOf))


def end_with_ok(block: n.Block) -> None:
    last = block.statements[-1] if block.statements else None
    if isinstance(last, n.Evaluate):
        last.value = good(last.value)


def good(value: n.Expr) -> n.Expr:
    """A last value as that of a Result, in every branch that gives one."""
    match value:
        case n.Jump():
            return value
        case n.Block():
            end_with_ok(value)
            return value
        case n.If() if value.otherwise is not None:
            end_with_ok(value.then)
            end_with_ok(value.otherwise)
            return value
        case n.Match():
            for arm in value.arms:
                arm.body = good(arm.body)
            return value
        case n.Call(function=n.Name(name="panic")) | n.If():
            return value
    return wrapped("Ok", value)
