"""The canonical spelling of number literals (spec chapter 03)."""

from __future__ import annotations

from decimal import Decimal


def integer_text(text: str) -> str:
    """An integer literal without leading zeros."""
    return text.lstrip("0") or "0"


def float_text(text: str) -> str:
    """A float literal in the shortest digits that give the same number, no exponent; unchanged if it is infinite."""
    value = float(text)
    if value == float("inf"):
        return text
    shortest = repr(value)
    if "e" not in shortest:
        return shortest
    plain = format(Decimal(shortest), "f")
    return plain if "." in plain else plain + ".0"
