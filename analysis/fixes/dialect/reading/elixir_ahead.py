"""What the tokens ahead say about forms of Elixir: functions of several clauses, `if` whose branches stand behind commas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.fixes.dialect.reading.scanner import OPERATOR, STRING, Token

_LONGEST: Final = 60
"""Tokens of a function without a name on one line, or of a condition."""


def has_clauses(tokens: Sequence[Token], at: int) -> bool:
    """True if the `fn` at a place has several clauses: on lines of their own, or with semicolons between them."""
    if tokens[at + 1].is_first:
        return True
    depth = 0
    for place in range(at + 1, min(at + _LONGEST, len(tokens))):
        token = tokens[place]
        if token.is_first or token.text == "end":
            return False
        depth += _opened(token)
        if token.text == ";" and depth == 0:
            return any(each.text == "->" for each in tokens[place : place + _LONGEST] if not each.is_first)
    return False


def has_short_branches(tokens: Sequence[Token], at: int) -> bool:
    """True if the `if` at a place is `if c, do: a` or `if(c, do: a)`."""
    if holds_branches(tokens, at + 1):
        return True
    depth = 0
    for place in range(at + 1, min(len(tokens) - 2, at + _LONGEST)):
        depth += _opened(tokens[place])
        if tokens[place].text == "do" and depth == 0:
            return _begins_branch(tokens, place)
        if depth < 0:
            return False
    return False


def holds_branches(tokens: Sequence[Token], at: int) -> bool:
    """True if the bracket at a place holds `, do:`, outside of further brackets."""
    if tokens[at].text != "(" or tokens[at].kind != OPERATOR:
        return False
    depth = 0
    for place in range(at, min(len(tokens) - 2, at + _LONGEST)):
        depth += _opened(tokens[place])
        if depth == 0:
            return False
        if depth == 1 and tokens[place].text == "do" and _begins_branch(tokens, place):
            return True
    return False


def _opened(token: Token) -> int:
    """How many brackets a token opens."""
    text = token.text if token.kind != STRING else ""
    return (text in ("(", "[", "{")) - (text in (")", "]", "}"))


def _begins_branch(tokens: Sequence[Token], place: int) -> bool:
    return tokens[place - 1].text == "," and tokens[place + 1].text == ":"
