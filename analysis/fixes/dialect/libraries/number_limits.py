"""The greatest and the least number of a type, and other constants of libraries, as values."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n

ORDERS: Final = {"Less": "-1", "Equal": "0", "Greater": "1"}
_GREATEST: Final = "9223372036854775807"
_INT32: Final = (-(2**31), 2**31 - 1)
_BITS: Final = {
    "i8": (-128, 127), "i16": (-(2**15), 2**15 - 1), "i32": _INT32, "u8": (0, 255), "u16": (0, 2**16 - 1), "u32": (0, 2**32 - 1),
    "Int32": _INT32, "int32": _INT32, "UInt8": (0, 255), "Integer": _INT32,
}  # fmt: skip
BOUNDS: Final = {width: bounds for width, bounds in _BITS.items() if width[0] in "iu" and width[1:].isdigit()}
"""The least and the greatest number of each type of Rust that is narrower than an Int."""
_WIDE: Final = ("i64", "i128", "isize", "Int", "Int64", "int", "int64", "long", "Long", "math", "usize", "u64", "Number")
_MOST: Final = ("MAX", "max", "MAX_VALUE", "maxInt", "maxInt64", "MaxInt", "MaxInt64", "high", "MAX_SAFE_INTEGER")
_LEAST: Final = ("MIN", "min", "MIN_VALUE", "minInt", "minInt64", "MinInt", "MinInt64", "low", "MIN_SAFE_INTEGER")
_NARROW: Final = {"maxInt32": 2**31 - 1, "MaxInt32": 2**31 - 1, "minInt32": -(2**31), "MinInt32": -(2**31)}
_INFINITE: Final = {
    "INFINITY": True, "NEG_INFINITY": False, "MAX": True, "MIN": False, "MaxValue": True, "MinValue": False,
    "PositiveInfinity": True, "NegativeInfinity": False, "POSITIVE_INFINITY": True, "NEGATIVE_INFINITY": False,
}  # fmt: skip
_PI: Final = "3.141592653589793"
_CONSTANTS: Final = {"PI": _PI, "pi": _PI, "Pi": _PI, "E": "2.718281828459045"}


def limit(owner: str, name: str, start: int, end: int) -> n.Expr | None:
    """`i32::MAX`, `Int.max`, `math.MaxInt64`, `Ordering::Less`; None for another name."""
    if owner == "Ordering" and name in ORDERS:
        return _number(int(ORDERS[name]), start, end)
    if owner in _BITS and (name in _MOST or name in _LEAST):
        return _number(_BITS[owner][name in _MOST], start, end)
    if owner == "math" and name in _NARROW:
        return _number(_NARROW[name], start, end)
    if owner in ("math", "Math", "Double", "Float", "consts") and name in _CONSTANTS:
        return n.Literal("float", _CONSTANTS[name], start=start, end=end)
    if owner in ("f64", "f32", "Float", "Double", "double", "float") and name in _INFINITE:
        infinity = n.Name("Infinity", start=start, end=end)
        return infinity if _INFINITE[name] else n.Unary("-", infinity, start=start, end=end)
    if owner in ("usize", "u64") and name in _LEAST:
        return _number(0, start, end)
    if owner in _WIDE and name in _MOST:
        return n.Literal("int", _GREATEST, start=start, end=end)
    if owner in _WIDE and name in _LEAST:
        # The least number itself cannot be written.
        least = n.Unary("-", n.Literal("int", _GREATEST, start=start, end=end), start=start, end=end)
        return n.Binary("-", least, n.Literal("int", "1", start=start, end=end), start=start, end=end)
    return None


def _number(value: int, start: int, end: int) -> n.Expr:
    number = n.Literal("int", str(abs(value)), start=start, end=end)
    return number if value >= 0 else n.Unary("-", number, start=start, end=end)
