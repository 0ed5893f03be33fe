"""Tokens of a chunk (spec chapter 01): one regular expression, parallel sequences, every lexical error kept and skipped.

A keyword's and a punctuation mark's kind is its own text; the other kinds are the constants below. White space and comments
leave no token. `Tokens` always ends with `EOF`.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from enum import StrEnum
from itertools import islice
from typing import Final

from analysis.data_classes import dataclass
from analysis.database import checkpoint, paced
from analysis.text.strings import STRING as STRING_PATTERN
from analysis.text.strings import behind, closing_quote

IDENT: Final = "IDENT"
INT: Final = "INT"
FLOAT: Final = "FLOAT"
STRING: Final = "STRING"
EOF: Final = "EOF"

KEYWORDS: Final = frozenset(
    "fn let mut if else match return type enum module import export true false None Some Ok Err "
    "requires ensures intent spawn send receive emit while for in".split()
)
_OFTEN: Final = 2_000
"""Tokens between two looks at whether to stop."""
_STEP: Final = 8
"""Tokens between two looks at whether those of another text go on as those of this one."""
_LONG: Final = 30_000
"""Characters from which the offsets are kept in arrays: the collector of garbage stops all threads while it looks at each number
in a list, 60 ms for a megabyte. Reading offsets from lists is faster."""
_LOOKAHEAD: Final = 2
"""Characters behind a token that decide where it ends: `1` is an integer unless a dot and a digit follow."""
MAX_INT: Final = 9223372036854775807
TOKEN_NAMES: Final = {
    "+": "Plus", "-": "Minus", "*": "Star", "/": "Slash", "%": "Percent", "++": "PlusPlus", "=": "Eq", "!": "Bang",
    "->": "Arrow", "=>": "FatArrow", "_": "Underscore", "==": "EqEq", "!=": "BangEq", "<": "Lt", "<=": "LtEq", ">": "Gt",
    ">=": "GtEq", "&&": "AndAnd", "||": "OrOr", ".": "Dot", "..": "DotDot", "(": "LParen", ")": "RParen", "{": "LBrace",
    "}": "RBrace", "[": "LBracket", "]": "RBracket", ",": "Comma", ":": "Colon", "::": "ColonColon", ";": "Semi",
}  # fmt: skip
"""Spelling of punctuation in parse errors (chapter 01 section 4)."""

_TOKEN: Final = re.compile(
    r"(?:[ \t\r\n]++|//[^\n]*+)*+(?:"
    r"([A-Za-z_][A-Za-z0-9_]*+)"
    r"|(->|=>|==|=|\+\+|\+|-|!=|!|<=|<|>=|>|&&|\|\||\.\.|\.|::|:|[*/%(){}\[\],;])"
    r"|([0-9]+\.[0-9]+)"
    r"|([0-9]+)"
    rf"|({STRING_PATTERN})"
    r"|(\Z)"
    r"|(.))",
    re.DOTALL,
)
_IDENT_GROUP, _PUNCTUATION_GROUP, _FLOAT_GROUP, _INT_GROUP, _STRING_GROUP, _END_GROUP = range(1, 7)
_IN_STRING_OF_LINE: Final = re.compile(r'(?:[^"\\\n]{1,4000}+|\\.){1,20}+')
"""What a string holds that ends with its line, piece by piece."""
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}
_LEXABLE: Final = re.compile(r"(?:[ \t\r\nA-Za-z_0-9+\-*%=!<>.:;,(){}\[\]]{1,4000}+|//[^\n]*+|/(?!/)|&&|\|\|){1,20}+")
"""Text outside of strings."""


class Cause(StrEnum):
    """Reason why a text could not be split into tokens."""

    CHARACTER = "illegal character"
    INTEGER = "integer too large"
    STRING = "unterminated string"
    LINE_END = "line feed after a backslash"
    ESCAPE = "bad escape"


@dataclass(frozen=True, slots=True)
class LexicalError:
    """`start` and `end` span the offending text, for a string that is left open up to the end of its line."""

    cause: Cause
    start: int
    end: int


class Tokens:
    """Parallel sequences of kinds and offsets, and the lexical errors in order of position."""

    __slots__ = ("_open_from", "ends", "errors", "first_open", "kinds", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: list[str] = []
        is_long = len(text) >= _LONG
        self.starts: list[int] | array[int] = array("i") if is_long else []
        self.ends: list[int] | array[int] = array("i") if is_long else []
        self.errors: list[LexicalError] = []
        self.first_open = 0
        """Offset of the first string that is left open or may not go on on the next line; beyond all others if there is none."""
        self._open_from = len(text) + 1

    def closing_quote(self, start: int) -> int | None:
        """Place of the quote that ends the string at `start`; None if it is left open, as are all behind one that is."""
        if start >= self._open_from:
            return None
        place = closing_quote(self.text, start, checkpoint, dotall=True)
        if place is None:
            self._open_from = start
        return place

    def complete(self) -> Tokens:
        """These tokens, all of them. What is known of them is worked out here, not when it is asked for: answers never change."""
        opened = (error.start for error in paced(self.errors) if error.cause in (Cause.STRING, Cause.LINE_END))
        self.first_open = next(opened, len(self.text) + 1)
        return self

    def has_error(self, start: int, end: int) -> bool:
        """True if a lexical error begins in a part of the text."""
        first = bisect_left(self.errors, start, key=_start)
        return first < len(self.errors) and self.errors[first].start < end

    def word(self, index: int) -> str:
        """The text of a token."""
        return self.text[self.starts[index] : self.ends[index]]


def lex(text: str) -> Tokens:
    """All tokens of a text; characters that start none are skipped and reported in `errors`."""
    tokens = Tokens(text)
    position: int | None = 0
    while position is not None:
        checkpoint()
        position = _lex_from(text, position, tokens)
    return tokens.complete()


def lex_again(before: Tokens, text: str, start: int, end: int) -> Tokens:
    """The tokens of a text that differs from that of `before` between two of its offsets only: just that part is read again."""
    tokens = Tokens(text)
    kept = bisect_left(before.ends, start - _LOOKAHEAD + 1)
    # An open string is one because of all that follows.
    if kept == 0 or before.first_open < start:
        kept, position = 0, 0
    else:
        position = before.ends[kept - 1]
        tokens.kinds += before.kinds[:kept]
        tokens.starts.extend(before.starts[:kept])
        tokens.ends.extend(before.ends[:kept])
        tokens.errors = before.errors[: bisect_left(before.errors, position, key=_start)]
    shift = len(text) - len(before.text)
    following: int | None = position
    while following is not None:
        checkpoint()
        following = _lex_from(text, following, tokens, _STEP)
        last = tokens.starts[-1] - shift if tokens.starts else 0
        same = bisect_left(before.starts, last)
        if last >= end and same < len(before.starts) and before.starts[same] == last:
            # From the same place on the same text has the same tokens.
            _take_rest(tokens, before, same, shift)
            return tokens.complete()
    return tokens.complete()


def _take_rest(tokens: Tokens, before: Tokens, index: int, shift: int) -> None:
    """Replaces the last token by all tokens of another text from an index on, and the errors since then by theirs."""
    place = before.starts[index]
    for column in (tokens.kinds, tokens.starts, tokens.ends):
        column.pop()
    tokens.kinds += before.kinds[index:]
    tokens.starts.extend([offset + shift for offset in paced(before.starts[index:], _LONG)])
    tokens.ends.extend([offset + shift for offset in paced(before.ends[index:], _LONG)])
    del tokens.errors[bisect_left(tokens.errors, place + shift, key=_start) :]
    for error in paced(before.errors[bisect_left(before.errors, place, key=_start) :], 1_000):
        tokens.errors.append(LexicalError(error.cause, error.start + shift, error.end + shift) if shift else error)


def _start(error: LexicalError) -> int:
    return error.start


def _lex_from(text: str, position: int, tokens: Tokens, most: int = _OFTEN) -> int | None:
    """Appends tokens up to the end (None), to a string that is long or open or, after `most` of them, to the next one's place."""
    add_kind, add_start, add_end = tokens.kinds.append, tokens.starts.append, tokens.ends.append
    keywords, errors = KEYWORDS, tokens.errors
    end = position
    for match in islice(_TOKEN.finditer(text, position), most):
        group = match.lastindex
        assert group is not None
        start, end = match.span(group)
        if group == _IDENT_GROUP:
            word = match[group]
            add_kind(word if word in keywords or word == "_" else IDENT)
        elif group == _PUNCTUATION_GROUP:
            add_kind(match[group])
        elif group == _INT_GROUP:
            # A literal that is too large stays a token: one mistake is one diagnostic.
            if end - start >= 19 and _is_too_large(match[group]):
                errors.append(LexicalError(Cause.INTEGER, start, end))
            add_kind(INT)
        elif group == _FLOAT_GROUP:
            add_kind(FLOAT)
        elif group == _STRING_GROUP:
            word = match[group]
            if "\\" in word:
                errors += _bad_escapes(word, start)
            add_kind(STRING)
        elif group == _END_GROUP:
            add_kind(EOF)
            add_start(start)
            add_end(end)
            return None
        elif text[start] == '"':
            # Long, with many escapes, or left open.
            closing = tokens.closing_quote(start)
            if closing is not None:
                end = closing + 1
                errors += _bad_escapes(text[start:end], start)
            else:
                error, end = _open_string(text, start)
                errors.append(error)
            add_kind(STRING)
            add_start(start)
            add_end(end)
            return end
        else:
            errors.append(LexicalError(Cause.CHARACTER, start, end))
            continue
        add_start(start)
        add_end(end)
    return end


def _open_string(text: str, start: int) -> tuple[LexicalError, int]:
    """What is wrong with a string that is left open, and the end of its line."""
    end = behind(_IN_STRING_OF_LINE, text, start + 1, checkpoint)
    line_end = text.find("\n", start)
    stop = len(text) if line_end < 0 else line_end
    if end < stop or text[end - 1 : end] == "\\" or (end < len(text) and text[end] == "\\"):
        return LexicalError(Cause.LINE_END, start, end), stop
    return LexicalError(Cause.STRING, start, stop), stop


def _is_too_large(digits: str) -> bool:
    # Python refuses to convert thousands of digits, even leading zeros.
    digits = digits.lstrip("0")
    return len(digits) > 19 or int(digits or "0") > MAX_INT


def _bad_escapes(word: str, start: int) -> list[LexicalError]:
    """Errors of the escapes in a string, in order of position."""
    errors: list[LexicalError] = []
    for match in paced(_ESCAPE.finditer(word)):
        if match[1] == "\n":
            # The whole string is refused, from its quote on: that comes before the mistakes in it.
            if not errors or errors[0].cause is not Cause.LINE_END:
                errors.insert(0, LexicalError(Cause.LINE_END, start, start + match.start()))
        elif match[1] not in _ESCAPES:
            errors.append(LexicalError(Cause.ESCAPE, start + match.start(), start + match.end()))
    return errors


def decoded(raw: str) -> str:
    """The value of a string literal from the text between its quotes; unknown escapes stay as they are."""
    if "\\" not in raw:
        return raw
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[0]), raw)


def lexable_end(text: str, position: int) -> int:
    """End of the text that can be split into tokens from `position` on, strings spanning lines (integers' size aside)."""
    while True:
        position = behind(_LEXABLE, text, position, checkpoint)
        if not text.startswith('"', position):
            return position
        closing = closing_quote(text, position, checkpoint)
        if closing is None:
            return position
        position = closing + 1
