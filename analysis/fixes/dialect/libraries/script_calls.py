"""Calls of script languages whose arguments stand in another order or have names, as methods that the lexicon knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from analysis.fixes.dialect.libraries.class_library import in_order, of_class, order_of, sorted_in
from analysis.fixes.dialect.libraries.lua_calls import taken_at
from analysis.fixes.dialect.libraries.script_functions import of_libraries
from analysis.fixes.dialect.libraries.script_methods import METHODS, following
from analysis.fixes.dialect.tree import nodes as n
from analysis.suggestions.lexicon import FREE

_OF_PAIRS: Final = ("mapOf", "mutableMapOf", "hashMapOf", "linkedMapOf", "sortedMapOf")
"""Functions of Kotlin, which take pairs: `a to b`."""
_MAPS: Final = frozenset(
    ("Dict", "Map", "HashMap", "mapOf", "mutableMapOf", "hashMapOf", "linkedMapOf", "sortedMapOf", "dict", "OrderedDict", "array")
)
_OBJECTS: Final = {"keys": "keys", "values": "values", "entries": "entries", "fromEntries": "to_map"}
_TABLES: Final = {"concat": "join", "insert": "append", "remove": "pop", "sort": "sort", "unpack": "to_list"}


_CONVERTING: Final = ("Number", "parseFloat", "parseInt")


def of_scripts(call: n.Call) -> n.Expr | None:
    """Translation of a call of a script language's function or module; None if there is none."""
    function = call.function
    library = of_libraries(call)
    if library is not None:
        return library
    if isinstance(function, n.Name):
        rewrite = _FUNCTIONS.get(function.name)
        return rewrite(call, call.arguments) if rewrite is not None and call.arguments else _map_of(call, function.name)
    if not isinstance(function, n.Member):
        return None
    owner = function.object
    if isinstance(owner, n.Name):
        rewritten = _of_module(call, owner.name, function.name) or of_class(call, owner.name, function.name)
        if rewritten is not None:
            return rewritten
    ordered = in_order(call, function)
    if ordered is not None:
        return ordered
    rewrite = _METHODS.get(function.name)
    return rewrite(call, call.arguments) if rewrite is not None else None


def _of_module(call: n.Call, module: str, name: str) -> n.Expr | None:
    arguments = call.arguments
    if module in ("Map", "Immutable", "ImmutableMap") and name == "of" and len(arguments) % 2 == 0:
        values = [each.value for each in arguments]
        return n.MapOf(list(zip(values[::2], values[1::2], strict=True)), start=call.start, end=call.end)
    if module == "Object" and name in _OBJECTS and len(arguments) == 1:
        return _method(arguments[0].value, _OBJECTS[name], [], call)
    if module == "table" and name in _TABLES and arguments:
        if name == "insert" and len(arguments) == 3:
            return None
        if name == "remove" and len(arguments) == 2:
            return taken_at(arguments[0].value, arguments[1].value, call.end)
        return _method(arguments[0].value, _TABLES[name], arguments[1:], call)
    if module == "Array" and name == "from" and arguments:
        return _array_from(call, arguments)
    if module == "String" and name in ("fromCharCode", "valueOf", "fromCodePoint") and len(arguments) == 1:
        return _method(arguments[0].value, "to_text" if name == "valueOf" else "chr", [], call)
    if module in ("Integer", "Long", "int", "Int32", "Number") and name in ("parseInt", "parse", "Parse", "valueOf", "parseLong"):
        return _method(arguments[0].value, "to_int", [], call) if arguments else None
    if module in ("Math", "math") and name in ("max", "min") and len(arguments) > 2:
        return _nested(call, name, arguments)
    if module in ("string", "String") and name == "format" and arguments:
        return n.Call(n.Name("sprintf", start=call.start, end=call.end), arguments, start=call.start, end=call.end)
    if module in ("string", "String") and name == "Join" and len(arguments) == 2:
        return _method(arguments[1].value, "join", arguments[:1], call)
    if module == "sort" and name in ("Ints", "Strings") and len(arguments) == 1:
        return _method(arguments[0].value, "sort", [], call)
    if module in ("Collections", "Arrays") and name == "sort" and arguments:
        order = order_of(arguments[1].value) if len(arguments) == 2 else None
        if order is not None:
            return sorted_in(arguments[0].value, order, call)
        return _method(arguments[0].value, name, arguments[1:], call)
    return None


def _array_from(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`Array.from({ length: n }, (_, i) => …)`, `Array.from(xs)`."""
    first = arguments[0].value
    if isinstance(first, n.RecordOf) and list(first.fields) == ["length"]:
        source: n.Expr = n.Range(n.Literal("int", "0"), first.fields["length"], False, start=first.start, end=first.end)
        if len(arguments) == 1:
            return None
        closure = arguments[1].value
        if isinstance(closure, n.Lambda):
            closure.parameters = closure.parameters[1:] or [n.Wildcard()]
        return _method(source, "map", [n.Argument(closure)], call)
    items = _method(first, "to_list", [], call)
    return items if len(arguments) == 1 else _method(items, "map", arguments[1:], call)


def _map_of(call: n.Call, name: str) -> n.Expr | None:
    """`Dict("a" => 1)`, `mapOf("a" to 1)`: a map of pairs, which are tuples or look like ranges."""
    if name not in _MAPS or not call.arguments:
        return None
    pairs: list[tuple[n.Expr, n.Expr]] = []
    values = [each.value for each in call.arguments]
    if len(values) == 1 and isinstance(values[0], n.ListOf):
        values = values[0].items
    for value in values:
        match value:
            case n.TupleOf(items=[key, item]) | n.ListOf(items=[key, item]):
                pairs.append((key, item))
            case n.Range(low=key, high=item) if key is not None and item is not None and (name in _OF_PAIRS or _is_text(key)):
                pairs.append((key, item))
            case _:
                return None
    return n.MapOf(pairs, start=call.start, end=call.end)


def _is_text(node: n.Expr) -> bool:
    return isinstance(node, n.Literal) and node.kind == "string"


# ---- functions of Python ----


def _method(value: n.Expr, name: str, arguments: list[n.Argument], call: n.Call) -> n.Call:
    member = n.Member(value, name, start=call.start, end=call.end)
    return n.Call(member, arguments, start=call.start, end=call.end)


def _split(arguments: list[n.Argument]) -> tuple[list[n.Argument], dict[str, n.Expr]]:
    """Arguments without a name, and those with one."""
    return [each for each in arguments if not each.name], {each.name: each.value for each in arguments if each.name}


def _is_true(value: n.Expr | None) -> bool:
    return isinstance(value, n.Literal) and value.text == "true"


def _sorted(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`sorted(xs, key=f, reverse=True)`."""
    values, named = _split(arguments)
    if len(values) != 1 or not set(named) <= {"key", "reverse", "by", "rev", "lt"} or "lt" in named:
        return None
    return _in_order(values[0].value, named, call)


def _as_function(key: n.Expr | None) -> n.Expr | None:
    """`key=counts.get`: the entry of an item."""
    if not (isinstance(key, n.Member) and key.name == "get" and isinstance(key.object, n.Name)):
        return key
    item = n.Name("each_key", start=key.start, end=key.end)
    entry = n.Index(key.object, item, start=key.start, end=key.end)
    return n.Lambda([n.Binding("each_key")], entry, start=key.start, end=key.end)


def _in_order(value: n.Expr, named: dict[str, n.Expr], call: n.Call) -> n.Expr | None:
    key = _as_function(named.get("key") or named.get("by"))
    turned = named.get("reverse") or named.get("rev")
    if turned is not None and not (isinstance(turned, n.Literal) and turned.kind == "bool"):
        return None
    if key is None:
        return _method(value, "sort_desc" if _is_true(turned) else "sort", [], call)
    name = "sort_by_key_descending" if _is_true(turned) else "sort_by_key"
    return _method(value, name, [n.Argument(key)], call)


def _sort(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`xs.sort(key=f, reverse=True)`."""
    values, named = _split(arguments)
    if values or not named or not set(named) <= {"key", "reverse"} or not isinstance(call.function, n.Member):
        return None
    return _in_order(call.function.object, named, call)


def _most(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`max(xs, key=f)`, `max(xs, default=0)`, `max(a, b, c)`."""
    assert isinstance(call.function, n.Name)
    name = call.function.name
    values, named = _split(arguments)
    if len(values) == 1 and "key" in named:
        key = _as_function(named["key"])
        assert key is not None
        most = _method(values[0].value, f"{name}_of_by", [n.Argument(key)], call)
        return most if "default" not in named else n.Binary("??", most, named["default"])
    if len(values) == 1 and "default" in named:
        return n.Binary("??", _method(values[0].value, f"{name}_of", [], call), named["default"], start=call.start, end=call.end)
    if len(values) == 1 and not named:
        return _method(values[0].value, f"{name}_of", [], call)
    return _nested(call, name, values) if len(values) > 2 and not named else None


def _nested(call: n.Call, name: str, arguments: list[n.Argument]) -> n.Expr:
    """`max(a, b, c)`: of two values each."""
    nested = arguments[0].value
    for each in arguments[1:]:
        nested = _method(nested, name, [n.Argument(each.value)], call)
    return nested


def _mapped(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`map(f, xs)`, `filter(f, xs)`: the function comes first; a closure may stand behind the list, too."""
    assert isinstance(call.function, n.Name)
    if len(arguments) != 2 or arguments[0].name:
        return None
    is_none = isinstance(arguments[0].value, n.Literal) and arguments[0].value.kind == "none"
    if call.function.name == "filter" and (is_none or _is_boolean(arguments[0].value)):
        return _method(arguments[1].value, "truthy_items", [], call)
    if isinstance(arguments[1].value, (n.Lambda, n.OperatorFunction)):
        return _method(arguments[0].value, call.function.name, arguments[1:], call)
    if isinstance(arguments[1].value, n.Name) and arguments[1].value.name in FREE:
        # `map(rows, head)`: what each name is, types say.
        return None
    return _method(arguments[1].value, call.function.name, arguments[:1], call)


def _is_boolean(value: n.Expr) -> bool:
    """`Boolean`, `bool`: the function that says whether a value counts as true."""
    return isinstance(value, n.Name) and value.name in ("Boolean", "bool")


def _kept(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`xs.filter(Boolean)`."""
    assert isinstance(call.function, n.Member)
    is_all = len(arguments) == 1 and _is_boolean(arguments[0].value)
    return _method(call.function.object, "truthy_items", [], call) if is_all else None


def _enumerated(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`enumerate(xs)`, `enumerate(xs, start=1)`, `ipairs(xs)`."""
    if len(arguments) == 1:
        is_counted = isinstance(call.function, n.Name) and call.function.name == "ipairs"
        first = [n.Argument(n.Literal("int", "1", start=call.start, end=call.start))] if is_counted else []
        return _method(arguments[0].value, "enumerate", first, call)
    return _method(arguments[0].value, "enumerate", [n.Argument(arguments[1].value)], call) if len(arguments) == 2 else None


def _summed(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`sum(xs, 10)`."""
    if len(arguments) != 2 or isinstance(arguments[0].value, (n.Lambda, n.OperatorFunction)):
        return None
    if not isinstance(arguments[1].value, n.Literal):
        return None
    return n.Binary("+", arguments[1].value, _method(arguments[0].value, "sum", [], call), start=call.start, end=call.end)


def _keyed(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`haskey(m, k)`, `array_key_exists(k, m)`."""
    assert isinstance(call.function, n.Name)
    if len(arguments) != 2:
        return None
    owner, key = arguments if call.function.name == "haskey" else (arguments[1], arguments[0])
    return _method(owner.value, "containsKey", [n.Argument(key.value)], call)


_OWNER_FIRST: Final = {
    "tostring": "to_string", "tonumber": "tonumber", "strlen": "len", "count": "len", "sizeof": "len", "strtoupper": "upper",
    "strtolower": "lower", "strrev": "reverse", "ucfirst": "upper_first", "trim": "trim",
    "str_split": "chars", "intval": "to_number",
    "strval": "to_string", "lcfirst": "lower_first",
    "array_sum": "sum", "array_reverse": "reverse", "array_keys": "keys", "array_values": "values",
    "array_unique": "unique", "array_filter": "filter", "array_slice": "slice_of", "array_push": "append", "array_pop": "pop",
    "array_shift": "shift", "str_repeat": "repeat", "uppercase": "upper", "lowercase": "lower", "isempty": "is_empty",
    "strip": "trim",
    "push!": "append", "pop!": "pop", "append!": "extend", "sort!": "sort", "reverse!": "reverse", "collect": "to_list",
    "array_merge": "concat",
    "usort": "sort", "sort": "sort", "maximum": "max_of", "minimum": "min_of", "ucwords": "title",
    "startswith": "startswith", "endswith": "endswith", "str_contains": "contains", "str_starts_with": "startswith",
    "str_ends_with": "endswith", "substr": "substr",
    "values": "values", "keys": "keys", "pairs": "entries",
    "Number": "to_number", "parseFloat": "to_float", "unique": "unique", "is_numeric": "is_numeric", "ctype_digit": "isdigit",
    "ctype_alpha": "isalpha", "ctype_upper": "isupper", "ctype_lower": "islower",
    "ctype_space": "isspace", "ctype_alnum": "isalnum",
    "mb_strlen": "len", "mb_substr": "substr", "isdigit": "isdigit", "isletter": "isalpha", "isuppercase": "isupper",
    "islowercase": "islower", "isspace": "isspace", "string_chars": "chars",
    "bisect_left": "bisect_left", "bisect_right": "bisect_right", "bisect": "bisect", "lcm": "lcm",
}  # fmt: skip
"""Functions that are a method of their first argument."""
_OWNER_LAST: Final = {
    "implode": "join", "explode": "split", "in_array": "contains", "array_map": "map", "array_search": "indexOf",
}  # fmt: skip
"""Functions that are a method of their second argument, with the first one."""


def _of_first(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    assert isinstance(call.function, n.Name)
    if isinstance(arguments[0].value, (n.Lambda, n.OperatorFunction)) or arguments[0].name:
        return None
    if call.function.name == "array_filter" and len(arguments) == 1:
        return _method(arguments[0].value, "truthy_items", [], call)
    return _method(arguments[0].value, _OWNER_FIRST[call.function.name], arguments[1:], call)


def _of_second(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    assert isinstance(call.function, n.Name)
    if len(arguments) != 2:
        return None
    if call.function.name == "array_map" and (closure := named_function(arguments[0].value)) is not None:
        return _method(arguments[1].value, "map", [n.Argument(closure)], call)
    return _method(arguments[1].value, _OWNER_LAST[call.function.name], arguments[:1], call)


def named_function(value: n.Expr) -> n.Expr | None:
    """`"strtoupper"` of PHP, `Number` of JavaScript: a closure that calls the function of that name; None for another value."""
    name = value.name if isinstance(value, n.Name) else ""
    if isinstance(value, n.Literal) and value.kind == "string":
        name = value.text[1:-1]
    if not name.isidentifier():
        return None
    start, end = value.start, value.end
    item = n.Argument(n.Name("each_item", start=start, end=end))
    call = n.Call(n.Name(name, start=start, end=end), [item], start=start, end=end)
    return n.Lambda([n.Binding("each_item")], of_scripts(call) or call, start=start, end=end)


def _converted(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`xs.map(Number)`, `xs.map(parseFloat)`."""
    assert isinstance(call.function, n.Member)
    if len(arguments) != 1 or not isinstance(arguments[0].value, n.Name) or arguments[0].value.name not in _CONVERTING:
        return None
    closure = named_function(arguments[0].value)
    return _method(call.function.object, "map", [n.Argument(closure)], call) if closure is not None else None


def _rotated_fold(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`array_reduce(xs, f, 0)`, `reduce(f, xs, 0)`, `reduce(f, xs)`."""
    assert isinstance(call.function, n.Name)
    if call.function.name == "array_reduce" and len(arguments) == 3:
        return _method(arguments[0].value, "fold", [arguments[2], arguments[1]], call)
    if not 2 <= len(arguments) <= 3 or any(each.name for each in arguments):
        return None
    if not isinstance(arguments[0].value, (n.Lambda, n.OperatorFunction)):
        return None
    if len(arguments) == 3:
        return _method(arguments[1].value, "fold", [arguments[2], arguments[0]], call)
    return _method(arguments[1].value, "reduce", arguments[:1], call)


def _popped(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`xs.pop(0)`, `xs.pop(-1)`."""
    if len(arguments) != 1 or not isinstance(call.function, n.Member):
        return None
    value = arguments[0].value
    if isinstance(value, n.Literal) and value.text == "0":
        return _method(call.function.object, "shift", [], call)
    is_last = isinstance(value, n.Unary) and isinstance(value.operand, n.Literal) and value.operand.text == "1"
    return _method(call.function.object, "pop", [], call) if is_last else None


_ORDERS: Final = (
    "orderBy", "order_by", "orderByDescending", "sortedBy", "sorted_by", "sortedByDescending", "sortBy", "sort_by", "sort_by_key",
    "sort_by_key_descending",
)  # fmt: skip


def _then(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`xs.OrderBy(f).ThenBy(g)`: as sorting is stable, the order that matters least comes first."""
    assert isinstance(call.function, n.Member)
    first = last = call.function.object
    name = "then_by_key_descending" if call.function.name.endswith("Descending") else "then_by_key"
    while isinstance(last, n.Call) and isinstance(last.function, n.Member):
        within = last.function.object
        follows = (
            isinstance(within, n.Call) and isinstance(within.function, n.Member) and within.function.name.startswith("then_by")
        )
        if not follows:
            break
        last = within
    if not (isinstance(last, n.Call) and isinstance(last.function, n.Member) and isinstance(first, n.Call)):
        return None
    if not isinstance(first.function, n.Member) or first.function.name not in _ORDERS or len(arguments) != 1:
        return None
    last.function.object = _method(last.function.object, name, arguments, call)
    return first


def _parsed(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`parseInt(s, 10)`."""
    if len(arguments) == 2 and isinstance(arguments[1].value, n.Literal) and arguments[1].value.text == "10":
        call.arguments = arguments[:1]
    return None


def _filled(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`Array(n).fill(v)`: a list of the same value."""
    assert isinstance(call.function, n.Member)
    constructor = call.function.object
    if len(arguments) != 1 or not (isinstance(constructor, n.Call) and isinstance(constructor.function, n.Name)):
        return None
    if constructor.function.name != "Array" or len(constructor.arguments) != 1:
        return None
    return n.Call(n.Name("vec!;"), [arguments[0], constructor.arguments[0]], start=call.start, end=call.end)


_Rewrite = Callable[[n.Call, list[n.Argument]], "n.Expr | None"]
_FUNCTIONS: Final[dict[str, _Rewrite]] = {
    **dict.fromkeys(_OWNER_FIRST, _of_first),
    **dict.fromkeys(_OWNER_LAST, _of_second),
    "sorted": _sorted, "max": _most, "min": _most, "map": _mapped, "filter": _mapped, "any": _mapped, "all": _mapped,
    "ipairs": _enumerated,
    "enumerate": _enumerated, "sum": _summed, "haskey": _keyed, "array_key_exists": _keyed, "array_reduce": _rotated_fold,
    "reduce": _rotated_fold, "parseInt": _parsed, "next": following,
}  # fmt: skip
_METHODS: Final[dict[str, _Rewrite]] = {
    "sort": _sort,
    "filter": _kept,
    "map": _converted,
    **METHODS,
    "pop": _popped,
    "fill": _filled,
    "thenBy": _then,
    "thenByDescending": _then,
}
