"""Functions and constants of the libraries of Python and JavaScript as calls that the lexicon knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from analysis.fixes.dialect.libraries.text_formats import filled, shown, with_percents
from analysis.fixes.dialect.tree import nodes as n

_MODULES: Final = frozenset(
    ("functools", "itertools", "collections", "heapq", "operator", "np", "builtins", "re", "copy", "bisect")
)
_CONSTANTS: Final = {"pi": "3.141592653589793", "e": "2.718281828459045", "PI": "3.141592653589793", "E": "2.718281828459045"}
_TEXTS: Final = {
    "ascii_lowercase": "abcdefghijklmnopqrstuvwxyz",
    "ascii_uppercase": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "ascii_letters": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "digits": "0123456789",
    "hexdigits": "0123456789abcdefABCDEF",
}
_NUMBERS: Final = ("int", "Number", "parseInt", "parseFloat", "float")
_HEAPS: Final = {"heappush": "push_sorted", "heappop": "popleft", "heapify": "sort", "nsmallest": "", "nlargest": ""}


class Spreading(n.Argument):
    """`*xs`, `...xs` in a call."""


def constant(module: str, name: str) -> n.Expr | None:
    """`math.pi`, `Math.PI`, `math.inf`; None for another name."""
    if module in ("math", "Math", "np", "cmath") and name in _CONSTANTS:
        return n.Literal("float", _CONSTANTS[name])
    if module == "string" and name in _TEXTS:
        return n.Literal("string", f'"{_TEXTS[name]}"')
    if (module, name) in (
        ("math", "inf"),
        ("math", "huge"),
        ("Number", "POSITIVE_INFINITY"),
        ("Number", "MAX_SAFE_INTEGER"),
        ("Number", "MAX_VALUE"),
    ):
        return n.Name("Infinity")
    if (module, name) in (("Number", "NEGATIVE_INFINITY"), ("Number", "MIN_SAFE_INTEGER")):
        return n.Unary("-", n.Name("Infinity"))
    return None


def of_libraries(call: n.Call) -> n.Expr | None:
    """Translation of a call of a library function; None if there is none."""
    function = call.function
    if isinstance(function, n.Member) and isinstance(function.object, n.Name):
        owner = function.object.name
        is_module = owner in _MODULES and (owner != "copy" or function.name in ("copy", "deepcopy"))
        if is_module or (owner in ("math", "Math") and function.name in ("isnan", "prod")):
            plain = n.Call(n.Name(function.name, start=function.start, end=function.end), call.arguments)
            plain.start, plain.end = call.start, call.end
            return of_libraries(plain) or plain
        if owner == "JSON" and function.name == "stringify" and len(call.arguments) == 1:
            return n.Call(n.Member(call.arguments[0].value, "json_text"), [], start=call.start, end=call.end)
        if owner == "Number" and function.name in ("isNaN", "isInteger") and len(call.arguments) == 1:
            return _is_no_number(call, call.arguments) if function.name == "isNaN" else _is_number(call, call.arguments)
    if isinstance(function, n.Member):
        return _of_method(call, function)
    if not isinstance(function, n.Name):
        return None
    rewrite = _FUNCTIONS.get(function.name)
    return rewrite(call, call.arguments) if rewrite is not None else None


def _of_method(call: n.Call, function: n.Member) -> n.Expr | None:
    arguments = call.arguments
    text = function.object
    if function.name == "format" and isinstance(text, n.Literal) and text.kind == "string":
        # Kotlin and Scala format with percents.
        return filled(text, arguments) if "{" in text.text else with_percents(text, [each.value for each in arguments])
    if function.name == "shown_as" and len(arguments) == 1 and isinstance(arguments[0].value, n.Literal):
        return shown(text, arguments[0].value.text[1:-1])
    if function.name in ("push", "unshift") and (len(arguments) > 1 or any(isinstance(each, Spreading) for each in arguments)):
        items: list[n.Expr] = [n.Spread(each.value) if isinstance(each, Spreading) else each.value for each in arguments]
        many = n.ListOf(items, start=call.start, end=call.end)
        if function.name == "push":
            only = arguments[0].value if len(arguments) == 1 else many
            return _method(text, "extend", [n.Argument(only)], call)
        return None
    if (
        function.name == "keys"
        and isinstance(text, n.Call)
        and isinstance(text.function, n.Name)
        and text.function.name == "Array"
        and len(text.arguments) == 1
    ):
        numbers = n.Range(n.Literal("int", "0"), text.arguments[0].value, False, start=call.start, end=call.end)
        return _method(numbers, "to_list", [], call)
    if function.name in ("startswith", "endswith", "startsWith") and len(arguments) == 1:
        value = arguments[0].value
        if isinstance(value, n.TupleOf):
            parts: list[n.Expr] = [_method(text, function.name, [n.Argument(each)], call) for each in value.items]
            whole = parts[0]
            for part in parts[1:]:
                whole = n.Binary("||", whole, part, start=call.start, end=call.end)
            return whole
    if function.name == "reduce" and len(arguments) == 2 and isinstance(arguments[1].value, n.Block):
        # `{}` as the first value of a fold is a map that is filled.
        braces = arguments[1].value
        arguments[1].value = n.MapOf([], start=braces.start, end=braces.end) if not braces.statements else braces
    if function.name == "reduce" and arguments and isinstance(arguments[0].value, n.Lambda):
        return _numbered_fold(call, function, arguments[0].value)
    return None


def _numbered_fold(call: n.Call, function: n.Member, closure: n.Lambda) -> n.Expr | None:
    """`xs.reduce((sum, x, i) => …, 0)`: over the items with their places."""
    if len(closure.parameters) != 3 or len(call.arguments) != 2:
        return None
    total, item, place = closure.parameters
    closure.parameters = [total, n.TuplePattern([place, item], start=item.start, end=place.end)]
    numbered = _method(function.object, "enumerate", [], call)
    return _method(numbered, "fold", [call.arguments[1], call.arguments[0]], call)


def _method(value: n.Expr, name: str, arguments: list[n.Argument], call: n.Call) -> n.Call:
    member = n.Member(value, name, start=call.start, end=call.end)
    return n.Call(member, arguments, start=call.start, end=call.end)


def _as(name: str) -> _Rewrite:
    """A function that is a method of its first argument."""
    return lambda call, arguments: _method(arguments[0].value, name, arguments[1:], call) if arguments else None


def _with_sign(prefix: str, base: str) -> _Rewrite:
    def rewrite(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
        if len(arguments) != 1:
            return None
        digits = _method(arguments[0].value, "in_base", [n.Argument(n.Literal("int", base))], call)
        return n.Binary("++", n.Literal("string", f'"{prefix}"'), digits, start=call.start, end=call.end)

    return rewrite


def _number(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`int(s, 2)`, `parseInt(s, 16)`, `float("inf")`."""
    only = arguments[0].value if arguments else None
    if len(arguments) == 1 and isinstance(only, n.Literal) and only.kind == "string":
        word = only.text.strip('"').lower()
        if word in ("inf", "infinity", "-inf", "-infinity"):
            bound = n.Name("Infinity", start=call.start, end=call.end)
            return n.Unary("-", bound, start=call.start, end=call.end) if word[0] == "-" else bound
    is_ten = len(arguments) == 2 and isinstance(arguments[1].value, n.Literal) and arguments[1].value.text == "10"
    if len(arguments) == 2 and not is_ten and not arguments[1].name:
        return _method(arguments[0].value, "to_base_int", arguments[1:], call)
    return None


def _optional_number(value: n.Expr) -> n.Expr:
    """A number of a text as an Option, where a program asks whether it is one."""
    is_number = isinstance(value, n.Call) and isinstance(value.function, n.Name) and value.function.name in _NUMBERS
    if is_number and isinstance(value, n.Call) and value.arguments:
        is_float = isinstance(value.function, n.Name) and value.function.name in ("parseFloat", "float")
        name = "toDoubleOrNull" if is_float else "toIntOrNull"
        return _method(value.arguments[0].value, name, [], value)
    return value


def _is_no_number(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    return _method(_optional_number(arguments[0].value), "isNaN", [], call) if len(arguments) == 1 else None


def _is_number(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    value = _optional_number(arguments[0].value)
    return _method(value, "is_some", [], call) if value is not arguments[0].value else None


def _empty(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`deque()`, `deque(xs)`."""
    positional = [each for each in arguments if not each.name]
    if len(positional) != len(arguments) or len(positional) > 1:
        return None
    return positional[0].value if positional else n.ListOf([], start=call.start, end=call.end)


def _dict(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`dict()`, `dict(a=1)`, `dict(pairs)`, `new Map()`, `new Map(pairs)`."""
    if all(each.name for each in arguments):
        pairs: list[tuple[n.Expr, n.Expr]] = [(n.Literal("string", f'"{each.name}"'), each.value) for each in arguments]
        return n.MapOf(pairs, start=call.start, end=call.end)
    if len(arguments) != 1 or isinstance(arguments[0].value, n.ListOf) or arguments[0].name:
        return None
    return _method(arguments[0].value, "to_map", [], call)


def _counter(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    if not arguments:
        return n.MapOf([], start=call.start, end=call.end)
    return _method(arguments[0].value, "tally", [], call) if len(arguments) == 1 else None


def _zipped(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`zip(*rows)`."""
    is_spread = len(arguments) == 1 and isinstance(arguments[0], Spreading)
    return _method(arguments[0].value, "transpose", [], call) if is_spread else None


def _few(name: str) -> _Rewrite:
    def rewrite(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
        """`heapq.nlargest(k, xs)`."""
        if len(arguments) not in (2, 3):
            return None
        key = arguments[2:] if len(arguments) == 3 else []
        sort = {"nlargest": "sort_desc", "nsmallest": "sort"}[name]
        if key:
            sort = {"nlargest": "sort_by_key_descending", "nsmallest": "sort_by_key"}[name]
        ordered = _method(arguments[1].value, sort, [n.Argument(each.value) for each in key], call)
        return _method(ordered, "take", arguments[:1], call)

    return rewrite


def _formatted(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`sprintf("%.2f", x)`, `format("%5d", n)`, `format(x, ".2f")`."""
    first = arguments[0].value if arguments else None
    if not isinstance(first, n.Literal) or first.kind != "string" or "%" not in first.text:
        return None
    return with_percents(first, [each.value for each in arguments[1:]])


def _field_default(call: n.Call, arguments: list[n.Argument]) -> n.Expr | None:
    """`field(default_factory=list)` of a data class: what the field begins with."""
    named = {each.name: each.value for each in arguments}
    if "default" in named:
        return named["default"]
    factory = named.get("default_factory")
    if isinstance(factory, n.Lambda) and not factory.parameters:
        return factory.body
    word = factory.name if isinstance(factory, n.Name) else ""
    if word == "dict":
        return n.MapOf([], start=call.start, end=call.end)
    empty = n.ListOf([], start=call.start, end=call.end)
    if word == "set":
        return n.Call(n.Member(empty, "toSet"), [], start=call.start, end=call.end)
    return empty if word == "list" else None


_Rewrite = Callable[[n.Call, list[n.Argument]], "n.Expr | None"]
_FUNCTIONS: Final[dict[str, _Rewrite]] = {
    "bin": _with_sign("0b", "2"),
    "hex": _with_sign("0x", "16"),
    "oct": _with_sign("0o", "8"),
    "int": _number,
    "parseInt": _number,
    "float": _number,
    "Number": _number,
    "isNaN": _is_no_number,
    "deque": _empty,
    "dict": _dict,
    "Map": _dict,
    "Counter": _counter,
    "zip": _zipped,
    "sprintf": _formatted,
    "format": _formatted,
    "groupby": _as("runs"),
    "permutations": _as("permutations"),
    "combinations": _as("combinations"),
    "product": lambda call, arguments: _as("cartesian")(call, arguments) if len(arguments) == 2 else None,
    "accumulate": lambda call, arguments: _as("accumulate")(call, arguments) if len(arguments) == 1 else None,
    "cumsum": _as("cumsum"),
    "round": lambda call, arguments: _as("round_to")(call, arguments) if len(arguments) == 2 else None,
    "deepcopy": _as("copy"),
    "field": _field_default,
    "repr": lambda call, arguments: _as("python_repr")(call, arguments) if len(arguments) == 1 else None,
    "prod": _as("product"),
    "structuredClone": _as("copy"),
    "nlargest": _few("nlargest"),
    "nsmallest": _few("nsmallest"),
    **{name: _as(method) for name, method in _HEAPS.items() if method},
}
