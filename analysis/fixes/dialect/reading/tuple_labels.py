"""Names of the parts of tuples, as Swift and C# give them: `(name: "x", count: 3)`, `List<(string Name, int Count)>`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.fixes.dialect.reading.scanner import NAME, STRING, Token

_BEFORE: Final = frozenset("( [ < , = : -> ? { => return in of append".split())
"""What stands before the parenthesis of a tuple or of its type."""
_DECLARING: Final = frozenset("type struct record class enum data interface".split())


def labels_of_tuples(tokens: Sequence[Token]) -> dict[str, int]:
    """The places of named parts; no name that a record's field has, too, or that has several places."""
    places: dict[str, int] = {}
    doubtful = _fields(tokens)
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else token
        if token.text != "(" or token.kind == STRING or before.text not in _BEFORE:
            continue
        for place, name in enumerate(_labels(tokens, at)):
            if places.setdefault(name, place) != place:
                doubtful.add(name)
    return {name: place for name, place in places.items() if name not in doubtful}


def _fields(tokens: Sequence[Token]) -> set[str]:
    """The names in the declarations of types."""
    names: set[str] = set()
    for at, token in enumerate(tokens[:-3]):
        if token.kind != NAME or token.text not in _DECLARING or tokens[at + 1].kind != NAME:
            continue
        depth = 0
        for place in range(at + 2, len(tokens)):
            text = tokens[place].text if tokens[place].kind != STRING else ""
            depth += (text in ("(", "{")) - (text in (")", "}"))
            if depth <= 0 and text in (")", "}", "="):
                break
            if tokens[place].kind == NAME:
                names.add(text)
    return names


def _labels(tokens: Sequence[Token], at: int) -> list[str]:
    """The names of all parts in a parenthesis; empty where a part has none."""
    names: list[str] = []
    depth, is_first = 0, False
    for place in range(at, len(tokens)):
        text = tokens[place].text if tokens[place].kind != STRING else ""
        if is_first:
            name = _label(tokens, place)
            if not name:
                return []
            names.append(name)
        depth += (text in ("(", "[", "{", "<")) - (text in (")", "]", "}", ">"))
        is_first = depth == 1 and text in ("(", ",")
        if depth <= 0 or text == ";":
            break
    return names if len(names) > 1 else []


def _label(tokens: Sequence[Token], place: int) -> str:
    """`name: …`, or `int name` before a comma or the end."""
    first, second, third = (tokens[min(each, len(tokens) - 1)] for each in range(place, place + 3))
    if first.kind != NAME:
        return ""
    if second.text == ":":
        return first.text
    return second.text if second.kind == NAME and third.text in (",", ")") else ""
