"""Calls of Lua's library, whose places count from 1, as methods that the lexicon knows."""

from __future__ import annotations

import re
from copy import deepcopy
from functools import lru_cache
from typing import Final

from analysis.fixes.dialect.tree import nodes as n

_MAGIC: Final = re.compile(r"[%.\[\]*+?^$()-]")
_TURNED: Final = {"upper": "upper", "lower": "lower", "len": "len", "reverse": "reverse"}
_SEPARATOR: Final = re.compile(r'"\[\^([^\]%^\\])\]\+"')
_RUNS: Final = {
    '"%a+"': "[A-Za-z]+", '"%w+"': "[A-Za-z0-9]+", '"%d+"': "[0-9]+", '"%l+"': "[a-z]+", '"%u+"': "[A-Z]+",
    '"[%w_]+"': "[A-Za-z0-9_]+", '"-?%d+"': "-?[0-9]+", '"[%a]+"': "[A-Za-z]+",
}  # fmt: skip
"""Patterns of `gmatch` as those that a search takes."""
_EMPTY: Final = re.compile(r"\b([A-Za-z_]\w*) ?= ?\{\}")
_TRIMMED: Final = ('"^%s*(.-)%s*$"', '"^%s+|%s+$"', '"^%s*(.*%S)"')


def of_lua(call: n.Call) -> n.Expr:
    """A call of `string`, `table` or `math`; another one as it is."""
    function = call.function
    if isinstance(function, n.Name) and function.name == "next" and len(call.arguments) == 1:
        return call
    if not isinstance(function, n.Member) or not isinstance(function.object, n.Name):
        return call
    arguments, end = call.arguments, call.end
    if function.object.name == "string" and arguments:
        if function.name == "format":
            return call
        if function.name == "char" and len(arguments) == 1:
            return _method(arguments[0].value, "chr", [], end)
        return text_method(arguments[0].value, function.name, arguments[1:], end) or call
    if function.object.name == "table" and function.name == "insert" and len(arguments) == 3:
        place = arguments[1].value
        if isinstance(place, n.Literal) and place.text == "1":
            return _method(arguments[0].value, "prepend", [arguments[2]], end)
        return _method(arguments[0].value, "insert_at", [n.Argument(before(place)), arguments[2]], end)
    return call


def taken_at(owner: n.Expr, place: n.Expr, end: int) -> n.Expr:
    """`table.remove(t, i)`: the item, which the table loses."""
    is_first = isinstance(place, n.Literal) and place.text == "1"
    return _method(owner, "shift_value", [], end) if is_first else _method(owner, "pop", [n.Argument(place)], end)


def before(place: n.Expr) -> n.Expr:
    """A place that counts from 1 as one that counts from 0."""
    start, end = place.start, place.end
    if isinstance(place, n.Literal) and place.text.isdigit() and place.text != "0":
        return n.Literal("int", str(int(place.text) - 1), start=start, end=end)
    if isinstance(place, n.Binary) and place.operator == "+" and isinstance(place.right, n.Literal) and place.right.text == "1":
        return place.left
    return n.Binary("-", place, n.Literal("int", "1", start=start, end=end), start=start, end=end)


def text_method(text: n.Expr, name: str, arguments: list[n.Argument], end: int) -> n.Expr | None:
    """`s:sub(i, j)`, `string.rep(s, n)`; None for a method of something else."""
    values = [each.value for each in arguments]
    if name in _TURNED and not values:
        return _method(text, _TURNED[name], [], end)
    if name == "sub" and 1 <= len(values) <= 2:
        return _part(text, values[0], values[1] if len(values) == 2 else None, end)
    if name == "rep" and len(values) == 1:
        return _method(text, "repeat", arguments, end)
    if name == "byte" and len(values) <= 1:
        place = before(values[0]) if values else n.Literal("int", "0", start=end, end=end)
        return _method(text, "charCodeAt", [n.Argument(place)], end)
    if name == "format":
        return n.Call(n.Name("sprintf", start=text.start, end=end), [n.Argument(text), *arguments], start=text.start, end=end)
    pattern = values[0] if values else None
    if not isinstance(pattern, n.Literal) or pattern.kind != "string":
        return None
    is_plain = _MAGIC.search(pattern.text[1:-1]) is None or (name == "find" and len(values) == 3)
    if name == "find" and is_plain and len(values) in (1, 3):
        return _method(text, "place_from_one", [n.Argument(pattern)], end)
    if name == "gmatch" and len(values) == 1:
        return _matches(text, pattern.text, end)
    if name == "gsub" and len(values) == 2:
        return _replaced(text, pattern, values[1], is_plain, end)
    return _method(text, "trim", [], end) if name == "match" and pattern.text in _TRIMMED else None


def _part(text: n.Expr, low: n.Expr, high: n.Expr | None, end: int) -> n.Expr | None:
    """The characters from one place to another one, which is included; places below zero count from the end."""
    if isinstance(low, n.Unary) and low.operator == "-":
        is_whole = high is None or (isinstance(high, n.Unary) and _is_one(high.operand))
        return _method(text, "take_right", [n.Argument(low.operand)], end) if is_whole else None
    first = before(low)
    if high is None or (isinstance(high, n.Unary) and _is_one(high.operand)):
        return _method(text, "characters_from", [n.Argument(first)], end)
    if isinstance(high, n.Unary):
        shorter = before(high.operand)
        return _method(_method(text, "drop_right", [n.Argument(shorter)], end), "characters_from", [n.Argument(first)], end)
    return _method(text, "characters_between", [n.Argument(first), n.Argument(high)], end)


def _is_one(node: n.Expr) -> bool:
    return isinstance(node, n.Literal) and node.text == "1"


def _matches(text: n.Expr, pattern: str, end: int) -> n.Expr | None:
    """Matches of `gmatch`: words, parts between separators, or characters."""
    if pattern == '"%S+"':
        return _method(text, "words", [], end)
    if pattern == '"."':
        return _method(text, "chars", [], end)
    separator = _SEPARATOR.fullmatch(pattern)
    if separator is not None:
        sign = n.Literal("string", f'"{separator[1]}"', start=end, end=end)
        return _method(_method(text, "split", [n.Argument(sign)], end), "without_empty", [], end)
    written = _RUNS.get(pattern)
    searched = n.Literal("string", f'"(?){written}"', start=end, end=end)
    return _method(text, "pattern_texts", [n.Argument(searched)], end) if written is not None else None


def _replaced(text: n.Expr, pattern: n.Literal, new: n.Expr, is_plain: bool, end: int) -> n.Expr | None:
    if is_plain and not isinstance(new, (n.Lambda, n.MapOf)) and not (isinstance(new, n.Literal) and "%" in new.text):
        return _method(text, "replace", [n.Argument(pattern), n.Argument(new)], end)
    if pattern.text == '"%s+"' and isinstance(new, n.Literal) and new.text == '""':
        return _method(_method(text, "words", [], end), "join", [n.Argument(new)], end)
    if pattern.text in _TRIMMED and isinstance(new, n.Literal):
        return _method(text, "trim", [], end)
    return None


def _method(owner: n.Expr, name: str, arguments: list[n.Argument], end: int) -> n.Call:
    member = n.Member(owner, name, start=owner.start, end=end)
    return n.Call(member, arguments, start=owner.start, end=end)


def downwards(low: n.Expr, high: n.Expr, size: n.Expr) -> n.Expr:
    """The numbers from one down to another by steps: as many as fit, each that far below the first."""
    start, end = low.start, size.end
    way = n.Binary("+", n.Binary("-", low, high, start=start, end=end), size, start=start, end=end)
    count = n.Call(n.Member(way, "div", start=start, end=end), [n.Argument(deepcopy(size))], start=start, end=end)
    whole = n.Range(n.Literal("int", "0", start=start, end=start), count, False, start=start, end=end)
    step = n.Name("each_step", start=start, end=end)
    far = n.Binary("*", step, deepcopy(size), start=start, end=end)
    below = n.Binary("-", deepcopy(low), far, start=start, end=end)
    closure = n.Lambda([n.Binding("each_step", start=start, end=end)], below, start=start, end=end)
    return n.Call(n.Member(whole, "map", start=start, end=end), [n.Argument(closure)], start=start, end=end)


def begins_empty(source: str, name: str) -> bool:
    """True if a program makes a table of a name without items."""
    return name in _empty_tables(source)


@lru_cache(maxsize=4)
def _empty_tables(source: str) -> frozenset[str]:
    return frozenset(_EMPTY.findall(source))
