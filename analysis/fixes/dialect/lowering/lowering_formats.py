"""Formats of numbers and texts: decimals, widths and zeros, in the spellings of `printf` and of braces."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from analysis.fixes.dialect.lowering.lowering_operators import Operators
from analysis.fixes.dialect.lowering.writer import Code
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import INT, STRING, Type, head
from analysis.suggestions.lexicon import operations
from analysis.suggestions.operation import Operation

_PERCENT: Final = re.compile(r"%(?:(\d+)\$)?([-0]*+)(\d*+)(?:\.(\d+))?(?:ld|lld|[dsviufxXcb])")
_BRACES: Final = re.compile(r"(?:([<>^]?)(0?)(\d*)(?:\.(\d+))?[dfs?]?|[FfN](\d)|D(\d+)|(0\.0+)|([xX]))")


class Formats(Operators):
    """`with_format` writes a value with a format."""

    @abstractmethod
    def operated(self, operation: Operation, operands: list[n.Expr], node: n.Expr, expected: Type | None) -> Code: ...

    def with_format(self, value: n.Expr, form: str) -> n.Expr | None:
        """A value as text; None for a format that has no counterpart."""
        match = _BRACES.fullmatch(form)
        if match is None:
            return None
        side, zero, width, decimals, fixed, numerals, zeros, hexadecimal = match.groups()
        if hexadecimal is not None:
            return self._operation("Int", "to_hex", value)
        if zeros is not None:
            fixed = str(len(zeros) - 2)
        text = value
        if (decimals or fixed) is not None and head(value.ty) in ("Float", "Int"):
            number = value if head(value.ty) == "Float" else n.Cast(value, Type("Float"), ty=Type("Float"))
            text = self._operation("Float", "toFixed", number, n.Literal("int", decimals or fixed or "0", ty=INT))
        elif decimals is not None:
            return None
        if numerals is not None:
            width, zero = numerals, "0"
        if not width:
            return text
        if side == "^":
            return None
        text = n.Interpolated([text], ty=STRING)
        is_left = side == "<" or (not side and head(value.ty) == "String" and form[:1] != ">")
        word = "padEnd" if is_left else "padStart"
        fill = n.Literal("string", f'"{zero or " "}"', ty=STRING)
        return self._operation("String", word, text, n.Literal("int", str(int(width)), ty=INT), fill)

    def _operation(self, kind: str, name: str, *operands: n.Expr) -> n.Expr:
        operation = operations()[kind, name, len(operands) - 1]
        return n.Call(operands[0], [], operation, list(operands), ty=STRING)


def format_pieces(text: str) -> list[tuple[bool, str]]:
    """The pieces of a format: texts, and what stands in braces or behind a percent sign, as place and form around a colon."""
    pieces: list[tuple[bool, str]] = []
    part = ""
    place = 0
    while place < len(text):
        sign = text[place]
        if sign in "{}" and text[place : place + 2] == sign * 2:
            part += sign
            place += 2
        elif text.startswith(("%%", "%n"), place):
            part += "%" if text[place + 1] == "%" else "\\n"
            place += 2
        elif sign == "{" and (stop := text.find("}", place)) > 0:
            pieces += [(False, part), (True, _of_brace(text[place + 1 : stop]))]
            part, place = "", stop + 1
        elif sign == "%" and (match := _PERCENT.match(text, place)):
            pieces += [(False, part), (True, _of_percent(match))]
            part, place = "", match.end()
        else:
            part += sign
            place += 1
    pieces.append((False, part))
    return [piece for piece in pieces if piece[0] or piece[1]]


def _of_brace(text: str) -> str:
    """`0,5:F2` of C# counts the width before the colon."""
    place, _, form = text.partition(":")
    number, comma, width = place.partition(",")
    if comma and width.strip().lstrip("-").isdigit():
        width = width.strip()
        return f"{number}:{'<' if width.startswith('-') else '>'}{width.lstrip('-')}" if not form else f"{number}:?"
    return f"{place}:{form}" if form and form not in ("?", "d", "s") else place


def _of_percent(match: re.Match[str]) -> str:
    number, flags, width, decimals = match.groups()
    kind = match[0][-1]
    place = str(int(number) - 1) if number else ""
    if kind in "xX":
        return f"{place}:x" if not width else f"{place}:?"
    if kind == "f" and decimals is None:
        decimals = "6"
    form = ("<" if "-" in flags else ">") + ("0" if "0" in flags else "") + width if width else ""
    form += f".{decimals}" if decimals is not None else ""
    return f"{place}:{form}" if form else place
