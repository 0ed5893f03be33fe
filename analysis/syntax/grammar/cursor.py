"""Tokens, errors and recovery: what every layer of the parser stands on (spec chapter 02 section 6)."""

from __future__ import annotations

from typing import Final

from analysis.database import checkpoint
from analysis.syntax.grammar.height import height
from analysis.syntax.grammar.parse_error import ITEM_STARTS, ParseError, Production, tokens_for
from analysis.syntax.lexer import EOF, FLOAT, IDENT, INT, KEYWORDS, STRING, TOKEN_NAMES, Tokens
from analysis.syntax.tree import (
    MAX_HEIGHT,
    MAX_NESTING,
    Item,
)

ITEM_KEYWORDS: Final = ITEM_STARTS
_STATEMENT_KEYWORDS: Final = frozenset(("let", "return", "while", "for"))
_STATEMENT_STARTS: Final = frozenset((*_STATEMENT_KEYWORDS, IDENT, "if", "match", "send", "emit", "spawn", "receive"))
_NOTHING: Final[frozenset[str]] = frozenset()
NESTING_MESSAGE: Final = "nesting too deep"


class Failure(Exception):
    """Raised after an error was recorded, caught where parsing can go on."""


def spelled(kind: str, word: str) -> str:
    """A token as parse errors spell it."""
    if kind == IDENT or kind in KEYWORDS:
        return f"'{word}'"
    if kind in _LITERALS:
        return _LITERALS[kind]
    return TOKEN_NAMES[kind]


_LITERALS: Final = {INT: "<integer literal>", FLOAT: "<float literal>", STRING: "<string literal>"}


def keyword_within_one(word: str) -> str | None:
    """The only keyword at edit distance one from a word; None if there is none or more than one."""
    near = [keyword for keyword in KEYWORDS if keyword != word and is_within_one(word, keyword)]
    return near[0] if len(near) == 1 else None


def is_within_one(left: str, right: str) -> bool:
    """True if at most one insertion, deletion or replacement leads from one text to the other."""
    if len(left) > len(right):
        left, right = right, left
    if len(right) - len(left) > 1:
        return False
    place = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), len(left))
    rest = left[place + 1 :] if len(left) == len(right) else left[place:]
    return rest == right[place + 1 :]


_BRACES: Final = {"{": 1, "}": -1}
_PARENS: Final = {"(": 1, "[": 1, ")": -1, "]": -1}
"""Changes of the nesting depth by tokens: for the depth of blocks, and for the brackets within one."""
_OFTEN: Final = 1_000
"""Tokens between two checkpoints."""


class Cursor:
    """The place in the tokens, the errors so far, and how to go on after one."""

    __slots__ = ("_depth", "_ends", "_fresh", "_kinds", "_position", "_refused", "_starts", "_text", "errors")

    def __init__(self, tokens: Tokens) -> None:
        self._kinds, self._starts, self._ends, self._text = tokens.kinds, tokens.starts, tokens.ends, tokens.text
        self._position = 0
        self._depth = 0
        self._fresh = 0
        """Index of the token that begins the current item, statement or arm: errors at it never lag."""
        self._refused = False
        """True if nesting was too deep: then no more errors are reported, since nothing more was read."""
        self.errors: list[ParseError] = []

    # ---- errors and recovery ------------------------------------------------------------------------------------

    def _record(
        self,
        message: str,
        production: Production,
        expected: frozenset[str],
        lagging: bool,
        span: tuple[int, int] | None = None,
    ) -> None:
        """Keeps an error at the current token; if anything was expected, the message is followed by the token's text."""
        if self._refused:
            return
        position = self._position
        kind, start, end = self._kinds[position], self._starts[position], self._ends[position]
        at_end = kind == EOF
        if expected and not at_end:
            word = self._text[start:end]
            message = f"{message}, found {spelled(kind, word)}"
            is_item = production is Production.ITEM
            near = keyword_within_one(word) if kind == IDENT and (is_item or "in" in expected) else None
            if near and (is_item or near == "in"):
                message += f"\n  did you mean: '{near}'?"
        previous_end = self._ends[position - 1] if position else 0
        if at_end and span is None:
            span = (previous_end, previous_end)
        # A `return` at a chunk's end had no value to read; with the next chunk's first token it fails on that.
        lags = lagging and (position != self._fresh or (at_end and position > 0 and self._kinds[position - 1] == "return"))
        first, last = span or (start, end)
        ends_open = at_end and bool(expected)
        self.errors.append(ParseError(message, first, last, previous_end, start, lags, ends_open, production, expected))

    def _fail(self, message: str, production: Production, expected: frozenset[str], lagging: bool = False) -> Failure:
        self._record(message, production, expected, lagging)
        return Failure()

    def _missing(self, kind: str, production: Production) -> Failure:
        return self._fail(f"expected {spelled(kind, kind)}", production, tokens_for(kind, production))

    def _skip_to_statement(self, begin: int) -> None:
        """Moves behind a broken statement that began at token `begin`: to the next one, the block's end or an item."""
        kinds, starts, ends, text = self._kinds, self._starts, self._ends, self._text
        braces = parens = 0
        index, failed = begin, max(self._position, begin)
        while True:
            kind = kinds[index]
            if index % _OFTEN == 0:
                checkpoint()
            if kind == EOF or kind in ITEM_KEYWORDS:
                break
            if index >= failed and index > begin and braces <= 0:
                if kind == "}":
                    break
                begins = kind in (_STATEMENT_STARTS if parens <= 0 else _STATEMENT_KEYWORDS)
                if begins and "\n" in text[ends[index - 1] : starts[index]]:
                    break
            braces += _BRACES.get(kind, 0)
            parens += _PARENS.get(kind, 0)
            index += 1
        self._position = index

    def _skip_to_arm(self, begin: int) -> None:
        """Moves behind a broken match arm that began at token `begin`: to the next arm or the match's end."""
        if self._refused:
            # Already at the end: do not scan the text again for each of a thousand matches around it.
            return
        kinds, starts, ends, text = self._kinds, self._starts, self._ends, self._text
        braces = parens = 0
        index, failed = begin, max(self._position, begin)
        while True:
            kind = kinds[index]
            if index % _OFTEN == 0:
                checkpoint()
            if kind == EOF or kind in ITEM_KEYWORDS:
                break
            if index >= failed and braces <= 0:
                if kind == "}":
                    break
                if kind == "," and parens <= 0:
                    index += 1
                    break
                is_new_line = index > begin and "\n" in text[ends[index - 1] : starts[index]]
                if is_new_line and (parens <= 0 or self._begins_arm(index)):
                    break
            braces += _BRACES.get(kind, 0)
            parens += _PARENS.get(kind, 0)
            index += 1
        self._position = index

    def _begins_arm(self, index: int) -> bool:
        """True if `name =>` or `Name(inner) =>` stands at a token; no open bracket can hold that."""
        behind = self._kinds[index + 1 : index + 5]
        return behind[:1] == ["=>"] or (behind[:1] == ["("] and behind[2:] == [")", "=>"])

    def refuse_high(self, item: Item) -> bool:
        """Records an error if an item is too deep to be walked; returns whether it is."""
        if height(item) <= MAX_HEIGHT:
            return False
        end = item.at + len(item.name)
        self.errors.append(
            ParseError(NESTING_MESSAGE, item.start, end, 0, item.start, False, False, Production.NESTING, _NOTHING)
        )
        return True

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_NESTING:
            self._record(NESTING_MESSAGE, Production.NESTING, _NOTHING, False)
            self._refused = True
            # The text behind cannot be read: all open constructs end here.
            self._position = len(self._kinds) - 1
            raise Failure

    # ---- tokens -------------------------------------------------------------------------------------------------

    def _expect(self, kind: str, production: Production) -> int:
        """Takes a token of a kind and returns where it starts."""
        position = self._position
        if self._kinds[position] != kind:
            raise self._missing(kind, production)
        self._position = position + 1
        return self._starts[position]

    def _expect_ahead(self, kind: str, production: Production) -> None:
        """Fails unless the next token is of a kind."""
        if self._kinds[self._position] != kind:
            raise self._missing(kind, production)

    def _identifier(self, production: Production) -> tuple[str, int]:
        position = self._position
        if self._kinds[position] != IDENT:
            raise self._fail("expected identifier", production, tokens_for(IDENT, production))
        self._position = position + 1
        start = self._starts[position]
        return self._text[start : self._ends[position]], start

    def _accept(self, kind: str) -> bool:
        if self._kinds[self._position] == kind:
            self._position += 1
            return True
        return False

    def _last_end(self) -> int:
        return self._ends[self._position - 1]
