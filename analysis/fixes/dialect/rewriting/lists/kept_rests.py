"""`stack = list_pop(stack)`: a list that is given what its own removal returns is meant to be the rest, not the item."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n

_REST: Final = {
    **dict.fromkeys(("pop", "pop_back", "popBack", "pop_value", "remove_last", "removeLast", "popLast"), "dropLast"),
    **dict.fromkeys(
        ("shift", "pop_front", "popFront", "shift_value", "remove_first", "removeFirst", "popFirst", "dequeue"), "drop"
    ),
}
"""What is left of a list, by what takes an item out of it where lists change."""


def rest_of(target: n.Expr, value: n.Expr) -> n.Expr:
    """The value that an assignment gives a list: the rest, where it takes an item out of that list; else the value as it is."""
    if not isinstance(target, n.Name) or not isinstance(value, n.Call):
        return value
    function = value.function
    if isinstance(function, n.Name) and len(value.arguments) == 1:
        taken, name = value.arguments[0].value, function.name.removeprefix("list_").removeprefix("array_")
    elif isinstance(function, n.Member) and not value.arguments:
        taken, name = function.object, function.name
    else:
        return value
    if name not in _REST or not isinstance(taken, n.Name) or taken.name != target.name:
        return value
    start, end = value.start, value.end
    one = n.Argument(n.Literal("int", "1", start=end, end=end), start=end, end=end)
    return n.Call(n.Member(taken, _REST[name], start=start, end=end), [one], start=start, end=end)
