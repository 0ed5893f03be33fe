"""Calls of the modules of Go, as methods that the lexicon knows."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_STRINGS: Final = {
    "index": "indexOf", "lastIndex": "lastIndexOf", "containsRune": "contains", "equalFold": "equalsIgnoreCase",
    "trimSpace": "trim", "trim": "trim", "trimLeft": "trimStart", "trimRight": "trimEnd",
    "trimPrefix": "remove_prefix", "trimSuffix": "remove_suffix", "indexByte": "indexOf", "title": "title",
    "indexRune": "indexOf", "toTitle": "to_upper", "containsAny": "contains_any",
}  # fmt: skip
_SLICES: Final = {
    "sort": "sort", "reverse": "reverse", "contains": "contains", "index": "indexOf", "max": "max_of", "min": "min_of",
}  # fmt: skip
_UNICODE: Final = ("isDigit", "isLetter", "isUpper", "isLower", "isSpace", "toUpper", "toLower", "isPunct", "isNumber")
_SORTS: Final = ("ints", "strings", "float64s")
_CLOSURES: Final = ("slice", "sliceStable", "sortFunc", "sortStableFunc")


def of_go(call: n.Call) -> n.Expr | None:
    """Translation of a call of a Go module; None if there is none."""
    function, arguments = call.function, call.arguments
    if isinstance(function, n.Name) and function.name == "append" and len(arguments) == 2:
        spread = arguments[1].value
        return _method(arguments[0].value, "concat", [n.Argument(spread.value)], call) if isinstance(spread, n.Spread) else None
    if not isinstance(function, n.Member) or not isinstance(function.object, n.Name) or not arguments:
        return None
    module, name, first = function.object.name, function.name, arguments[0].value
    if module == "strings":
        if name == "replace" and len(arguments) == 4:
            return _replaced(call)
        if name == "map" and len(arguments) == 2:
            return _method(arguments[1].value, "map", arguments[:1], call)
        if name == "cut" and len(arguments) == 2:
            parts = [_method(first, word, arguments[1:], call) for word in ("cut_before", "cut_behind", "contains")]
            return n.TupleOf(list(parts), start=call.start, end=call.end)
        if name == "fieldsFunc" and len(arguments) == 2:
            return _method(first, "fields_by", arguments[1:], call)
        if name == "splitN" and len(arguments) == 3 and isinstance(arguments[2].value, n.Literal):
            count = n.Literal("int", str(int(arguments[2].value.text) - 1), start=call.start, end=call.end)
            return _method(first, "split", [arguments[1], n.Argument(count)], call)
        return _method(first, _STRINGS[name], arguments[1:], call) if name in _STRINGS else None
    if module in ("sort", "slices"):
        if name in _CLOSURES and len(arguments) == 2:
            return _method(first, "sort", [n.Argument(_of_items(first, arguments[1].value))], call)
        if name in _SORTS or (module == "slices" and name in _SLICES):
            return _method(first, _SLICES.get(name, "sort"), arguments[1:], call)
        return _reversed(call) if name == "sort" else None
    if module == "unicode" and name in _UNICODE:
        return _method(first, name, [], call)
    if module == "errors" and name == "is" and len(arguments) == 2:
        return n.Binary("==", first, arguments[1].value, start=call.start, end=call.end)
    if module == "strconv" and name in ("formatInt", "formatUint") and len(arguments) == 2:
        return _method(first, "in_base", arguments[1:], call)
    if module == "strconv" and name == "quote":
        return n.Call(n.Name("sprintf", start=call.start, end=call.end), [n.Argument(n.Literal("string", '"%q"')), *arguments])
    if module == "fmt" and name == "fprintf" and len(arguments) > 1:
        text = n.Call(n.Name("sprintf", start=call.start, end=call.end), arguments[1:], start=call.start, end=call.end)
        target = first.operand if isinstance(first, n.Unary) and first.operator == "&" else first
        return _method(target, "writeString", [n.Argument(text)], call)
    if module == "strconv" and name in ("formatInt", "formatBool", "itoa", "formatUint"):
        return _method(first, "to_string", [], call)
    if module == "utf8" and name.startswith("runeCount"):
        return _method(_method(first, "chars", [], call), "len", [], call)
    if module == "fmt" and name == "sprint" and len(arguments) == 1:
        return _method(first, "to_string", [], call)
    if module == "slices" and name == "sorted" and len(arguments) == 1:
        return _method(first, "sort", [], call)
    return None


def _method(value: n.Expr, name: str, arguments: list[n.Argument], call: n.Call) -> n.Call:
    member = n.Member(value, name, start=call.start, end=call.end)
    return n.Call(member, arguments, start=call.start, end=call.end)


def _replaced(call: n.Call) -> n.Expr | None:
    """`strings.Replace(s, a, b, n)` of all, or of the first."""
    first, *rest, count = call.arguments
    if isinstance(count.value, n.Unary):
        return _method(first.value, "replace", rest, call)
    is_one = isinstance(count.value, n.Literal) and count.value.text == "1"
    return _method(first.value, "replace_first", rest, call) if is_one else None


def _reversed(call: n.Call) -> n.Expr | None:
    """`sort.Sort(sort.Reverse(sort.IntSlice(xs)))`."""
    names = []
    value: n.Expr = call
    while isinstance(value, n.Call) and isinstance(value.function, n.Member) and len(value.arguments) == 1:
        names.append(value.function.name)
        value = value.arguments[0].value
    if names[1:2] == ["reverse"]:
        return _method(value, "sort_descending", [], call)
    return _method(value, "sort", [], call) if len(names) == 2 and names[1].endswith("Slice") else None


def _of_items(items: n.Expr, closure: n.Expr) -> n.Expr:
    """A comparison of two places as one of the items there."""
    if not isinstance(closure, n.Lambda) or not isinstance(items, (n.Name, n.Member)):
        return closure
    names = [part.name for part in closure.parameters if isinstance(part, n.Binding)]
    root = items.name
    places = [
        node
        for node in walk(closure.body)
        if isinstance(node, n.Index) and isinstance(node.object, (n.Name, n.Member)) and node.object.name == root
    ]
    used = [node.index.name for node in places if isinstance(node.index, n.Name)]
    others = [node for node in walk(closure.body) if isinstance(node, n.Name) and node.name in names]
    if len(names) != 2 or not set(used) <= set(names) or len(others) != len(places):
        return closure
    # The names stand for the items from here on.
    _replace(closure, {id(node): node.index for node in places})
    return closure


def _replace(node: n.Node, items: dict[int, n.Expr]) -> None:
    for parent in list(walk(node)):
        for name, value in list(vars(parent).items()):
            if id(value) in items:
                setattr(parent, name, items[id(value)])
            elif isinstance(value, list):
                value[:] = [items.get(id(each), each) for each in value]
