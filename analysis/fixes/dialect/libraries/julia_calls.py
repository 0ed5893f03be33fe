"""Calls of Julia's library, as methods that the lexicon knows."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.libraries.lua_calls import before
from analysis.fixes.dialect.tree import nodes as n

_ROUNDED: Final = ("round", "floor", "ceil", "trunc")
_OF_BOTH: Final = {"maximum": "max_of", "minimum": "min_of", "sum": "sum", "prod": "product"}
_PLAIN: Final = {
    "prod": "product", "isnothing": "is_none", "lowercase": "lower", "uppercasefirst": "capitalize",
    "isqrt": "isqrt",
    "popfirst!": "shift_value", "pushfirst!": "prepend", "empty!": "clear", "first": "first", "last": "last",
    "chomp": "trim_end",
    "union": "union", "intersect": "intersect", "setdiff": "minus", "lpad": "pad_left", "rpad": "pad_right",
    "isdigit": "is_digit",
    "isletter": "is_letter", "iseven": "even", "isodd": "odd", "vcat": "concat",
    "eachindex": "places_from_one",
}  # fmt: skip


def of_julia(call: n.Call) -> n.Expr:
    """Translation of a call of Julia's library; any other call unchanged."""
    function, arguments = call.function, call.arguments
    if not isinstance(function, n.Name) or not arguments:
        return call
    name, values = function.name, [each.value for each in arguments]
    if any(each.name for each in arguments):
        return _with_names(call, name, arguments)
    first = values[0]
    if name == "string":
        return n.Interpolated(values, start=call.start, end=call.end)
    if name == "enumerate" and len(values) == 1:
        return _method(first, "enumerate", [n.Argument(n.Literal("int", "1", start=call.start, end=call.start))], call)
    if name in ("fill", "zeros", "ones", "trues", "falses"):
        return _filled(call, name, values)
    if name in ("parse", "tryparse") and len(values) == 2:
        return _parsed(call, name, values)
    if name in _ROUNDED and len(values) == 2 and isinstance(first, n.Name) and first.name in ("Int", "Int64"):
        return _method(values[1], name, [], call)
    if len(values) == 2 and isinstance(first, (n.Lambda, n.OperatorFunction)):
        return _with_function(call, name, first, values[1])
    if (
        len(values) == 2
        and isinstance(first, n.Name)
        and name in ("filter", "map", "count", "any", "all", "findfirst", "findall")
    ):
        if first.name in ("iseven", "isodd"):
            own = n.Name("each_item", start=first.start, end=first.end)
            test = _method(own, "even" if first.name == "iseven" else "odd", [], call)
            return _with_function(
                call, name, n.Lambda([n.Binding("each_item")], test, start=first.start, end=first.end), values[1]
            )
        return _with_function(call, name, first, values[1])
    if name == "occursin" and len(values) == 2:
        return _method(values[1], "contains", [n.Argument(first)], call)
    if name == "replace" and len(values) == 2 and isinstance(values[1], n.TupleOf):
        return _method(first, "replace", [n.Argument(part) for part in values[1].items], call)
    if name in ("insert!", "deleteat!") and len(values) > 1:
        method = "insert_at" if name == "insert!" else "remove_at"
        return _method(first, method, [n.Argument(before(values[1])), *arguments[2:]], call)
    if name == "get" and len(values) == 3:
        return _method(first, "get_or", arguments[1:], call)
    return _method(first, _PLAIN[name], arguments[1:], call) if name in _PLAIN else call


def _with_names(call: n.Call, name: str, arguments: list[n.Argument]) -> n.Expr:
    """`round(x, digits=2)`, `foldl(+, xs; init=0)`, `sort(xs, rev=true)`."""
    named = {each.name: each.value for each in arguments if each.name}
    values = [each.value for each in arguments if not each.name]
    if name == "round" and set(named) == {"digits"} and len(values) == 1:
        call.arguments = [n.Argument(values[0]), n.Argument(named["digits"])]
        return _method(values[0], "round", call.arguments[1:], call)
    if name in ("foldl", "reduce") and set(named) == {"init"} and len(values) == 2:
        return _method(values[1], "fold", [n.Argument(named["init"]), n.Argument(values[0])], call)
    if name == "sum" and set(named) == {"init"} and len(values) == 1:
        return _method(values[0], "sum", [], call)
    return call


def _with_function(call: n.Call, name: str, function: n.Expr, items: n.Expr) -> n.Expr:
    """`sum(x -> x^2, xs)`, `findfirst(x -> x > 1, xs)`."""
    argument = [n.Argument(function)]
    if name in _OF_BOTH:
        return _method(_method(items, "map", argument, call), _OF_BOTH[name], [], call)
    if name in ("reduce", "foldl"):
        return _method(items, "reduce", argument, call)
    if name == "findfirst":
        return _method(items, "place_found_from_one", argument, call)
    if name == "findall":
        return _method(items, "places_found_from_one", argument, call)
    if name in ("map", "filter", "any", "all", "count"):
        return _method(items, name, argument, call)
    return call


def _filled(call: n.Call, name: str, values: list[n.Expr]) -> n.Expr:
    """`fill(v, n)`, `zeros(Int, n)`, `falses(n)`."""
    start, end = call.start, call.end
    if name == "fill" and len(values) in (2, 3):
        filled = values[0]
        for size in reversed(values[1:]):
            filled = n.Call(n.Name("vec!;"), [n.Argument(filled), n.Argument(size)], start=start, end=end)
        return filled
    sizes, item = values, n.Literal("float", "0.0" if name == "zeros" else "1.0", start=start, end=end)
    if name in ("trues", "falses"):
        item = n.Literal("bool", "true" if name == "trues" else "false", start=start, end=end)
    elif isinstance(values[0], n.Name) and values[0].name in ("Int", "Int64"):
        sizes, item = values[1:], n.Literal("int", "0" if name == "zeros" else "1", start=start, end=end)
    if not sizes or name == "fill":
        return call
    whole: n.Expr = item
    for size in reversed(sizes):
        whole = n.Call(n.Name("vec!;"), [n.Argument(whole), n.Argument(size)], start=start, end=end)
    return whole


def _parsed(call: n.Call, name: str, values: list[n.Expr]) -> n.Expr:
    """`parse(Int, s)` fails where there is no number, `tryparse` gives nothing."""
    is_float = isinstance(values[0], n.Name) and values[0].name in ("Float64", "Float")
    number = _method(values[1], "to_float" if is_float else "to_int", [], call)
    return number if name == "tryparse" else _method(number, "unwrap", [], call)


def _method(owner: n.Expr, name: str, arguments: list[n.Argument], call: n.Call) -> n.Call:
    member = n.Member(owner, name, start=owner.start, end=call.end)
    return n.Call(member, arguments, start=call.start, end=call.end)
