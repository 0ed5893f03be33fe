"""Calls of Dart's library, as methods that the lexicon knows."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n

_NUMBERS: Final = {"int": "to_int", "double": "to_float", "num": "to_float"}


def of_dart(call: n.Call) -> n.Expr | None:
    """Translation of a call of Dart's library; None if there is none."""
    function, arguments = call.function, call.arguments
    if not isinstance(function, n.Member) or any(each.name for each in arguments):
        return None
    owner = function.object
    if isinstance(owner, n.Name) and owner.name in _NUMBERS and function.name == "tryParse" and len(arguments) == 1:
        return _method(arguments[0].value, _NUMBERS[owner.name], [], call)
    if function.name == "fold" and len(arguments) == 1 and isinstance(arguments[0].value, n.Lambda):
        # `Aggregate((a, b) => a * b)` of C# begins with the first item.
        return _method(owner, "reduce", arguments, call)
    if function.name == "formatted" and arguments and isinstance(owner, n.Literal) and owner.kind == "string":
        return n.Call(n.Name("sprintf", start=call.start, end=call.end), [n.Argument(owner), *arguments])
    return None


def _method(value: n.Expr, name: str, arguments: list[n.Argument], call: n.Call) -> n.Call:
    member = n.Member(value, name, start=call.start, end=call.end)
    return n.Call(member, arguments, start=call.start, end=call.end)
