"""Implementation of every pure opcode: one function each, arguments in the order in which they were pushed.

The tables at the end name them by opcode; the interpreter calls them for everything, translated code wherever it has no
faster form of its own. Checks stand in the order of chapters 08 and 09, since the first that fails decides the message.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Final

from boruna_ls.runtime import tool_results
from boruna_ls.runtime.errors import VmError, memory_limit, type_error
from boruna_ls.runtime.forms import float_text
from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.operators import add, and_, div, gt, gte, lt, lte, mod, mul, neg, not_, not_equal, or_, sub
from boruna_ls.runtime.values import (
    INT_MAX,
    INT_MIN,
    LIST_HEAD,
    LIST_RECORD,
    NONE,
    Value,
    equal,
    err,
    make_list,
    ok,
    some,
    type_name,
)

MEMORY_CEILING: Final = 1 << 30
"""Bytes that a run may take up; its process sees to that."""
MAX_BYTES = MEMORY_CEILING // 4
"""Bytes that one text or list may take up: with its parts and one copy it has to fit."""

# ---- lists ----------------------------------------------------------------------------------------------------------


def _list(value: Value) -> Value:
    if type(value) is tuple and value[0] == LIST_HEAD:
        return value
    raise type_error("List", type_name(value))


def _list_or_record(value: Value) -> Value:
    if type(value) is tuple and value[0] == LIST_RECORD:
        return make_list(list(value[1:]))
    return _list(value)


def list_len(xs: Value) -> int:
    """Number of items."""
    size: int = _list_or_record(xs)[2]
    return size


def list_len_builtin(xs: Value) -> int:
    """Number of items; lists only."""
    size: int = _list(xs)[2]
    return size


def list_get(xs: Value, index: Value) -> Value:
    """The item at an index from 0."""
    if type(index) is not int:
        raise type_error("Int", type_name(index))
    _, items, size = _list_or_record(xs)
    if 0 <= index < size:
        return items[index]
    raise VmError(f"list index out of bounds: index {index}, length {size}")


def list_push(xs: Value, value: Value) -> Value:
    """A list with one item more."""
    return pushed(_list_or_record(xs), value)


def list_append(xs: Value, value: Value) -> Value:
    """A list with one item more; lists only."""
    return pushed(_list(xs), value)


def pushed(xs: Value, value: Value) -> Value:
    """The Python list behind `xs` is extended if it was not extended before, else its part is copied."""
    _, items, size = xs
    if len(items) != size:
        items = items[:size]
    items.append(value)
    return (LIST_HEAD, items, size + 1)


def list_is_empty(xs: Value) -> bool:
    """True if the list has no items."""
    return not _list(xs)[2]


def list_head(xs: Value) -> Value:
    """Some(first item) or None."""
    return some(xs[1][0]) if _list(xs)[2] else NONE


def list_tail(xs: Value) -> Value:
    """All but the first."""
    return make_list(xs[1][1 : xs[2]]) if _list(xs)[2] else xs


def list_concat(xs: Value, ys: Value) -> Value:
    """The items of both."""
    left, right = _list(xs), _list(ys)
    if left[2] + right[2] > MAX_BYTES // 8:
        raise memory_limit(MEMORY_CEILING)
    return make_list(left[1][: left[2]] + right[1][: right[2]])


def list_reverse(xs: Value) -> Value:
    """The items from last to first."""
    return make_list(_list(xs)[1][: xs[2]][::-1])


# ---- strings --------------------------------------------------------------------------------------------------------

_SPACE: Final = "".join(
    map(chr, [*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000])
)


def _text(value: Value) -> str:
    if type(value) is str:
        return value
    raise type_error("String", type_name(value))


def concat(left: Value, right: Value) -> str:
    """`++`."""
    if type(left) is str and type(right) is str:
        return _bounded(len(left) + len(right), lambda: left + right)
    raise type_error("String", type_name(right if type(left) is str else left))


def _bounded(size: int, make: Callable[[], str]) -> str:
    if size > MAX_BYTES:
        raise memory_limit(MEMORY_CEILING)
    return make()


def string_len(text: Value) -> int:
    """Number of UTF-8 bytes."""
    text = _text(text)
    return len(text) if text.isascii() else len(_utf8(text))


_LONG: Final = 200
_KEPT_BYTES: Final = 1 << 22
_KEPT_TEXTS: Final = 4
_recent: list[tuple[str, bytes]] = []


def _utf8(text: str) -> bytes:
    """The bytes of a text. Those of the last long ones are kept: loops ask for one piece after another."""
    if len(text) < _LONG:
        return text.encode("utf-8", "surrogatepass")
    for kept_text, data in _recent:
        if kept_text is text:
            return data
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= _KEPT_BYTES:
        _recent.insert(0, (text, data))
        del _recent[_KEPT_TEXTS:]
    return data


def string_chars(text: Value) -> Value:
    """One string for each code point."""
    return make_list(_code_points(_text(text)))


def contains(text: Value, part: Value) -> bool:
    """True if the text contains `part`."""
    text = _text(text)
    return _text(part) in text


def starts_with(text: Value, part: Value) -> bool:
    """True if the text begins with `part`."""
    whole = _text(text)
    return whole.startswith(_text(part))


def ends_with(text: Value, part: Value) -> bool:
    """True if the text ends with `part`."""
    whole = _text(text)
    return whole.endswith(_text(part))


def to_upper(text: Value) -> str:
    """Full Unicode mapping."""
    return _text(text).upper()


def to_lower(text: Value) -> str:
    """Full Unicode mapping."""
    return _text(text).lower()


def trim(text: Value) -> str:
    """Without white space at both ends; Python's own `strip` knows four characters more."""
    return _text(text).strip(_SPACE)


def split(text: Value, separator: Value) -> Value:
    """The pieces between separators; the code points if the separator is empty."""
    text = _text(text)
    separator = _text(separator)
    return make_list(text.split(separator) if separator else _code_points(text))


def _code_points(text: str) -> list[str]:
    if len(text) > MAX_BYTES // 8:
        raise memory_limit(MEMORY_CEILING)
    return list(text)


def join(xs: Value, separator: Value) -> str:
    """The items with the separator between them."""
    _, items, size = _list(xs)
    separator = _text(separator)
    parts = [_text(item) for item in items[:size]]
    return _bounded(sum(map(len, parts)) + len(separator) * size, lambda: separator.join(parts))


def replace(text: Value, old: Value, new: Value) -> str:
    """All occurrences, from left to right."""
    if not (type(text) is str and type(old) is str and type(new) is str):
        raise type_error("String", "non-String")
    count = text.count(old)
    return _bounded(len(text) + count * (len(new) - len(old)), lambda: text.replace(old, new))


def string_slice(text: Value, start: Value, end: Value) -> str:
    """The bytes from `start` to `end`; nothing at all if that is no piece of the text."""
    if not (type(text) is str and type(start) is int and type(end) is int):
        raise type_error("String, Int, Int", "wrong types")
    if not 0 <= start <= end:
        return ""
    if text.isascii():
        return text[start:end] if end <= len(text) else ""
    data = _utf8(text)
    if end > len(data) or any(at < len(data) and data[at] & 0xC0 == 0x80 for at in (start, end)):
        return ""
    return data[start:end].decode("utf-8", "surrogatepass")


# ---- numbers and text -----------------------------------------------------------------------------------------------

_INT: Final = re.compile(r"[+-]?[0-9]+\Z")
_FLOAT: Final = re.compile(r"[+-]?(?:(?i:inf|infinity|nan)|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\Z", re.ASCII)


def _parsed(text: str) -> int | None:
    if not _INT.match(text):
        return None
    digits = text.lstrip("+-").lstrip("0")
    if len(digits) > 19:
        return None
    number = int(digits or "0")
    if text[0] == "-":
        number = -number
    return number if INT_MIN <= number <= INT_MAX else None


def parse_int(text: Value) -> int:
    """The number in a trimmed text; 0 if there is none."""
    return _parsed(trim(text)) or 0


def try_parse_int(text: Value) -> Value:
    """Ok(number in a trimmed text) or Err(why)."""
    number = _parsed(trim(text))
    return err(f"invalid integer: {text}") if number is None else ok(number)


def int_parse(text: Value) -> Value:
    """Some(number) or None; nothing is trimmed."""
    number = _parsed(_text(text))
    return NONE if number is None else some(number)


def float_parse(text: Value) -> Value:
    """Some(number) or None; nothing is trimmed."""
    if not _FLOAT.match(_text(text)):
        return NONE
    number = float(text)
    return some(math.nan if math.isnan(number) else number)


def int_to_string(number: Value) -> str:
    """Decimal digits."""
    if type(number) is int:
        return str(number)
    raise type_error("Int", type_name(number))


def float_to_string(number: Value) -> str:
    """Digits without an exponent."""
    if type(number) is float:
        return float_text(number)
    raise type_error("Float", type_name(number))


def bool_to_string(value: Value) -> str:
    """`true` or `false`."""
    if type(value) is bool:
        return "true" if value else "false"
    raise type_error("Bool", type_name(value))


# ---- maps -----------------------------------------------------------------------------------------------------------


def _map(value: Value) -> Map:
    if type(value) is Map:
        return value
    raise type_error("Map", type_name(value))


def map_get(table: Value, key: Value) -> Value:
    """Some(value of a key) or None."""
    entries = _map(table).entries()
    key = _text(key)
    return some(entries[key]) if key in entries else NONE


def map_set(table: Value, key: Value, value: Value) -> Map:
    """A map with this entry."""
    return _map(table).with_entry(_text(key), value)


def map_remove(table: Value, key: Value) -> Map:
    """A map without this key."""
    return _map(table).without(_text(key))


def map_contains_key(table: Value, key: Value) -> bool:
    """True if the map contains the key."""
    return _text(key) in _map(table).entries() if type(table) is Map else bool(_map(table))


def map_keys(table: Value) -> Value:
    """The keys in order."""
    return make_list([key for key, _ in _map(table).sorted_items()])


def map_values(table: Value) -> Value:
    """The values in the order of their keys."""
    return make_list([value for _, value in _map(table).sorted_items()])


def map_len(table: Value) -> int:
    """Number of entries."""
    return len(_map(table))


UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    "Neg": neg,
    "Not": not_,
    "ListLen": list_len,
    "ListLenBuiltin": list_len_builtin,
    "ListIsEmpty": list_is_empty,
    "ListHead": list_head,
    "ListTail": list_tail,
    "ListReverse": list_reverse,
    "ParseInt": parse_int,
    "TryParseInt": try_parse_int,
    "IntParse": int_parse,
    "FloatParse": float_parse,
    "IntToString": int_to_string,
    "FloatToString": float_to_string,
    "BoolToString": bool_to_string,
    "StringLen": string_len,
    "StringChars": string_chars,
    "StringToUpper": to_upper,
    "StringToLower": to_lower,
    "StringTrim": trim,
    "MapKeys": map_keys,
    "MapValues": map_values,
    "MapLen": map_len,
    **tool_results.UNARY,
}
BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "Add": add,
    "Sub": sub,
    "Mul": mul,
    "Div": div,
    "Mod": mod,
    "Eq": equal,
    "Neq": not_equal,
    "Lt": lt,
    "Lte": lte,
    "Gt": gt,
    "Gte": gte,
    "And": and_,
    "Or": or_,
    "Concat": concat,
    "ListGet": list_get,
    "ListPush": list_push,
    "ListAppend": list_append,
    "ListConcat": list_concat,
    "StrContains": contains,
    "StringContains": contains,
    "StrStartsWith": starts_with,
    "StringStartsWith": starts_with,
    "StringEndsWith": ends_with,
    "StringJoin": join,
    "StringSplit": split,
    "MapGet": map_get,
    "MapRemove": map_remove,
    "MapContainsKey": map_contains_key,
}
TERNARY: Final[dict[str, Callable[[Any, Any, Any], Any]]] = {
    "StringReplace": replace,
    "StringSlice": string_slice,
    "MapSet": map_set,
}
