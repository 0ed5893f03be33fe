"""Operators and texts of a program's own types: which of its functions `a + b` and `"$a"` call."""

from __future__ import annotations

from typing import Final, NamedTuple

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import head
from analysis.fixes.dialect.typing.program import Program

_METHODS: Final = {
    "+": ("operator_add", "__add__", "plus", "add"),
    "-": ("operator_subtract", "__sub__", "minus", "sub"),
    "*": ("operator_multiply", "__mul__", "times", "mul"),
    "/": ("operator_divide", "__truediv__", "__floordiv__", "div"),
    "%": ("operator_remainder", "__mod__", "rem"),
    "==": ("operator_equals", "__eq__", "equals"),
    "<": ("operator_less", "__lt__"),
    ">": ("operator_greater", "__gt__"),
    "<=": ("operator_at_most", "__le__"),
    ">=": ("operator_at_least", "__ge__"),
    "<=>": ("operator_compare",),
}
"""The methods of each operator: as they are called in the tree, in Python, in Kotlin, in Rust."""
_COMPARING: Final = ("operator_compare", "compareTo")
"""Methods that give a number below, of or above zero."""
_SHOWING: Final = ("to_string", "to_s", "__str__", "toString", "__repr__")


class OwnOperator(NamedTuple):
    """A function for an operator; `comparison` is what it gives beside zero, `is_denied` if the opposite is meant."""

    function: str
    comparison: str = ""
    is_denied: bool = False


def own_operator(program: Program, node: n.Binary) -> OwnOperator | None:
    """The function that the program defines for an operator of a value of its own; None if there is none."""
    kind, sign = head(node.left.ty), node.operator
    if kind not in program.records and kind not in program.enums:
        return None
    function = _method(program, kind, _METHODS.get(sign, ()))
    if function:
        return OwnOperator(function)
    if sign == "!=" and (function := _method(program, kind, _METHODS["=="])):
        return OwnOperator(function, is_denied=True)
    if sign in ("<", ">", "<=", ">=") and (function := _method(program, kind, _COMPARING)):
        return OwnOperator(function, comparison=sign)
    return None


def text_method(program: Program, kind: str) -> str | None:
    """The function that gives a value of a program's own type as text."""
    return _method(program, kind, _SHOWING, parameters=1) or None


_CALLED: Final = {
    **dict.fromkeys(("str", "String", "repr", "to_string", "toString", "to_s", "strval", "string"), _SHOWING),
    **dict.fromkeys(("len", "length", "size", "count"), ("__len__", "count", "size", "length")),
    **dict.fromkeys(("abs",), ("__abs__",)),
}
"""Methods of own types that functions of Python and others stand for."""


def called_method(program: Program, word: str, kind: str) -> str:
    """The program's function behind `len(stack)` or `str(account)`; "" if there is none."""
    if kind not in program.records and kind not in program.enums:
        return ""
    return _method(program, kind, _CALLED.get(word, ()), parameters=1)


def _method(program: Program, kind: str, names: tuple[str, ...], parameters: int = 2) -> str:
    for name in names:
        # Operators of C++ stand outside of the type, too.
        written = program.methods.get((kind, name)) or (name if name.startswith("operator_") else "")
        signature = program.functions.get(written)
        if signature is None or len(signature.parameters) != parameters or written in program.changing:
            continue
        if written not in program.references and head(signature.parameters[0]) == kind:
            return written
    return ""
