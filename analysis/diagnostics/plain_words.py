"""Syntax errors in words for people: "expected `,`", where the reference says "expected Comma, found RBrace"."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from analysis.syntax.lexer import IDENT, STRING, Tokens
from analysis.syntax.parser import ParseError
from analysis.text.edits import Span

_SORTS: Final = {IDENT: "a name", STRING: "a string"}


def plain_words(error: ParseError) -> str:
    """A parse error in our words, without the token that was found: the reader sees it at the place."""
    if error.expects_item:
        return "expected `fn`, `type`, `enum`, `import` or `export`"
    if error.expects_expression:
        return "expected an expression"
    if error.expects_pattern:
        return "expected a pattern"
    if not error.expected:
        return error.message
    # Where a list can end as well as go on, a comma is the likelier thing to miss.
    kind = "," if "," in error.expected else min(error.expected)
    return f"expected {_SORTS.get(kind, f'`{kind}`')}"


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
