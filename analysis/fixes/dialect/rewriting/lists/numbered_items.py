"""Items with their places, where the names of both tell the order: `for (line, i) in enumerate(lines)` has the item first.

Languages disagree about the order (`enumerate` gives the place first, `with_index` and `zipWithIndex` the item). Names that
are used for places only decide; other names leave the order of the function that is called.
"""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_PLACES: Final = frozenset("i idx index ix place pos position idx0 lineno line_no line_number".split())
"""Usual names of an item's place."""
_PLACE_FIRST: Final = frozenset("enumerate list_enumerate enumerated withIndex indexed list_indexed each_with_place".split())
_ITEM_FIRST: Final = frozenset("with_index list_with_index zipWithIndex zip_with_index list_zip_with_index".split())


def settle_numbered(items: list[n.Item]) -> None:
    """Puts the names of loops and closures over numbered items in the order in which they get their values."""
    declared = {item.name for item in items if isinstance(item, n.Function)}
    for item in items:
        for node in walk(item) if isinstance(item, (n.Function, n.Implementation)) else ():
            if isinstance(node, n.For) and _place_of(node.pattern) == 0 and _holds_no_pairs(node.source):
                node.source = n.Call(n.Name("enumerate"), [n.Argument(node.source)], start=node.source.start, end=node.source.end)
            elif isinstance(node, (n.For, n.Comprehension)):
                _settle(node.pattern, _order(node.source, declared))
            elif isinstance(node, (n.Call, n.Piped)):
                _settle_closures(node, declared)


def _holds_no_pairs(source: n.Expr) -> bool:
    """True for a list of lists none of which has two items: a place and an item take nothing apart there."""
    rows = source.items if isinstance(source, n.ListOf) else []
    return bool(rows) and all(isinstance(row, n.ListOf) and len(row.items) != 2 for row in rows)


def _settle_closures(node: n.Call | n.Piped, declared: set[str]) -> None:
    """Closures that a call takes beside numbered items: its object, an argument, or what is piped into it."""
    call = node.function if isinstance(node, n.Piped) else node
    if not isinstance(call, n.Call):
        return
    values = [each.value for each in call.arguments]
    sources = [node.value] if isinstance(node, n.Piped) else [each for each in values if not isinstance(each, n.Lambda)]
    if isinstance(call.function, n.Member):
        sources.append(call.function.object)
    orders = {order for source in sources if (order := _order(source, declared)) is not None}
    if len(orders) != 1:
        return
    order = orders.pop()
    for value in values:
        if isinstance(value, n.Lambda) and len(value.parameters) == 1:
            _settle(value.parameters[0], order)


def names_place_last(pattern: n.Pattern) -> bool:
    """True if of two names only the second one is that of a place."""
    return _place_of(pattern) == 1


def _place_of(pattern: n.Pattern) -> int | None:
    """Which of two names is that of a place; None if none or both are."""
    if not isinstance(pattern, n.TuplePattern) or len(pattern.items) != 2:
        return None
    are_places = [isinstance(each, n.Binding) and each.name in _PLACES for each in pattern.items]
    return are_places.index(True) if sum(are_places) == 1 else None


def _order(source: n.Expr, declared: set[str]) -> int | None:
    """Where a list of numbered items has the place; None for another list."""
    function = source.function if isinstance(source, (n.Call, n.Piped)) else source
    function = function.function if isinstance(source, n.Piped) and isinstance(function, n.Call) else function
    name = function.name if isinstance(function, (n.Member, n.Name)) else ""
    if name in declared:
        return None
    return 0 if name in _PLACE_FIRST else 1 if name in _ITEM_FIRST else None


def _settle(pattern: n.Pattern, order: int | None) -> None:
    place = _place_of(pattern)
    if order is not None and place is not None and place != order and isinstance(pattern, n.TuplePattern):
        pattern.items.reverse()
