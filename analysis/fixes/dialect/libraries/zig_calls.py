"""Calls of Zig's library and of its builtins (`@max`), as methods and operators that are known here."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.libraries.library_types import type_of_word
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, list_of, map_of
from analysis.fixes.dialect.tree.walking import replace_below

_ASCII: Final = {
    "isDigit": "is_digit", "isAlphabetic": "is_letter", "isAlphanumeric": "is_alphanumeric", "isWhitespace": "is_space",
    "isUpper": "is_upper", "isLower": "is_lower", "toUpper": "to_upper", "toLower": "to_lower",
    "eqlIgnoreCase": "equalsIgnoreCase", "lowerString": "to_lower", "upperString": "to_upper", "isAlpha": "is_letter",
}  # fmt: skip
_TEXTS: Final = {
    "startsWith": "starts_with", "endsWith": "ends_with", "indexOf": "indexOf", "lastIndexOf": "lastIndexOf",
    "split": "split", "splitScalar": "split", "splitSequence": "split", "tokenize": "split", "tokenizeScalar": "split",
    "indexOfScalar": "indexOf", "contains": "contains", "count": "count", "trim": "trim", "trimLeft": "trimLeft",
    "trimRight": "trimRight", "reverse": "reverse", "containsAtLeast": "contains", "tokenizeSequence": "split",
}  # fmt: skip
_METHODS: Final = {"popOrNull": "pop", "appendSlice": "extend", "orderedRemove": "removed_at", "getLast": "last"}
_PLAIN: Final = ("append", "put", "appendSlice", "insert", "ensureTotalCapacity", "push", "appendAssumeCapacity")
_SAME: Final = ("intCast", "truncate", "bitCast", "as", "enumToInt", "intFromEnum", "alignCast", "constCast", "floatCast")


def of_zig(call: n.Call) -> n.Expr | None:
    """Translation of a call of Zig's library; None if there is none."""
    function, arguments = call.function, call.arguments
    if not isinstance(function, n.Member):
        return None
    path = _path(function)
    if path[:1] == ["std"]:
        return _of_library(call, path[1:], [each.value for each in arguments])
    if function.name == "init" and (collection := _made(function.object)) is not None:
        collection.start, collection.end = call.start, call.end
        return collection
    if function.name in ("deinit", "toOwnedSlice") and function.name == "toOwnedSlice":
        return function.object
    if function.name in _METHODS and len(arguments) < 2:
        function.name = _METHODS[function.name]
    return None


def is_infallible(value: n.Expr) -> bool:
    """True if `try` stands before a call that only fails for want of memory."""
    return isinstance(value, n.Call) and isinstance(value.function, n.Member) and value.function.name in (*_PLAIN, "extend")


def _path(node: n.Expr) -> list[str]:
    names: list[str] = []
    while isinstance(node, n.Member):
        names.insert(0, node.name)
        node = node.object
    return [node.name, *names] if isinstance(node, n.Name) else []


def _made(maker: n.Expr) -> n.Expr | None:
    """`std.ArrayList(T)`, `std.StringHashMap(V)`, `List(T)`: what `.init(…)` of it makes."""
    if not isinstance(maker, n.Call):
        return None
    path = _path(maker.function) if isinstance(maker.function, n.Member) else [getattr(maker.function, "name", "")]
    kinds = [_type_of(each.value) for each in maker.arguments]
    name = path[-1]
    if name.lower() in ("arraylist", "list", "arraylistunmanaged") and len(kinds) == 1:
        return n.Cast(n.ListOf([]), list_of(kinds[0]))
    if name.lower() == "stringhashmap" and len(kinds) == 1:
        return n.Cast(n.MapOf([]), map_of(Type("String"), kinds[0]))
    if name.lower() in ("autohashmap", "map", "hashmap", "autoarrayhashmap") and len(kinds) >= 2:
        return n.Cast(n.MapOf([]), map_of(kinds[0], kinds[1]))
    return None


def _type_of(node: n.Expr) -> Type:
    return type_of_word(node.name) if isinstance(node, n.Name) else Type()


def _method(value: n.Expr, name: str, arguments: list[n.Expr], call: n.Call) -> n.Call:
    member = n.Member(value, name, start=call.start, end=call.end)
    return n.Call(member, [n.Argument(each) for each in arguments], start=call.start, end=call.end)


def _of_library(call: n.Call, path: list[str], values: list[n.Expr]) -> n.Expr | None:
    name = path[-1] if path else ""
    if path[:1] == ["mem"] and len(values) == 3 and name == "eql":
        return n.Binary("==", values[1], values[2], start=call.start, end=call.end)
    if path[:1] == ["mem"] and name in _TEXTS and len(values) > 1:
        method_call = _method(values[1], _TEXTS[name], values[2:] if not name.startswith("containsAt") else values[3:], call)
        if name == "trim" and isinstance(values[-1], n.Literal) and set(values[-1].text[1:-1]) <= set(" \\tnr"):
            method_call.arguments = []
        return _without_empty(method_call, call) if name.startswith("tokenize") else method_call
    if path[:1] == ["ascii"] and name in _ASCII and values:
        return _method(values[0], _ASCII[name], values[1:], call)
    if path == ["fmt", "parseInt"] and values:
        return _method(values[1] if len(values) > 1 else values[0], "to_int", [], call)
    if path == ["fmt", "parseFloat"] and values:
        return _method(values[-1], "to_float", [], call)
    if path[:1] == ["fmt"] and name in ("allocPrint", "bufPrint", "format", "comptimePrint") and values:
        return _formatted(call, values)
    if path[:1] == ["math"] and name in ("max", "min") and len(values) == 2:
        return _method(values[0], name, values[1:], call)
    if path[:1] == ["math"] and name == "absInt" and len(values) == 1:
        return _method(values[0], "abs", [], call)
    return None


def _without_empty(parts: n.Expr, call: n.Call) -> n.Expr:
    """The parts of a text between separators of which several may stand together."""
    part, empty = n.Name("each_part", start=call.start, end=call.end), n.Literal("string", '""', start=call.start, end=call.end)
    test = n.Binary("!=", part, empty, start=call.start, end=call.end)
    return _method(parts, "filter", [n.Lambda([n.Binding(part.name)], test, start=call.start, end=call.end)], call)


def _formatted(call: n.Call, values: list[n.Expr]) -> n.Expr | None:
    """`std.fmt.allocPrint(allocator, "{s}={d}", .{ a, b })`: a text, so that `try` or `catch` has nothing to do."""
    at = next((place for place, each in enumerate(values) if isinstance(each, n.Literal) and each.kind == "string"), None)
    if at is None:
        return None
    text = values[at]
    assert isinstance(text, n.Literal)
    given_list = values[at + 1] if len(values) > at + 1 else None
    items = given_list.items if isinstance(given_list, n.ListOf) else []
    plain = text.text
    for hole in ("{d}", "{s}", "{c}", "{any}", "{u}"):
        plain = plain.replace(hole, "{}")
    given = [n.Argument(n.Literal("string", plain, start=text.start, end=text.end)), *(n.Argument(each) for each in items)]
    return n.Call(n.Name("format!", start=call.start, end=call.end), given, start=call.start, end=call.end)


def of_builtin(word: str, values: list[n.Expr], start: int, end: int) -> n.Expr | None:
    """`@max(a, b)`, `@intCast(x)`, `@as(i32, x)`; None for a builtin that is not known."""
    place = n.Call(n.Name(word, start=start, end=end), [], start=start, end=end)
    if word in ("max", "min") and len(values) > 1:
        result = values[0]
        for each in values[1:]:
            result = _method(result, word, [each], place)
        return result
    if word in ("divTrunc", "divExact") and len(values) == 2:
        return n.Binary("/", values[0], values[1], start=start, end=end)
    if word == "rem" and len(values) == 2:
        return n.Binary("%", values[0], values[1], start=start, end=end)
    if word in ("mod", "divFloor") and len(values) == 2:
        return _method(values[0], "mod" if word == "mod" else "floor_div", values[1:], place)
    if word in ("abs", "sqrt", "floor", "ceil", "round") and len(values) == 1:
        return _method(values[0], word, [], place)
    if word in ("intToFloat", "floatFromInt") and values:
        return n.Cast(values[-1], Type("Float"), start=start, end=end)
    if word in ("floatToInt", "intFromFloat") and values:
        return n.Cast(values[-1], Type("Int"), start=start, end=end)
    if word in ("boolToInt", "intFromBool") and values:
        return n.Cast(values[-1], Type("Int"), start=start, end=end)
    if word in _SAME and values and word not in ("enumToInt", "intFromEnum"):
        return values[-1]
    if word == "tagName" and len(values) == 1:
        return None
    return None


def settle_unions(items: list[n.Item]) -> None:
    """`Shape{ .square = 3 }`: a variant with what it holds, where the name is that of an enum."""
    enums = {item.name: item for item in items if isinstance(item, n.Enum)}

    def change(node: n.Node) -> n.Node:
        if not isinstance(node, n.RecordOf) or node.name not in enums or len(node.fields) != 1:
            return node
        ((name, value),) = node.fields.items()
        if not any(variant.name == name for variant in enums[node.name].variants):
            return node
        path = n.Path(node.name, name, start=node.start, end=node.start)
        return n.Call(path, [n.Argument(value)], start=node.start, end=node.end)

    for item in items if enums else []:
        replace_below(item, change)
