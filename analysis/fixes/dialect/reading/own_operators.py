"""Operators that a program defines for its own types: `def +(other)`, `operator+(V o)`, `static func == (a: V, b: V)`."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.reading.scanner import NAME, OPERATOR, Token

NAMES: Final = {
    "+": "operator_add", "-": "operator_subtract", "*": "operator_multiply", "/": "operator_divide", "%": "operator_remainder",
    "==": "operator_equals", "<": "operator_less", ">": "operator_greater", "<=": "operator_at_most", ">=": "operator_at_least",
    "<=>": "operator_compare", "<<": "operator_append", "**": "operator_power",
}  # fmt: skip
"""The function of each operator."""
_DEFINING: Final = ("def", "func", "operator")


def with_named_operators(tokens: list[Token]) -> list[Token]:
    """The tokens with names for the operators that are defined; C++, C# and Dart write `operator` before them."""
    kept: list[Token] = []
    for place, token in enumerate(tokens):
        before = kept[-1] if kept else None
        defines = before is not None and before.kind == NAME and before.text in _DEFINING
        opens = place + 1 < len(tokens) and tokens[place + 1].text == "(" and tokens[place + 1].kind == OPERATOR
        if not defines or before is None or token.kind != OPERATOR or token.text not in NAMES or not opens:
            kept.append(token)
            continue
        if before.text == "operator":
            token = before._replace(end=token.end)
            kept.pop()
        kept.append(token._replace(kind=NAME, text=NAMES[tokens[place].text]))
    return kept
