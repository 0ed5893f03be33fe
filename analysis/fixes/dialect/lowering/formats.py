"""Formats of texts: `%5.2f` of C and Go, `{:>8}` and `{:.2}` of Rust and C++."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_PERCENT: Final = re.compile(r"%([-0 +#]*+)(\d*+)(?:\.(\d+))?(?:l{1,2}|h|z)?([dsvifgtqcuwAO%])")
_BRACE: Final = re.compile(
    r"\{(\w*)(?::((?:(.)(?=[<>^]))?([<>^]?)([+#]?)(0?)(\d+\$|[A-Za-z_]\w*\$|\d*)(?:\.(\d+))?([a-zA-Z?]*)))?\}"
)
_PLAIN: Final = ("", "d", "s", "v", "?", "i", "any", "f", "u", "b", "o", "x", "X")


class Piece(NamedTuple):
    """A piece of a format: its own text, or how a value is shown.

    `name` is what stands in a brace before the colon, `align` one of `<`, `>`, `^` or "" for that of the value's type. `of`:
    the value that says the width, its place among the arguments or its name. `signed`: numbers have a plus.
    """

    text: str = ""
    is_value: bool = False
    name: str = ""
    kind: str = ""
    width: int = 0
    decimals: int = -1
    align: str = ""
    fill: str = " "
    of: str = ""
    signed: bool = False


def pieces_of(text: str) -> list[Piece] | None:
    """The pieces of a format in their order; None for one that has no counterpart."""
    pieces: list[Piece] = []
    part = ""
    place = 0
    while place < len(text):
        sign = text[place]
        if sign in "{}" and text[place : place + 2] == sign * 2:
            part += sign
            place += 2
            continue
        next_piece, length = (None, 0)
        if sign == "{" and (brace := _BRACE.match(text, place)):
            next_piece, length = _of_brace(brace), len(brace[0])
        elif sign == "%" and (percent := _PERCENT.match(text, place)):
            if percent[4] == "%":
                part += "%"
                place += 2
                continue
            next_piece, length = _of_percent(percent), len(percent[0])
        elif sign == "%" and re.match(r"%[-+ #0]*+\d*+(?:\.\d+)?[a-zA-Z*]", text[place:]):
            return None
        if (length and next_piece is None) or (sign == "{" and not length and "}" in text[place:]):
            return None
        if next_piece is None:
            part += sign
            place += 1
            continue
        pieces += [Piece(part), next_piece]
        part = ""
        place += length
    pieces.append(Piece(part))
    return [piece for piece in pieces if piece.is_value or piece.text]


def _of_brace(match: re.Match[str]) -> Piece | None:
    name, _, fill, align, sign, zero, width, decimals, kind = match.groups()
    if sign == "#" or (kind or "") not in _PLAIN or (name and name not in _PLAIN and not name.isdigit()):
        return None
    of = (width or "").removesuffix("$") if (width or "").endswith("$") else ""
    return Piece(
        "", True, name if name.isdigit() else "", kind or (name if not name.isdigit() else ""), int(width or 0) if not of else 0,
        int(decimals) if decimals else -1, ">" if zero else align or "", "0" if zero else fill or " ", of, sign == "+",
    )  # fmt: skip


def _of_percent(match: re.Match[str]) -> Piece | None:
    flags, width, decimals, kind = match.groups()
    if set(flags) - set("-0+"):
        return None
    if kind == "f" and not decimals:
        decimals = "6"
    if kind in "AO":
        kind = "v"
    fill = "0" if "0" in flags and "-" not in flags else " "
    align = "<" if "-" in flags else ">"
    return Piece("", True, "", kind, int(width or 0), int(decimals) if decimals else -1, align, fill, "", "+" in flags)


__all__ = ["Piece", "pieces_of"]
