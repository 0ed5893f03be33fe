"""Functions that take several values as one list: `sum(nums ...int)`, `sum(int... nums)`, `vararg nums: Int`."""

from __future__ import annotations

from analysis.fixes.dialect.libraries.script_functions import Spreading
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk


def settle_variadics(items: list[n.Item], declared: set[int]) -> None:
    """Puts the values of calls of such functions into lists; `declared` holds where the parameters stand."""
    functions = [item for item in items if isinstance(item, n.Function)] if declared else []
    methods = [each for item in items if declared and isinstance(item, n.Implementation) for each in item.functions]
    places = _places(functions, declared)
    called = _places(methods, declared)
    for node in [node for item in items for node in walk(item)] if places or called else []:
        if not isinstance(node, n.Call):
            continue
        place = places.get(node.function.name) if isinstance(node.function, n.Name) else None
        place = called.get(node.function.name) if isinstance(node.function, n.Member) else place
        if place is None or len(node.arguments) < place:
            continue
        rest = [each for each in node.arguments[place:] if not each.name]
        named = [each for each in node.arguments[place:] if each.name]
        only = rest[0] if len(rest) == 1 else None
        if only is not None and (isinstance(only, Spreading) or isinstance(only.value, n.Spread)):
            value = only.value.value if isinstance(only.value, n.Spread) else only.value
            node.arguments = [*node.arguments[:place], n.Argument(value), *named]
            continue
        listed = n.ListOf([_item(each) for each in rest], start=rest[0].value.start if rest else node.end, end=node.end)
        node.arguments = [*node.arguments[:place], n.Argument(listed), *named]


def _places(functions: list[n.Function], declared: set[int]) -> dict[str, int]:
    """How many arguments stand before the list, by name; what a method is called on stands before the call."""
    return {
        function.name: place - (function.parameters[0].name == "self")
        for function in functions
        for place, part in enumerate(function.parameters)
        if part.start in declared
    }


def _item(argument: n.Argument) -> n.Expr:
    value = argument.value
    if not isinstance(argument, Spreading) or isinstance(value, n.Spread):
        return value
    return n.Spread(value, start=value.start, end=value.end)
