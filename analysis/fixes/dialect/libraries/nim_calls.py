"""Calls of Nim's library, as methods that the lexicon knows; `mapIt(it * 2)` and its kin as calls with closures."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.libraries.lua_calls import downwards
from analysis.fixes.dialect.tree import nodes as n

_WITH_IT: Final = {
    "mapIt": "map", "filterIt": "filter", "anyIt": "any", "allIt": "all", "countIt": "count", "sortedByIt": "sort_by_key",
    "findIt": "find", "keepItIf": "filter",
}  # fmt: skip
_FUNCTIONS: Final = {
    "len": "len", "toSeq": "to_list", "sorted": "sort", "reversed": "reverse", "sum": "sum", "parseInt": "to_number",
    "parseFloat": "to_float", "toUpperAscii": "upper", "toLowerAscii": "lower", "high": "lastIndex", "strip": "trim",
    "splitWhitespace": "words", "splitLines": "lines", "startsWith": "startsWith", "endsWith": "endsWith", "repeat": "repeat",
    "join": "join", "split": "split", "replace": "replace", "contains": "contains", "align": "pad_left", "alignLeft": "pad_right",
    "deduplicate": "unique", "isDigit": "is_digit", "isAlphaAscii": "is_letter", "isUpperAscii": "is_upper", "card": "len",
    "isLowerAscii": "is_lower", "isSpaceAscii": "is_space", "isAlphaNumeric": "is_alphanumeric", "hasKey": "containsKey",
    "getOrDefault": "getOrDefault", "intToStr": "to_string", "capitalizeAscii": "capitalize", "del": "delete_place",
    "toTable": "to_map", "toOrderedTable": "to_map", "toHashSet": "to_set", "incl": "set_add", "excl": "set_remove", "zip": "zip",
    "isSome": "is_some", "isNone": "is_none", "keys": "keys", "values": "values", "pairs": "entries", "toLower": "lower",
    "toUpper": "upper", "insert": "insert", "delete": "delete_place", "add": "append", "pop": "pop", "concat": "concat",
}  # fmt: skip
_KEPT: Final = ("len", "join", "split", "replace", "contains", "zip", "pop")
_METHODS: Final = {name: method for name, method in _FUNCTIONS.items() if name not in _KEPT}
_COUNTED: Final = ("countdown", "countup")


def of_nim(call: n.Call) -> n.Expr:
    """Translation of a call of Nim's library; any other call unchanged."""
    function, arguments = call.function, call.arguments
    if isinstance(function, n.Name):
        return _function(call, function.name, arguments)
    if not isinstance(function, n.Member):
        return call
    return _method_of(call, function.object, function.name, arguments)


def _function(call: n.Call, name: str, arguments: list[n.Argument]) -> n.Expr:
    if name in _COUNTED and len(arguments) >= 2:
        return _counted(call, name, arguments)
    if name == "none" and len(arguments) == 1:
        return n.Literal("none", "None", start=call.start, end=call.end)
    if name == "newException" and len(arguments) == 2:
        return n.Call(arguments[0].value, arguments[1:], start=call.start, end=call.end)
    if name == "swap" and len(arguments) == 2:
        return call
    if name in _FUNCTIONS and arguments and not arguments[0].name and name not in ("split", "join", "replace", "contains", "zip"):
        return _method_of(call, arguments[0].value, name, arguments[1:]) if name not in _KEPT else call
    if name in (*_WITH_IT, "foldl", "foldr") and len(arguments) >= 2:
        return _method_of(call, arguments[0].value, name, arguments[1:])
    if name == "cmp" and len(arguments) == 2:
        return n.Binary("<=>", arguments[0].value, arguments[1].value, start=call.start, end=call.end)
    return call


def _method_of(call: n.Call, owner: n.Expr, name: str, arguments: list[n.Argument]) -> n.Expr:
    if name in _WITH_IT and len(arguments) == 1:
        closure = n.Lambda([n.Binding("it")], arguments[0].value, start=call.start, end=call.end)
        return _method(owner, _WITH_IT[name], [n.Argument(closure)], call)
    if name in ("foldl", "foldr") and arguments:
        closure = n.Lambda([n.Binding("a"), n.Binding("b")], arguments[0].value, start=call.start, end=call.end)
        if len(arguments) == 2:
            return _method(owner, "fold" if name == "foldl" else "foldr", [arguments[1], n.Argument(closure)], call)
        return _method(owner, "reduce" if name == "foldl" else "reduce_right", [n.Argument(closure)], call)
    if name == "mgetOrPut" and len(arguments) == 2:
        return _method(owner, "get_or", arguments, call)
    if name == "getOrDefault" and len(arguments) == 1:
        return _method(owner, "value_or_zero", arguments, call)
    if name == "insert" and len(arguments) == 2:
        return _method(owner, "insert_at", [arguments[1], arguments[0]], call)
    if name in _METHODS:
        return _method(owner, _METHODS[name], arguments, call)
    return call


def _counted(call: n.Call, name: str, arguments: list[n.Argument]) -> n.Expr:
    """`countdown(9, 0)`, `countup(0, 10, 2)`: both ends belong to it."""
    first, last = arguments[0].value, arguments[1].value
    start, end = call.start, call.end
    source: n.Expr = n.Range(first, last, True, start=start, end=end)
    if name == "countdown" and len(arguments) == 3:
        return downwards(first, last, arguments[2].value)
    if name == "countdown":
        source = _method(n.Range(last, first, True, start=start, end=end), "reversed", [], call)
    return _method(source, "step_by", arguments[2:], call) if len(arguments) == 3 else source


def _method(owner: n.Expr, name: str, arguments: list[n.Argument], call: n.Call) -> n.Call:
    member = n.Member(owner, name, start=owner.start, end=call.end)
    return n.Call(member, arguments, start=call.start, end=call.end)
