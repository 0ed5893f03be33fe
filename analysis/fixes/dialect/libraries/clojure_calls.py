"""Calls of Clojure's library as methods that the lexicon knows: what they work on stands last for sequences, else first."""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.tree import nodes as n

_LAST: Final = {
    ("map", 2): "map", ("mapv", 2): "map", ("filter", 2): "filter", ("filterv", 2): "filter", ("remove", 2): "reject",
    ("mapcat", 2): "flat_map", ("keep", 2): "filter_map", ("take", 2): "take", ("drop", 2): "drop",
    ("take_last", 2): "take_last",
    ("drop_last", 2): "drop_last", ("take_while", 2): "take_while", ("drop_while", 2): "drop_while",
    ("sort_by", 2): "sort_by_key",
    ("group_by", 2): "group_by", ("partition_all", 2): "chunks", ("every", 2): "all", ("not_any", 2): "none", ("some", 2): "any",
    ("interpose", 2): "intersperse", ("reduce", 2): "reduce", ("max_by", 2): "max_by", ("min_by", 2): "min_by",
    ("run", 2): "for_each",
}  # fmt: skip
"""Functions on their last argument."""
_FIRST: Final = {
    ("get", 2): "get", ("get", 3): "get_or", ("count", 1): "len", ("empty", 1): "is_empty", ("seq", 1): "to_list",
    ("vec", 1): "to_list",
    ("keys", 1): "keys", ("vals", 1): "values", ("dissoc", 2): "delete", ("contains", 2): "contains", ("merge", 2): "merge",
    ("conj", 2): "append_item", ("rest", 1): "tail", ("next", 1): "tail", ("butlast", 1): "init", ("reverse", 1): "reverse",
    ("sort", 1): "sort", ("distinct", 1): "unique", ("frequencies", 1): "frequencies", ("first", 1): "first", ("last", 1): "last",
    ("nil", 1): "is_none", ("some_value", 1): "is_some", ("even", 1): "even", ("odd", 1): "odd", ("concat", 2): "append_all",
    ("upper_case", 1): "to_upper", ("lower_case", 1): "to_lower", ("mod", 2): "mod",
    ("name", 1): "to_string", ("parse_long", 1): "to_int", ("abs", 1): "abs", ("flatten", 1): "flatten",
}  # fmt: skip
"""Functions on their first argument."""
_SIGNS: Final = {"quot": "/", "rem": "%", "and": "&&", "or": "||"}
_COMPARED: Final = {"zero": ("==", "0"), "pos": (">", "0"), "neg": ("<", "0")}
_STEPS: Final = {"inc": "+", "dec": "-"}
ALONE: Final = frozenset(
    (*_STEPS, *_COMPARED, "even", "odd", "not", "str", "count", "first", "last", "empty", "second", "rest", "nil")
)
"""Functions of one value that are handed on by their names."""


def of_clojure(call: n.Call, fields: frozenset[str]) -> n.Expr:
    """Translation of a call of Clojure's library; any other call unchanged. `fields` are those of the program's records."""
    if not isinstance(call.function, n.Name) or any(each.name for each in call.arguments):
        return call
    name, values = call.function.name, [each.value for each in call.arguments]
    start, end = call.start, call.end
    if name == "str" and len(values) > 1:
        return n.Interpolated(values, start=start, end=end)
    if name in _STEPS and len(values) == 1:
        return n.Binary(_STEPS[name], values[0], n.Literal("int", "1", start=start, end=end), start=start, end=end)
    if name in _COMPARED and len(values) == 1:
        sign, number = _COMPARED[name]
        return n.Binary(sign, values[0], n.Literal("int", number, start=start, end=end), start=start, end=end)
    if name == "not" and len(values) == 1:
        return n.Unary("!", values[0], start=start, end=end)
    if name in _SIGNS and len(values) > 1:
        whole = values[0]
        for value in values[1:]:
            whole = n.Binary(_SIGNS[name], whole, value, start=start, end=end)
        return whole
    if name in ("assoc", "update", "get", "dissoc") and values:
        return _of_entry(call, name, values, fields)
    if name == "reduce" and len(values) == 3:
        return _method(values[2], "fold", [values[1], values[0]], call)
    if name == "second" and len(values) == 1:
        return _method(_method(values[0], "drop", [n.Literal("int", "1", start=start, end=end)], call), "first", [], call)
    if name == "map" and len(values) == 3 and isinstance(values[0], n.Name) and values[0].name in ("vector", "list"):
        return _method(values[1], "zip", [values[2]], call)
    if name == "reductions" and len(values) == 3:
        return _method(values[2], "scanl", [values[1], values[0]], call)
    if name == "nth" and len(values) == 2:
        return n.Index(values[0], values[1], start=start, end=end)
    if name == "into" and len(values) == 2:
        if isinstance(values[0], n.MapOf) and not values[0].pairs:
            return _method(values[1], "to_map", [], call)
        return _method(values[0], "append_all", [values[1]], call)
    if name == "map" and len(values) == 3:
        return _method(values[1], "zip_with", [values[2], values[0]], call)
    if name == "apply" and len(values) == 2:
        return _applied(values, call)
    if name == "conj" and len(values) > 2:
        whole = values[0]
        for value in values[1:]:
            whole = _method(whole, "append_item", [value], call)
        return whole
    if (method := _LAST.get((name, len(values)))) is not None:
        return _method(values[-1], method, values[:-1], call)
    if (method := _FIRST.get((name, len(values)))) is not None:
        return _method(values[0], method, values[1:], call)
    return call


def _of_entry(call: n.Call, name: str, values: list[n.Expr], fields: frozenset[str]) -> n.Expr:
    """`assoc(m, k, v)`, `update(m, k, f)`, `get(m, k)`: of a map, or of a record where the key is one of its fields."""
    start, end = call.start, call.end
    owner, keys = values[0], values[1:]
    word = _field(keys[0], fields) if keys else ""
    if name == "get" and word and len(keys) == 1:
        return n.Member(owner, word, start=start, end=end)
    if name == "update" and len(keys) >= 2:
        key, function, more = keys[0], keys[1], keys[2:]
        if word:
            held: n.Expr = n.Member(deepcopy(owner), word, start=start, end=end)
        elif isinstance(function, n.Call) and isinstance(function.function, n.Name) and function.function.name == "fnil":
            default = function.arguments[1].value
            function = function.arguments[0].value
            held = _method(deepcopy(owner), "get_or", [deepcopy(key), default], call)
        else:
            held = _method(_method(deepcopy(owner), "get", [deepcopy(key)], call), "unwrap", [], call)
        value = of_clojure(called(function, [held, *more], call), fields)
        keys = [key, value]
    if name in ("assoc", "update") and len(keys) > 1 and len(keys) % 2 == 0:
        pairs = list(zip(keys[::2], keys[1::2], strict=True))
        named = [_field(key, fields) for key, _ in pairs]
        if all(named):
            changed = {each: value for each, (_, value) in zip(named, pairs, strict=True)}
            return n.RecordOf("", changed, owner, start=start, end=end)
        for key, value in pairs:
            owner = _method(owner, "put", [key, value], call)
        return owner
    method = _FIRST.get((name, len(values)))
    return _method(owner, method, keys, call) if method is not None else call


def _field(key: n.Expr, fields: frozenset[str]) -> str:
    """The field that a keyword names; "" for another key."""
    is_keyword = isinstance(key, n.OperatorFunction) and key.operator == "." and key.name in fields
    return key.name if is_keyword and isinstance(key, n.OperatorFunction) else ""


def _applied(values: list[n.Expr], call: n.Call) -> n.Expr:
    """`apply(+, xs)`, `apply(max, xs)`, `apply(str, xs)`."""
    function, whole = values
    if isinstance(function, n.OperatorFunction) and function.operator != ".":
        return _method(whole, {"+": "sum", "*": "product"}.get(function.operator, "reduce"),
                       [] if function.operator in ("+", "*") else [function], call)  # fmt: skip
    if isinstance(function, n.Name) and function.name in ("max", "min"):
        return _method(_method(whole, function.name, [], call), "unwrap", [], call)
    if isinstance(function, n.Name) and function.name == "str":
        return _method(whole, "join", [n.Literal("string", '""', start=call.start, end=call.end)], call)
    return call


def called(function: n.Expr, values: list[n.Expr], call: n.Call) -> n.Call:
    """A function with its values; a sign is read as a function of two."""
    return n.Call(function, [n.Argument(value) for value in values], start=call.start, end=call.end)


def _method(owner: n.Expr, name: str, values: list[n.Expr], call: n.Call) -> n.Call:
    member = n.Member(owner, name, start=call.start, end=call.end)
    return n.Call(member, [n.Argument(value) for value in values], start=call.start, end=call.end)
