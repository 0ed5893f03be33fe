"""The texts of types, taken apart: what facts hold of annotations."""

from __future__ import annotations

from typing import Final

from analysis.database.caches import cached

VARIABLE: Final = "T"
"""Stands for any type in the signatures of builtin functions."""


@cached(4096)
def split_type(text: str) -> tuple[str, tuple[str, ...]]:
    """Name and arguments of a type's text; for `Fn(A) -> R` the result comes last."""
    opening = min((place for place in (text.find("<"), text.find("(")) if place >= 0), default=-1)
    if opening < 0:
        return text, ()
    name, parts, depth, start = text[:opening], [], 0, opening + 1
    for place in range(opening, len(text)):
        character = text[place]
        if character in "<(":
            depth += 1
        elif character == ")" or (character == ">" and text[place - 1] != "-"):
            depth -= 1
            if depth == 0:
                parts.append(text[start:place].strip())
                rest = text[place + 1 :].strip()
                if rest.startswith("->"):
                    parts.append(rest[2:].strip())
                break
        elif character == "," and depth == 1:
            parts.append(text[start:place].strip())
            start = place + 1
    return name, tuple(part for part in parts if part)
