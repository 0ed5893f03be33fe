"""Calls of the algorithms of C++, whose first arguments are the ends of a range, as methods that the lexicon knows."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n

_BEGINS: Final = ("begin", "cbegin")
_ENDS: Final = ("end", "cend")
_BY_RANGE: Final = {
    ("sort", 0): "sort", ("sort", 1): "sort_before", ("stable_sort", 1): "sort_before", ("stable_sort", 0): "sort",
    ("reverse", 0): "reverse", ("count", 1): "occurrences", ("count_if", 1): "count", ("any_of", 1): "any",
    ("all_of", 1): "all", ("none_of", 1): "none", ("find", 1): "find_equal", ("find_if", 1): "find",
    ("max_element", 0): "max_of", ("min_element", 0): "min_of", ("max_element", 1): "greatest_before",
    ("min_element", 1): "least_by", ("for_each", 1): "for_each", ("accumulate", 2): "fold", ("reduce", 2): "fold",
    ("binary_search", 1): "contains", ("fill", 1): "fill_with", ("is_sorted", 0): "is_sorted",
}  # fmt: skip
_METHODS: Final = {
    "push_back": "push", "emplace_back": "push", "pop_back": "pop", "has_value": "is_some", "value_or": "unwrap_or",
}  # fmt: skip
_PARSERS: Final = ("stoi", "stol", "stoll", "atoi")
_CHARACTERS: Final = {
    "isdigit": "is_digit", "isalpha": "is_letter", "isalnum": "is_alphanumeric", "isspace": "is_space", "isupper": "is_upper",
    "islower": "is_lower", "toupper": "to_upper", "tolower": "to_lower",
}  # fmt: skip


def of_cpp(call: n.Call) -> n.Expr | None:
    """Translation of a call of C++'s library; None if there is none."""
    function, arguments = call.function, [each.value for each in call.arguments]
    if any(each.name for each in call.arguments):
        return None
    if isinstance(function, n.Name):
        return _algorithm(call, function.name, arguments) or _function(call, function.name, arguments)
    if not isinstance(function, n.Member):
        return None
    owner = function.object
    if function.name == "erase" and len(arguments) == 1 and (place := _behind_begin(arguments[0], owner)) is not None:
        return _method(owner, "removeAt", [place], call)
    if function.name == "insert" and len(arguments) == 2 and (place := _behind_begin(arguments[0], owner)) is not None:
        return _method(owner, "insert", [place, arguments[1]], call)
    if function.name == "insert" and len(arguments) == 3 and is_end(arguments[0], owner):
        source = range_of(arguments[1], arguments[2])
        return _method(owner, "extend", [source], call) if source is not None else None
    if function.name == "append" and len(arguments) == 2 and _is_sign(arguments[1]):
        # Of a text: a character a number of times.
        return _method(owner, "append", [_method(arguments[1], "repeat", arguments[:1], call)], call)
    if function.name == "emplace_back":
        item = arguments[0] if len(arguments) == 1 else n.ListOf(arguments, start=call.start, end=call.end)
        return _method(owner, "push", [item], call)
    return None


def _is_sign(value: n.Expr) -> bool:
    """True if a value looks like one character: `'x'`, `s[i]`."""
    return isinstance(value, n.Index) or (isinstance(value, n.Literal) and value.kind == "string" and len(value.text) == 3)


def range_of(first: n.Expr, last: n.Expr) -> n.Expr | None:
    """The collection whose ends `xs.begin(), xs.end()` are; reversed for `rbegin`; None for other values."""
    names = [
        each.function.name if isinstance(each, n.Call) and isinstance(each.function, n.Member) else "" for each in (first, last)
    ]
    owners = [
        each.function.object if isinstance(each, n.Call) and isinstance(each.function, n.Member) else None
        for each in (first, last)
    ]
    if owners[0] is None or owners[1] is None or not same_place(owners[0], owners[1]):
        return None
    if names[0] in _BEGINS and names[1] in _ENDS:
        return owners[0]
    if names[0] in ("rbegin", "crbegin") and names[1] in ("rend", "crend"):
        return n.Call(n.Member(owners[0], "reversed"), [], start=first.start, end=last.end)
    return None


_READING: Final = ("accumulate", "count", "count_if", "any_of", "all_of", "none_of", "reduce")
"""Algorithms that only read, and so may be given a part of a list."""


def same_place(left: n.Expr, right: n.Expr) -> bool:
    """True if two expressions are the same name, or the same field of it."""
    if isinstance(left, n.Member) and isinstance(right, n.Member):
        return left.name == right.name and same_place(left.object, right.object)
    return isinstance(left, n.Name) and isinstance(right, n.Name) and left.name == right.name


def is_end(node: n.Expr, owner: n.Expr | None = None) -> bool:
    """`xs.end()`."""
    is_call = (
        isinstance(node, n.Call) and isinstance(node.function, n.Member) and node.function.name in _ENDS and not node.arguments
    )
    return is_call and (
        owner is None
        or (isinstance(node, n.Call) and isinstance(node.function, n.Member) and same_place(node.function.object, owner))
    )


def _behind_begin(node: n.Expr, owner: n.Expr) -> n.Expr | None:
    """The place that `xs.begin() + 2` means."""
    if isinstance(node, n.Binary) and node.operator == "+":
        place = _behind_begin(node.left, owner)
        if place is None or (isinstance(place, n.Literal) and place.text == "0"):
            return node.right if place is not None else None
        return n.Binary("+", place, node.right, start=node.start, end=node.end)
    is_begin = isinstance(node, n.Call) and isinstance(node.function, n.Member) and node.function.name in _BEGINS
    if is_begin and isinstance(node, n.Call) and isinstance(node.function, n.Member) and same_place(node.function.object, owner):
        return n.Literal("int", "0", start=node.start, end=node.end)
    return None


def _part_of(call: n.Call, first: n.Expr, last: n.Expr) -> n.Expr | None:
    """`xs.begin() + 1, xs.begin() + 3`, `xs.begin(), xs.end() - 1`: a part of a list; None for other values."""
    begin = first
    while isinstance(begin, n.Binary):
        begin = begin.left
    owner = begin.function.object if isinstance(begin, n.Call) and isinstance(begin.function, n.Member) else None
    low = _behind_begin(first, owner) if owner is not None else None
    if owner is None or low is None:
        return None
    if is_end(last, owner):
        return _method(owner, "drop", [low], call)
    if isinstance(last, n.Binary) and last.operator == "-" and is_end(last.left, owner):
        high: n.Expr | None = n.Binary("-", _method(owner, "len", [], call), last.right, start=last.start, end=last.end)
    else:
        high = _behind_begin(last, owner)
    return _method(owner, "sublist", [low, high], call) if high is not None else None


def _method(value: n.Expr, name: str, arguments: list[n.Expr], call: n.Call) -> n.Call:
    member = n.Member(value, name, start=call.start, end=call.end)
    return n.Call(member, [n.Argument(each) for each in arguments], start=call.start, end=call.end)


def _algorithm(call: n.Call, name: str, values: list[n.Expr]) -> n.Expr | None:
    if len(values) < 2:
        return None
    source = range_of(values[0], values[1])
    if source is None and name in _READING:
        source = _part_of(call, values[0], values[1])
    if source is None:
        return None
    rest = values[2:]
    if name == "accumulate" and len(rest) == 1:
        is_zero = isinstance(rest[0], n.Literal) and rest[0].text in ("0", "0.0")
        total = _method(source, "sum", [], call)
        if isinstance(rest[0], n.Call) or (isinstance(rest[0], n.Literal) and rest[0].kind == "string"):
            joined = _method(source, "join", [n.Literal("string", '""', start=call.start, end=call.end)], call)
            return n.Binary("++", rest[0], joined, start=call.start, end=call.end)
        return total if is_zero else n.Binary("+", rest[0], total, start=call.start, end=call.end)
    if name in ("copy_if", "transform", "copy") and rest and (target := _inserted(rest[0])) is not None:
        given = source if name == "copy" else _method(source, "filter" if name == "copy_if" else "map", rest[1:2], call)
        return _method(target, "extend", [given], call)
    if name == "transform" and len(rest) == 2 and same_place(_begun(rest[0]) or rest[1], source):
        mapped = _method(source, "map", rest[1:], call)
        return n.Call(n.Name("assigned"), [n.Argument(source), n.Argument(mapped)], start=call.start, end=call.end)
    if name in ("sort", "stable_sort") and len(rest) == 1 and (sign := _order(rest[0])):
        return _method(source, "sort_desc" if sign == ">" else "sort", [], call)
    word = _BY_RANGE.get((name, len(rest)))
    if word in ("sort_before",):
        return _method(source, "sort", rest, call)
    if word == "greatest_before":
        return _method(source, "most_by", rest, call)
    if word == "find_equal":
        return _method(source, "find", [_equal(rest[0], call)], call)
    return _method(source, word, rest, call) if word is not None and word != "is_sorted" else None


def _order(value: n.Expr) -> str:
    """`std::greater<int>()` → `>`."""
    function = value.function if isinstance(value, n.Call) else value
    name = function.name if isinstance(function, n.Name) else ""
    return {"greater": ">", "less": "<"}.get(name, "")


def _equal(value: n.Expr, call: n.Call) -> n.Expr:
    item = n.Name("each_item", start=call.start, end=call.end)
    return n.Lambda(
        [n.Binding("each_item")], n.Binary("==", item, value, start=call.start, end=call.end), start=call.start, end=call.end
    )


def _inserted(value: n.Expr) -> n.Expr | None:
    """The list of `std::back_inserter(xs)`."""
    is_inserter = isinstance(value, n.Call) and isinstance(value.function, n.Name) and value.function.name == "back_inserter"
    return value.arguments[0].value if is_inserter and isinstance(value, n.Call) and value.arguments else None


def _begun(value: n.Expr) -> n.Expr | None:
    is_begin = isinstance(value, n.Call) and isinstance(value.function, n.Member) and value.function.name in _BEGINS
    return value.function.object if is_begin and isinstance(value, n.Call) and isinstance(value.function, n.Member) else None


def _function(call: n.Call, name: str, values: list[n.Expr]) -> n.Expr | None:
    if name in _PARSERS and values:
        return _method(values[0], "to_number", [], call)
    if name in ("stod", "stof") and len(values) == 1:
        return _method(values[0], "parse_number", [], call)
    if name in _CHARACTERS and len(values) == 1:
        return _method(values[0], _CHARACTERS[name], [], call)
    if name == "make_pair" and len(values) == 2:
        return n.TupleOf(values, start=call.start, end=call.end)
    if name == "swap" and len(values) == 2:
        return _swapped(call, values)
    if name == "move" and len(values) == 1:
        return values[0]
    if name == "make_optional" and len(values) == 1:
        return n.Call(n.Name("Some"), call.arguments, start=call.start, end=call.end)
    if name in ("max", "min") and len(values) == 1 and isinstance(values[0], n.ListOf):
        return _method(values[0], f"{name}_of", [], call)
    if name in ("max", "min") and len(values) == 2:
        return _method(values[0], name, values[1:], call)
    return None


def _swapped(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    left, right = values
    both = isinstance(left, n.Index) and isinstance(right, n.Index)
    if both and isinstance(left, n.Index) and isinstance(right, n.Index) and same_place(left.object, right.object):
        return _method(left.object, "swap", [left.index, right.index], call)
    return None


__all__ = ["is_end", "of_cpp", "range_of", "same_place"]
