"""Calls of functional languages that say by a function, or by a list without an end, what a method says here."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.libraries.functional_calls import ITEM_FIRST
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import head
from analysis.fixes.dialect.tree.walking import walk

_OPERATORS: Final = {"add": "+", "subtract": "-", "multiply": "*"}
_SORTS: Final = ("sortBy", "sortOn", "sort_by", "sortWith", "maximumBy", "minimumBy", "maxBy", "minBy")


def as_method(call: n.Call, is_foreign: Callable[[str], bool], functions: dict[str, n.Function]) -> n.Expr | None:
    """Method form of a call of a functional language; None if it has none."""
    function, values = call.function, [each.value for each in call.arguments]
    if isinstance(function, n.Member) and function.name == "foldl" and len(values) == 3 and _names(function.object, ITEM_FIRST):
        _with_item_first(call, functions)
        return None
    name = function.name if isinstance(function, (n.Name, n.Member)) else ""
    if isinstance(function, n.Name) and not is_foreign(name):
        return None
    if name == "flip" and len(values) == 1:
        return _flipped(values[0], call)
    if name == "uncurry" and len(values) == 1:
        return _uncurried(values[0], call)
    if name in _SORTS and values:
        return _sorted(call, values)
    if name == "groupBy" and isinstance(function, n.Name) and len(values) == 2 and _takes_two(values[0]):
        # Of Haskell: runs of items that belong together.
        return n.Call(n.Member(values[1], "runs_by", start=call.start, end=call.end), call.arguments[:1], start=call.start)
    if len(values) == 2 and name in ("zip", "take"):
        return _numbered(call, name, values)
    if name == "zipWith" and len(values) == 3 and (low := endless(values[1])) is not None:
        return _numbered_with(call, values, low)
    return None


def _takes_two(node: n.Expr) -> bool:
    return isinstance(node, n.OperatorFunction) or (isinstance(node, n.Lambda) and len(node.parameters) == 2)


def _names(node: n.Expr, words: tuple[str, ...]) -> bool:
    return isinstance(node, n.Name) and node.name in words


def _with_item_first(call: n.Call, functions: dict[str, n.Function]) -> None:
    """Turns the parameters of the function of `List.foldl` of Elm, which closures with telling names have turned already."""
    first = call.arguments[0].value
    own = functions.get(first.name) if isinstance(first, n.Name) else None
    if own is not None:
        kinds = [head(part.type) for part in own.parameters]
        if len(kinds) != 2 or kinds[0] != kinds[1]:
            # Their types tell which one is the item.
            return
    elif not isinstance(first, (n.OperatorFunction, n.Member)):
        return
    item, so_far = (n.Name(name, start=first.start, end=first.end) for name in ("each_item", "so_far"))
    call.arguments[0].value = n.Lambda(
        [n.Binding("so_far"), n.Binding("each_item")], _called(first, [item, so_far]), start=first.start, end=first.end
    )


def _called(function: n.Expr, values: list[n.Expr]) -> n.Expr:
    start, end = function.start, function.end
    if isinstance(function, n.OperatorFunction) and len(values) == 2:
        return n.Binary(function.operator, values[0], values[1], start=start, end=end)
    if isinstance(function, n.Name) and function.name == "compare" and len(values) == 2:
        return n.Binary("<=>", values[0], values[1], start=start, end=end)
    return n.Call(function, [n.Argument(value) for value in values], start=start, end=end)


def _flipped(function: n.Expr, call: n.Call) -> n.Expr:
    """`flip f`: a closure that gives its values to `f` the other way round."""
    if isinstance(function, n.Lambda) and len(function.parameters) == 2 and _orders(function):
        function.parameters.reverse()
        return function
    first, second = (n.Name(name, start=call.start, end=call.end) for name in ("_arg0", "_arg1"))
    body = _called(function, [second, first])
    return n.Lambda([n.Binding("_arg0"), n.Binding("_arg1")], body, start=call.start, end=call.end)


def _uncurried(function: n.Expr, call: n.Call) -> n.Expr:
    """`uncurry f`: a closure that gives the parts of a pair to `f`."""
    parts: list[n.Expr] = [n.Name(name, start=call.start, end=call.end) for name in ("_first", "_second")]
    pair = n.TuplePattern([n.Binding("_first"), n.Binding("_second")], start=call.start, end=call.end)
    return n.Lambda([pair], _called(function, parts), start=call.start, end=call.end)


def _orders(function: n.Lambda) -> bool:
    return any(isinstance(node, n.Binary) and node.operator == "<=>" for node in walk(function.body))


def _sorted(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    """`sortBy (comparing f)`, `sortOn (Down . f)`: by a key, the greatest first for `Down`."""
    for place, value in enumerate(values):
        if isinstance(value, n.Binary) and value.operator == "<>" and (order := _order_of(value)) is not None:
            call.arguments[place].value = n.Lambda(
                [n.Binding("_arg0"), n.Binding("_arg1")], order, start=value.start, end=value.end
            )
            return None
        if isinstance(value, n.Call) and _names(value.function, ("comparing",)) and len(value.arguments) == 1:
            call.arguments[place].value = value = value.arguments[0].value
        key = _without_down(value)
        if key is None:
            continue
        call.arguments[place].value = key
        name = "sortByDescending"
        if isinstance(call.function, (n.Name, n.Member)) and "max" in call.function.name.lower():
            name = "minBy"
        elif isinstance(call.function, (n.Name, n.Member)) and "min" in call.function.name.lower():
            name = "maxBy"
        others = [each for each in call.arguments if each is not call.arguments[place]]
        if len(others) != 1:
            return None
        owner = others[0].value
        return n.Call(n.Member(owner, name, start=call.start, end=call.end), [n.Argument(key)], start=call.start, end=call.end)
    return None


def _order_of(value: n.Expr) -> n.Expr | None:
    """`comparing f <> comparing g` as the order of `_arg0` and `_arg1`; None for another function."""
    start, end = value.start, value.end
    if isinstance(value, n.Binary) and value.operator == "<>":
        left, right = _order_of(value.left), _order_of(value.right)
        if left is None or right is None:
            return None
        return n.Call(n.Member(left, "then_order", start=start, end=end), [n.Argument(right)], start=start, end=end)
    if not isinstance(value, n.Call) or not _names(value.function, ("comparing",)) or len(value.arguments) != 1:
        return None
    key = value.arguments[0].value
    turned = _without_down(key)
    names = ["_arg0", "_arg1"] if turned is None else ["_arg1", "_arg0"]
    sides = [_called(deepcopy(turned or key), [n.Name(name, start=start, end=end)]) for name in names]
    return n.Binary("<=>", sides[0], sides[1], start=start, end=end)


def _without_down(value: n.Expr) -> n.Expr | None:
    """The key of an order that `Down` turns; None for any other function."""
    if _names(value, ("Down",)):
        return n.Lambda([n.Binding("_arg0")], n.Name("_arg0", start=value.start, end=value.end), start=value.start, end=value.end)
    if not isinstance(value, n.Lambda) or len(value.parameters) != 1:
        return None
    body = value.body
    if isinstance(body, n.Call) and _names(body.function, ("Down",)) and len(body.arguments) == 1:
        return n.Lambda(value.parameters, body.arguments[0].value, start=value.start, end=value.end)
    return None


def endless(node: n.Expr) -> n.Expr | None:
    """The first number of `[1..]`; None for another list."""
    is_list = isinstance(node, n.Call) and isinstance(node.function, n.Member) and node.function.name == "to_list"
    inner = node.function.object if is_list and isinstance(node, n.Call) and isinstance(node.function, n.Member) else node
    return inner.low if isinstance(inner, n.Range) and inner.high is None else None


def _numbered(call: n.Call, name: str, values: list[n.Expr]) -> n.Expr | None:
    """`zip [0..] xs`, `take 3 [1..]`."""
    first, second = endless(values[0]), endless(values[1])
    start, end = call.start, call.end
    if name == "zip" and first is not None and second is None:
        return n.Call(n.Member(values[1], "enumerate", start=start, end=end), [n.Argument(first)], start=start, end=end)
    if name == "zip" and second is not None and first is None:
        numbered = n.Call(n.Member(values[0], "enumerate", start=start, end=end), [n.Argument(second)], start=start, end=end)
        turned = n.TupleOf([n.Name("each_item", start=start, end=start), n.Name("each_place", start=start, end=start)])
        pair = n.TuplePattern([n.Binding("each_place"), n.Binding("each_item")])
        closure = n.Lambda([pair], turned, start=start, end=end)
        return n.Call(n.Member(numbered, "map", start=start, end=end), [n.Argument(closure)], start=start, end=end)
    if name == "take" and second is not None:
        high = n.Binary("+", deepcopy(second), values[0], start=start, end=end)
        whole = n.Range(second, high, False, start=start, end=end)
        return n.Call(n.Member(whole, "to_list", start=start, end=end), [], start=start, end=end)
    return None


def _numbered_with(call: n.Call, values: list[n.Expr], low: n.Expr) -> n.Expr | None:
    """`zipWith f [0..] xs`."""
    start, end = call.start, call.end
    numbered = n.Call(n.Member(values[2], "enumerate", start=start, end=end), [n.Argument(low)], start=start, end=end)
    closure = values[0]
    if isinstance(closure, n.Lambda) and len(closure.parameters) == 2:
        closure.parameters = [n.TuplePattern(list(closure.parameters))]
    elif isinstance(closure, n.OperatorFunction):
        return None
    else:
        place, item = (n.Name(name, start=start, end=start) for name in ("each_place", "each_item"))
        pair = n.TuplePattern([n.Binding("each_place"), n.Binding("each_item")])
        closure = n.Lambda([pair], _called(closure, [place, item]), start=start, end=end)
    return n.Call(n.Member(numbered, "map", start=start, end=end), [n.Argument(closure)], start=start, end=end)


# ---- pairs with arrows ----


def pair_of(value: n.Expr) -> tuple[n.Expr, n.Expr] | None:
    """`key -> value`, which is read as a closure where the key is a name."""
    if isinstance(value, n.TupleOf) and len(value.items) == 2:
        return value.items[0], value.items[1]
    only = value.parameters[0] if isinstance(value, n.Lambda) and len(value.parameters) == 1 else None
    if isinstance(value, n.Lambda) and isinstance(only, n.Binding) and only.inner is None and only.type is None:
        return n.Name(only.name, start=value.start, end=value.start), value.body
    return None


def added(whole: n.Expr, pair: tuple[n.Expr, n.Expr], node: n.Node) -> n.Expr:
    """`m + (key -> value)`: a map with an entry."""
    member = n.Member(whole, "put", start=node.start, end=node.end)
    return n.Call(member, [n.Argument(pair[0]), n.Argument(pair[1])], start=node.start, end=node.end)


def with_pairs(call: n.Call, word: str) -> n.Call | n.MapOf:
    """`Map(name -> 1)`, `Seq(a -> 1)`: pairs, and a map of them."""
    pairs = [pair_of(each.value) for each in call.arguments if not each.name]
    if len(pairs) != len(call.arguments) or any(pair is None for pair in pairs):
        return call
    entries = [pair for pair in pairs if pair is not None]
    if word == "Map":
        return n.MapOf(entries, start=call.start, end=call.end)
    for each, (key, value) in zip(call.arguments, entries, strict=True):
        each.value = n.TupleOf([key, value], start=each.value.start, end=each.value.end)
    return call


def member_function(value: n.Member) -> n.Lambda | None:
    """`Tuple.first`, `int.add` as closures."""
    module = value.object.name if isinstance(value.object, n.Name) else ""
    start, end = value.start, value.end
    own = n.Name("_arg0", start=start, end=end)
    if module == "Tuple" and value.name in ("first", "second"):
        part = n.Member(own, "0" if value.name == "first" else "1", start=start, end=end)
        return n.Lambda([n.Binding("_arg0")], part, start=start, end=end)
    if module == "Tuple" and value.name == "pair":
        both = n.TupleOf([own, n.Name("_arg1", start=start, end=end)], start=start, end=end)
        return n.Lambda([n.Binding("_arg0"), n.Binding("_arg1")], both, start=start, end=end)
    sign = _OPERATORS.get(value.name) if module in ("int", "float", "Int", "Float") else None
    if sign is None:
        return None
    body = n.Binary(sign, own, n.Name("_arg1", start=start, end=end), start=start, end=end)
    return n.Lambda([n.Binding("_arg0"), n.Binding("_arg1")], body, start=start, end=end)
