"""Functions that take several values as one list: `sum(nums ...int)`, `sum(int... nums)`, `vararg nums: Int`."""

from __future__ import annotations

from analysis.fixes.dialect import nodes as n
from analysis.fixes.dialect.script_functions import Spreading
from analysis.fixes.dialect.walking import walk


def settle_variadics(items: list[n.Item], declared: set[int]) -> None:
    """Puts the values of calls of such functions into lists; `declared` holds where the parameters stand."""
    places = {
        item.name: len(item.parameters) - 1
        for item in items
        if declared and isinstance(item, n.Function) and item.parameters and item.parameters[-1].start in declared
    }
    for node in [node for item in items for node in walk(item)] if places else []:
        place = places.get(node.function.name) if isinstance(node, n.Call) and isinstance(node.function, n.Name) else None
        if place is None or not isinstance(node, n.Call) or len(node.arguments) < place:
            continue
        rest = node.arguments[place:]
        only = rest[0] if len(rest) == 1 else None
        if only is not None and (isinstance(only, Spreading) or isinstance(only.value, n.Spread)):
            value = only.value.value if isinstance(only.value, n.Spread) else only.value
            node.arguments = [*node.arguments[:place], n.Argument(value)]
            continue
        made = n.ListOf([each.value for each in rest], start=rest[0].value.start if rest else node.end, end=node.end)
        node.arguments = [*node.arguments[:place], n.Argument(made)]
