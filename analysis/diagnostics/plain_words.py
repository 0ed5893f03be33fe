"""Syntax errors in words for people: "expected `,`", where the reference says "expected Comma, found RBrace"."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from analysis.edits import Span
from analysis.syntax.lexer import TOKEN_NAMES, Tokens

_WRITTEN: Final = {name: written for written, name in TOKEN_NAMES.items()}
_EXPECTED: Final = re.compile(r"expected (?P<wanted>.+?)(?:, found .*)?", re.DOTALL)
_SORTS: Final = {
    "identifier": "a name",
    "expression": "an expression",
    "pattern": "a pattern",
    "item": "`fn`, `type`, `enum`, `import` or `export`",
    "string literal": "a string",
}


def plain_words(message: str) -> str:
    """A parse error in our words, without the token that was found: the reader sees it at the place."""
    match = _EXPECTED.fullmatch(message)
    if match is None:
        return message
    expected = match["wanted"]
    if expected in _WRITTEN:
        return f"expected `{_WRITTEN[expected]}`"
    if expected in _SORTS:
        return f"expected {_SORTS[expected]}"
    return f"expected {expected.replace(chr(39), '`')}"


def place_of_missing(text: str, previous_end: int, span: Span) -> Span:
    """The place of something missing in a chunk: after the previous token if the next token is on a later line."""
    if previous_end and (span[0] >= len(text) or "\n" in text[previous_end : span[0]]):
        return previous_end, previous_end
    return span


def place_of_addition(tokens: Tokens, span: Span) -> Span:
    """The place for a diagnostic about a missing line: behind the token before."""
    index = bisect_right(tokens.ends, span[0], hi=len(tokens.ends) - 1) - 1
    if span[0] == span[1] and index >= 0 and "\n" in tokens.text[tokens.ends[index] : span[0]]:
        return tokens.ends[index], tokens.ends[index]
    return span
