"""Implicit failures: conversions, divisions and look-ups, with the class of the exception that each throws."""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_GENERAL: Final = frozenset("Exception BaseException StandardError Error Throwable RuntimeException object".split())
_CONVERSIONS: Final[dict[str, tuple[str, str, str | None]]] = {
    "int": ("to_int", "invalid literal for int() with base 10: '", "'"),
    "float": ("to_float", "could not convert string to float: '", "'"),
    "Integer": ("to_int", 'invalid value for Integer(): \\"', '\\"'),
    "Float": ("to_float", 'invalid value for Float(): \\"', '\\"'),
    "int_of_string": ("to_int", "int_of_string", None),
    "float_of_string": ("to_float", "float_of_string", None),
}
"""Functions that fail for a text that is no number: the method that gives an Option, and what the exception says."""
FINDING: Final = {"find": "find_opt", "assoc": "assoc_opt", "hd": "head_opt", "getValue": "get"}
"""Functions of ML that throw where there is nothing, and those that give an Option."""
_FINDERS: Final = ("List", "Map", "StringMap", "SMap", "IntMap")
CONVERSION: Final = "conversion"
"""The class of what a conversion throws, whatever the language calls it."""
BAD_NUMBER: Final = ("ValueError", "ArgumentError", "NumberFormatException", "FormatException")
BAD_DIVISOR: Final = (
    "ZeroDivisionError",
    "ArithmeticError",
    "ArithmeticException",
    "DivideByZeroException",
    "DivisionByZeroError",
)
BAD_PLACE: Final = ("IndexError", "LookupError", "IndexOutOfBoundsException", "ArrayIndexOutOfBoundsException")
BAD_KEY: Final = ("KeyError", "LookupError", "NoSuchElementException", "KeyNotFoundException")


def catches(kinds: tuple[str, ...], *thrown: str) -> bool:
    """True if what catches some classes catches one of others."""
    return not kinds or any(kind in _GENERAL or kind in thrown for kind in kinds)


def names(kinds: tuple[str, ...], *thrown: str) -> bool:
    """True if one of some classes is named by what catches."""
    return any(kind in thrown for kind in kinds)


def conversion(call: n.Call) -> str:
    """The method that gives the number in `int(s)` as an Option; "" for another call."""
    is_plain = isinstance(call.function, n.Name) and len(call.arguments) == 1 and not call.arguments[0].name
    names = _CONVERSIONS.get(call.function.name) if is_plain and isinstance(call.function, n.Name) else None
    return names[0] if names is not None else ""


def finds(call: n.Call) -> str:
    """The exception of a look-up in a module of ML that finds nothing; "" for another call."""
    function = call.function
    if not isinstance(function, n.Member) or function.name not in FINDING:
        return ""
    is_module = isinstance(function.object, n.Name) and function.object.name in _FINDERS
    if function.name == "getValue" or not is_module:
        return "Not_found" if function.name == "getValue" and len(call.arguments) == 1 else ""
    return "Failure" if function.name == "hd" else "Not_found"


def said_by(call: n.Call) -> n.Expr | None:
    """Message of the exception of a failed conversion; None if unknown."""
    if not isinstance(call.function, n.Name):
        return None
    _, before, after = _CONVERSIONS[call.function.name]
    if after is None:
        return n.Literal("string", f'"{before}"', start=call.start, end=call.end)
    parts: list[n.Expr] = [
        n.Literal("string", f'"{before}"', start=call.start, end=call.end),
        deepcopy(call.arguments[0].value),
        n.Literal("string", f'"{after}"', start=call.start, end=call.end),
    ]
    return n.Interpolated(parts, start=call.start, end=call.end)


def missing(node: n.Node, kinds: tuple[str, ...]) -> n.Expr | None:
    """The condition under which the first look-up of a statement fails in a way that is caught by name."""
    for part in walk(node):
        if isinstance(part, (n.Lambda, n.If, n.Match, n.Block, n.Comprehension)):
            return None
        if not isinstance(part, n.Index) or not isinstance(part.object, (n.Name, n.Member)):
            continue
        start, end = part.start, part.end
        if names(kinds, *BAD_KEY):
            held = n.Binary("in", deepcopy(part.index), deepcopy(part.object), start=start, end=end)
            return n.Unary("!", held, start=start, end=end)
        if names(kinds, *BAD_PLACE):
            return _outside(part)
    return None


def _outside(place: n.Index) -> n.Expr:
    """`i >= len(xs) || i < -len(xs)`."""
    start, end = place.start, place.end

    def length() -> n.Expr:
        return n.Call(n.Member(deepcopy(place.object), "len", start=start, end=end), [], start=start, end=end)

    behind = n.Binary(">=", deepcopy(place.index), length(), start=start, end=end)
    before = n.Binary("<", deepcopy(place.index), n.Unary("-", length(), start=start, end=end), start=start, end=end)
    return n.Binary("||", behind, before, start=start, end=end)
