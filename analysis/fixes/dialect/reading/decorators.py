"""Decorators and annotations that change nothing here (`@dataclass`, `@Override`), left out of the tokens."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.reading.scanner import NAME, OPERATOR, Token

_DROPPED: Final = frozenset(
    "dataclass property cached_property cache lru_cache override Override abstractmethod unique final JvmStatic JvmField "
    "discardableResult FunctionalInterface SuppressWarnings Deprecated inlinable data_class".split()
)
_STATIC: Final = "staticmethod"
_MODULES: Final = frozenset("dataclasses functools abc enum typing".split())
_LONGEST: Final = 60
"""Tokens in the parentheses of one."""


def without_decorators(tokens: list[Token]) -> list[Token]:
    """The tokens without them: what a decorator stands before begins where the decorator does."""
    if not any(token.text == "@" and token.is_first for token in tokens):
        return tokens
    kept: list[Token] = []
    place = 0
    first: Token | None = None
    while place < len(tokens):
        token = tokens[place]
        behind = _behind(tokens, place)
        if behind:
            first = first or token
            if any(each.text == _STATIC for each in tokens[place:behind]):
                kept.append(token._replace(kind=NAME, text="static"))
            place = behind
            continue
        if first is not None:
            token = token._replace(start=first.start, column=first.column, is_first=True)
            first = None
        kept.append(token)
        place += 1
    return kept


def _behind(tokens: list[Token], place: int) -> int:
    """The place behind the decorator that begins here; 0 where none does."""
    sign = tokens[place]
    if sign.kind != OPERATOR or sign.text != "@" or not sign.is_first:
        return 0
    at = place + 1
    if tokens[at].text in _MODULES and tokens[at + 1].text == ".":
        at += 2
    name = tokens[at]
    if name.kind != NAME or name.is_first or (name.text not in _DROPPED and name.text != _STATIC):
        return 0
    at += 1
    if tokens[at].text == "(" and not tokens[at].spaced:
        depth = 0
        for inner in range(at, min(at + _LONGEST, len(tokens))):
            depth += (tokens[inner].text == "(") - (tokens[inner].text == ")")
            if depth == 0:
                at = inner + 1
                break
        else:
            return 0
    follows = tokens[at]
    return at if follows.kind == NAME or (follows.text == "@" and follows.is_first) else 0
