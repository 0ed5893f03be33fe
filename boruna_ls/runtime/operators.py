"""Arithmetic, comparisons and logic of chapter 08: overflow is an error, division truncates, NaN counts as equal in orders."""

from __future__ import annotations

from typing import Final

from boruna_ls.runtime.errors import VmError, type_error
from boruna_ls.runtime.values import INT_MAX, INT_MIN, Value, equal, truthy, type_name

_NUMBERS: Final = (int, float)


def _not_numeric(left: Value, right: Value) -> VmError:
    return type_error("numeric", type_name(right if type(left) in _NUMBERS else left))


def _checked(result: int, operation: str) -> int:
    if INT_MIN <= result <= INT_MAX:
        return result
    raise VmError(f"integer overflow in {operation}")


def add(left: Value, right: Value) -> Value:
    """`+`."""
    if type(left) is int and type(right) is int:
        return _checked(left + right, "addition")
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        return float(left) + float(right)
    raise _not_numeric(left, right)


def sub(left: Value, right: Value) -> Value:
    """`-`."""
    if type(left) is int and type(right) is int:
        return _checked(left - right, "subtraction")
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        return float(left) - float(right)
    raise _not_numeric(left, right)


def mul(left: Value, right: Value) -> Value:
    """`*`."""
    if type(left) is int and type(right) is int:
        return _checked(left * right, "multiplication")
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        return float(left) * float(right)
    raise _not_numeric(left, right)


def div(left: Value, right: Value) -> Value:
    """`/`: a divisor of zero comes first, whatever the other operand is."""
    if type(right) in _NUMBERS and right == 0:
        raise VmError("division by zero")
    if type(left) is int and type(right) is int:
        return _checked(truncated(left, right), "division")
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        return float(left) / float(right)
    raise _not_numeric(left, right)


def truncated(left: int, right: int) -> int:
    """The quotient of two integers, toward zero."""
    return left // right if (left >= 0) == (right > 0) else -(-left // right)


def mod(left: Value, right: Value) -> Value:
    """`%`: integers only; the sign of the dividend."""
    if type(left) is int and type(right) is int:
        if right == 0:
            raise VmError("division by zero")
        if left == INT_MIN and right == -1:
            raise VmError("integer overflow in remainder")
        return remainder(left, right)
    raise type_error("Int", type_name(right if type(left) is int else left))


def remainder(left: int, right: int) -> int:
    """The remainder of two integers, with the sign of the left one."""
    size = abs(right)
    return left % size if left >= 0 else -(-left % size)


def neg(value: Value) -> Value:
    """Unary `-`."""
    if type(value) is int:
        return _checked(-value, "negation")
    if type(value) is float:
        return -value
    raise type_error("numeric", type_name(value))


def not_equal(left: Value, right: Value) -> bool:
    """`!=`."""
    return not equal(left, right)


def _order(left: Value, right: Value) -> int:
    kind = type(left)
    if kind is not type(right) or kind not in (int, float, str):
        raise type_error("comparable", type_name(left))
    return int(left > right) - int(left < right)


def lt(left: Value, right: Value) -> bool:
    """`<`."""
    return _order(left, right) < 0


def lte(left: Value, right: Value) -> bool:
    """`<=`; NaN counts as equal."""
    return _order(left, right) <= 0


def gt(left: Value, right: Value) -> bool:
    """`>`."""
    return _order(left, right) > 0


def gte(left: Value, right: Value) -> bool:
    """`>=`; NaN counts as equal."""
    return _order(left, right) >= 0


def not_(value: Value) -> bool:
    """`!`."""
    return not truthy(value)


def and_(left: Value, right: Value) -> bool:
    """`&&` of two values that are there already."""
    return truthy(left) and truthy(right)


def or_(left: Value, right: Value) -> bool:
    """`||` of two values that are there already."""
    return truthy(left) or truthy(right)
