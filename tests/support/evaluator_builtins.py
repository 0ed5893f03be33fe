"""Builtins for the evaluator of syntax trees, from chapter 09 of the spec and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Value = tuple[Any, ...]
"""("Int", 3), ("Float", 1.5), ("Bool", True), ("String", "s"), ("Unit",), ("None",), ("Some", v), ("List", (v, …)),
("Map", ((key, v), …)), ("Record", type name or None, ((field, v), …)), ("Enum", type name, variant, v), ("FnRef", name),
("ActorId", 0)."""
UNIT: Value = ("Unit",)
LARGEST = 2**63 - 1
_SPACE = "\t\n\x0b\x0c\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"


class Failure(Exception):
    """A run-time error with its message."""


def type_error(expected: str, value: Value) -> Failure:
    return Failure(f"type error: expected {expected}, got {value[0]}")


def truthy(value: Value) -> bool:
    match value:
        case ("Unit",) | ("None",) | ("Err", _):
            return False
        case ("Bool" | "Int" | "Float" | "String" | "List" | "Map", content):
            return bool(content)
    return True


def _needs(kind: str, *values: Value) -> None:
    for value in values:
        if value[0] != kind:
            raise type_error(kind, value)


def _option(value: Value | None) -> Value:
    return ("None",) if value is None else ("Some", value)


def _strings(texts: Any) -> Value:
    return "List", tuple([("String", text) for text in texts])


def list_len(xs: Value) -> Value:
    _needs("List", xs)
    return "Int", len(xs[1])


def list_get(xs: Value, index: Value) -> Value:
    _needs("Int", index)
    _needs("List", xs)
    if not 0 <= index[1] < len(xs[1]):
        raise Failure(f"list index out of bounds: index {index[1]}, length {len(xs[1])}")
    found: Value = xs[1][index[1]]
    return found


def list_push(xs: Value, item: Value) -> Value:
    _needs("List", xs)
    return "List", (*xs[1], item)


def list_head(xs: Value) -> Value:
    _needs("List", xs)
    return _option(xs[1][0] if xs[1] else None)


def list_tail(xs: Value) -> Value:
    _needs("List", xs)
    return "List", xs[1][1:]


def list_concat(xs: Value, ys: Value) -> Value:
    _needs("List", xs, ys)
    return "List", xs[1] + ys[1]


def list_reverse(xs: Value) -> Value:
    _needs("List", xs)
    return "List", xs[1][::-1]


def string_len(s: Value) -> Value:
    _needs("String", s)
    return "Int", len(s[1].encode())


def string_chars(s: Value) -> Value:
    _needs("String", s)
    return _strings(s[1])


def string_split(s: Value, separator: Value) -> Value:
    _needs("String", s, separator)
    return _strings(s[1].split(separator[1]) if separator[1] else s[1])


def string_join(xs: Value, separator: Value) -> Value:
    _needs("List", xs)
    _needs("String", separator, *xs[1])
    return "String", separator[1].join(item[1] for item in xs[1])


def string_slice(s: Value, start: Value, end: Value) -> Value:
    if (s[0], start[0], end[0]) != ("String", "Int", "Int"):
        raise Failure("type error: expected String, Int, Int, got wrong types")
    data = s[1].encode()
    if not 0 <= start[1] <= end[1] <= len(data):
        return "String", ""
    try:
        data[: start[1]].decode()
        return "String", data[start[1] : end[1]].decode()
    except UnicodeDecodeError:
        return "String", ""


def string_replace(s: Value, old: Value, new: Value) -> Value:
    if not s[0] == old[0] == new[0] == "String":
        raise Failure("type error: expected String, got non-String")
    return "String", s[1].replace(old[1], new[1])


def int_to_string(n: Value) -> Value:
    _needs("Int", n)
    return "String", str(n[1])


def _integer(text: str) -> int | None:
    found = re.fullmatch("([+-]?)0*([0-9]{0,19})", text) if re.search("[0-9]", text) else None
    number = int(found[1] + (found[2] or "0")) if found else LARGEST + 1
    return number if -LARGEST - 1 <= number <= LARGEST else None


def parse_int(s: Value) -> Value:
    _needs("String", s)
    return "Int", _integer(s[1].strip(_SPACE)) or 0


def try_parse_int(s: Value) -> Value:
    _needs("String", s)
    number = _integer(s[1].strip(_SPACE))
    return ("Err", ("String", f"invalid integer: {s[1]}")) if number is None else ("Ok", ("Int", number))


def map_get(m: Value, key: Value) -> Value:
    _needs("Map", m)
    _needs("String", key)
    return _option(dict(m[1]).get(key[1]))


def map_set(m: Value, key: Value, value: Value) -> Value:
    _needs("Map", m)
    _needs("String", key)
    return "Map", tuple(sorted((dict(m[1]) | {key[1]: value}).items(), key=lambda pair: pair[0].encode()))


def map_remove(m: Value, key: Value) -> Value:
    _needs("Map", m)
    _needs("String", key)
    return "Map", tuple([pair for pair in m[1] if pair[0] != key[1]])


def map_contains_key(m: Value, key: Value) -> Value:
    _needs("Map", m)
    _needs("String", key)
    return "Bool", key[1] in dict(m[1])


def map_keys(m: Value) -> Value:
    _needs("Map", m)
    return _strings(key for key, _ in m[1])


def map_values(m: Value) -> Value:
    _needs("Map", m)
    return "List", tuple([value for _, value in m[1]])


def map_len(m: Value) -> Value:
    _needs("Map", m)
    return "Int", len(m[1])


def guard(value: Value, passed: Value, label: Value) -> Value:
    if not truthy(passed):
        raise Failure(f"output guard `{label[1]}` failed [counterexample: ()]")
    return value


BUILTINS: dict[str, Callable[..., Value]] = {
    "list_len": list_len,
    "list_get": list_get,
    "list_push": list_push,
    "parse_int": parse_int,
    "try_parse_int": try_parse_int,
    "map_new": lambda: ("Map", ()),
    "step_input": lambda _: ("String", ""),
    "__builtin_guard": guard,
    "__builtin_list_append": list_push,
    **{
        f"__builtin_{made.__name__}": made
        for made in (
            list_len, list_head, list_tail, list_concat, list_reverse, string_len, string_chars, string_split, string_join,
            string_slice, string_replace, int_to_string, map_get, map_set, map_remove, map_contains_key, map_keys, map_values,
            map_len,
        )
    },
}  # fmt: skip
