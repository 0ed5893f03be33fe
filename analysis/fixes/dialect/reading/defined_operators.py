"""Operators that a program defines: `def +(other)`, `operator+(V o)`, `static func == (a: V, b: V)`, `let ( |? ) o d = …`."""

from __future__ import annotations

import re
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


_OF_ML: Final = re.compile(r"\blet[ \t]{1,9}(?:rec[ \t]{1,9})?\([ \t]{0,9}([$%&*+\-./<=>?@^|:]{1,6})[ \t]{0,9}\)[ \t]{1,9}[\w(]")
_SIGNS: Final = frozenset("$%&*+-./<=>?@^|:!~")
_BUILT_IN: Final = frozenset("+ - * / = == != < > <= >= <> |> @@ @ ^ :: := && || . ** <- -> | :".split())
_WORDS: Final = {
    "$": "dollar", "%": "percent", "&": "and", "*": "star", "+": "plus", "-": "minus", ".": "dot", "/": "slash", "<": "less",
    "=": "equals", ">": "greater", "?": "question", "@": "at", "^": "hat", "|": "bar", ":": "colon",
}  # fmt: skip
_LEVELS: Final = {"**": 13, "*": 12, "/": 12, "%": 12, "+": 11, "-": 11, "@": 8, "^": 8}
"""The level of an operator among those of the grammar, by what it begins with; others compare."""
COMPARING: Final = 5


def operators_of_ml(text: str) -> dict[str, str]:
    """The functions of the operators that a program of ML defines by `let ( |? ) o d = …`, by their signs."""
    signs = dict.fromkeys(sign for sign in _OF_ML.findall(text) if sign not in _BUILT_IN)
    return {sign: "operator_" + "_".join(_WORDS[each] for each in sign) for sign in signs}


def level_of(sign: str) -> int:
    return _LEVELS.get(sign[:2], _LEVELS.get(sign[:1], COMPARING))


def with_functions(tokens: list[Token], text: str, operators: dict[str, str]) -> list[Token]:
    """The tokens with the name of its function for each of some operators: in backticks between values, plain in parentheses."""
    kept: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        sign = _sign_at(text, token.start) if token.kind == OPERATOR else ""
        if sign not in operators or (token.start and text[token.start - 1] in _SIGNS):
            kept.append(token)
            place += 1
            continue
        end = token.start + len(sign)
        while place < len(tokens) and tokens[place].start < end and tokens[place].kind == OPERATOR:
            place += 1
        name = token._replace(kind=NAME, text=operators[sign], end=end)
        if kept and kept[-1].text == "(" and tokens[place].text == ")":
            opening = kept.pop()
            kept.append(
                name._replace(start=opening.start, end=tokens[place].end, spaced=opening.spaced, is_first=opening.is_first)
            )
            place += 1
        else:
            kept.append(name._replace(text=f"`{operators[sign]}`"))
    return kept


def _sign_at(text: str, start: int) -> str:
    end = start
    while end < len(text) and text[end] in _SIGNS:
        end += 1
    return text[start:end]
