"""Functions of PHP whose arguments stand in an order of their own, as calls that the lexicon knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from analysis.fixes.dialect.tree import nodes as n

_Rewrite = Callable[[n.Call, list[n.Expr]], "n.Expr | None"]


def of_php(call: n.Call, is_php: bool) -> n.Expr | None:
    """Translation of a call of a PHP function; None if there is none."""
    if isinstance(call.function, n.Member) and call.function.name == "substr":
        return _cut(call, [call.function.object, *(each.value for each in call.arguments)])
    if not isinstance(call.function, n.Name) or any(each.name for each in call.arguments):
        return None
    if call.function.name == "range" and not is_php:
        # In Python the second number is not part of it.
        return None
    rewrite = _FUNCTIONS.get(call.function.name)
    return rewrite(call, [each.value for each in call.arguments]) if rewrite is not None and call.arguments else None


def _method(value: n.Expr, name: str, call: n.Call, *arguments: n.Expr) -> n.Call:
    member = n.Member(value, name, start=call.start, end=call.end)
    return n.Call(member, [n.Argument(each) for each in arguments], start=call.start, end=call.end)


def _isset(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    """`isset(m[k])`, also of several entries."""
    whole: n.Expr | None = None
    for value in values:
        if isinstance(value, n.Index):
            one: n.Expr = _method(value.object, "has_place", call, value.index)
        elif isinstance(value, n.Name):
            one = _method(value, "is_some", call)
        else:
            return None
        whole = one if whole is None else n.Binary("&&", whole, one, start=call.start, end=call.end)
    return whole


def _empty(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    return n.Unary("!", values[0], start=call.start, end=call.end) if len(values) == 1 else None


def _number_format(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    """`number_format(n)`, `number_format(x, 2)`: with commas between thousands."""
    if len(values) > 2:
        return None
    digits = values[1] if len(values) == 2 else n.Literal("int", "0", start=call.start, end=call.end)
    return _method(_method(values[0], "toFixed", call, digits), "group_digits", call)


def _padded(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    """`str_pad(s, 3, "0", STR_PAD_LEFT)`."""
    side = values[3].name if len(values) == 4 and isinstance(values[3], n.Name) else "STR_PAD_RIGHT"
    name = {"STR_PAD_LEFT": "padStart", "STR_PAD_RIGHT": "padEnd", "STR_PAD_BOTH": "center_format"}.get(side)
    sign = values[2] if len(values) > 2 else n.Literal("string", '" "', start=call.start, end=call.end)
    if name is None or len(values) < 2:
        return None
    return _method(_method(values[0], "to_string", call), name, call, values[1], sign)


def _replaced(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    """`str_replace(old, new, text)`."""
    if len(values) != 3 or isinstance(values[0], n.ListOf):
        return None
    return _method(values[2], "replaceAll", call, values[0], values[1])


def _cut(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    """`substr(s, -3)`, `substr(s, 1, -1)`: a negative start or length counts from the end."""
    if not any(isinstance(each, n.Unary) for each in values[1:]) or len(values) not in (2, 3):
        return None
    if len(values) == 2 or isinstance(values[2], n.Unary):
        return n.Slice(values[0], values[1], values[2] if len(values) == 3 else None, start=call.start, end=call.end)
    tail = n.Slice(values[0], values[1], None, start=call.start, end=call.end)
    return n.Slice(tail, n.Literal("int", "0", start=call.start), values[2], start=call.start, end=call.end)


def _range(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    """`range(1, 5)`, which holds both ends."""
    if len(values) not in (2, 3) or any(isinstance(each, n.Unary) for each in values[2:]):
        return None
    numbers: n.Expr = n.Range(values[0], values[1], True, start=call.start, end=call.end)
    return _method(numbers, "to_list", call) if len(values) == 2 else _method(numbers, "step_by", call, values[2])


def _combined(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    """`array_combine(keys, values)`."""
    return _method(_method(values[0], "zip", call, values[1]), "to_map", call) if len(values) == 2 else None


def _unset(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    """`unset(m[k])`."""
    if len(values) != 1 or not isinstance(values[0], n.Index):
        return None
    return _method(values[0].object, "delete_place", call, values[0].index)


def _translated(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    """`strtr(s, "abc", "xyz")`: sign by sign."""
    if len(values) != 3 or not all(isinstance(each, n.Literal) and each.kind == "string" for each in values[1:]):
        return None
    return _method(values[0], "translate_signs", call, *values[1:])


def _divided(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    return n.Binary("/", values[0], values[1], start=call.start, end=call.end) if len(values) == 2 else None


def _filled(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    """`array_fill(0, n, v)`."""
    is_whole = len(values) == 3 and isinstance(values[0], n.Literal) and values[0].text == "0"
    if not is_whole:
        return None
    return n.Call(n.Name("vec!;"), [n.Argument(values[2]), n.Argument(values[1])], start=call.start, end=call.end)


def _column(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    """`array_column(rows, "name")`: a field of every record."""
    if len(values) != 2 or not isinstance(values[1], n.Literal) or values[1].kind != "string":
        return None
    item = n.Name("row", start=call.start, end=call.end)
    field = n.Member(item, values[1].text[1:-1], start=call.start, end=call.end)
    return _method(values[0], "map", call, n.Lambda([n.Binding("row")], field, start=call.start, end=call.end))


def _as(name: str, count: int) -> _Rewrite:
    """A function that is a method of its first argument."""
    return lambda call, values: _method(values[0], name, call, *values[1:]) if len(values) == count else None


_FUNCTIONS: Final[dict[str, _Rewrite]] = {
    "isset": _isset,
    "empty": _empty,
    "is_null": _as("nil", 1),
    "number_format": _number_format,
    "str_pad": _padded,
    "str_replace": _replaced,
    "range": _range,
    "strpos": _as("position_or_false", 2),
    "mb_strpos": _as("position_or_false", 2),
    "strrpos": _as("last_position_or_false", 2),
    "intdiv": _divided,
    "substr": _cut,
    "mb_substr": _cut,
    "array_fill": _filled,
    "array_column": _column,
    "array_count_values": _as("tally", 1),
    "array_product": _as("product", 1),
    "substr_count": _as("count", 2),
    "array_key_last": _as("lastKey", 1),
    "array_key_first": _as("firstKey", 1),
    "array_chunk": _as("chunks", 2),
    "array_diff": _as("difference", 2),
    "array_intersect": _as("intersection", 2),
    "array_flip": lambda call, values: None,
    "floatval": _as("to_float", 1),
    "rsort": _as("sort_descending", 1),
    "array_combine": lambda call, values: (
        _method(_method(values[0], "zip", call, values[1]), "to_map", call) if len(values) == 2 else None
    ),
    "unset": _unset,
    "dechex": lambda call, values: _method(values[0], "in_base", call, n.Literal("int", "16")),
    "decbin": lambda call, values: _method(values[0], "in_base", call, n.Literal("int", "2")),
    "bindec": lambda call, values: _method(values[0], "to_base_int", call, n.Literal("int", "2")),
    "hexdec": lambda call, values: _method(values[0], "to_base_int", call, n.Literal("int", "16")),
    "strtr": _translated,
    "strcmp": lambda call, values: n.Binary("<=>", values[0], values[1]) if len(values) == 2 else None,
    "mb_strtoupper": _as("upper", 1),
    "mb_strtolower": _as("lower", 1),
    "mb_str_split": _as("chars", 1),
}
