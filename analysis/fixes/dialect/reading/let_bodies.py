"""Where the value of a `let` ends and `in` begins what it is for: elsewhere `in` asks whether a list holds an item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.fixes.dialect.reading.scanner import NAME, Token

BODIES: Final = frozenset(("let", "if", "match", "begin", "for", "while", "case"))
"""Words that may begin what stands behind `let … in`."""
_LONGEST: Final = 200
"""Tokens of a body that are looked through."""


def ends_bound_value(tokens: Sequence[Token], at: int, bound: frozenset[str]) -> bool:
    """True if `in` or `and` at a place ends the value of a `let` that declares some names.

    Another binding follows then, a form of its own, or one of the names.
    """
    word, follows = tokens[at].text, tokens[at + 1]
    if word == "and":
        return follows.kind == NAME and tokens[at + 2].text == "="
    if word != "in":
        return False
    if follows.kind == NAME and follows.text in BODIES:
        return True
    for token in tokens[at + 1 : at + _LONGEST]:
        if token.is_first:
            return False
        if token.kind == NAME and token.text in bound:
            return True
    return False
