"""The cursor over the tokens of a text."""

from __future__ import annotations

import re
from typing import Final

from analysis.database import checkpoint, paced
from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.decorators import without_decorators
from analysis.fixes.dialect.reading.scanner import END, NAME, OPERATOR, Scanner, Token
from analysis.fixes.dialect.tree.untranslatable import Untranslatable

_DECLARED_TYPE: Final = re.compile(r"(?<!\{)(?<!, )\b(?:type|struct|class|record|enum|interface|data|trait)[ \t]+([A-Z]\w*)")
"""Not those that Gleam imports: `import gleam/option.{type Option}`."""
_MOST_NESTED: Final = 60
_OFTEN: Final = 100
"""Tokens between two checkpoints."""


class _Behind(dict[int, int]):
    """By token; `end` for one that has none, such as a bracket that is left open."""

    def __init__(self, end: int) -> None:
        self._end = end

    def __missing__(self, _: int) -> int:
        return self._end


class Cursor:
    """Tokens of one text with a place in them; `scanner` holds the comments."""

    is_hole = False

    def __init__(self, text: str) -> None:
        self.text = text
        self.scanner = Scanner(text, self.is_hole)
        self.tokens = _without_bars(_without_std(without_decorators(self.scanner.tokens)))
        self.at = 0
        self._depth = 0
        self._length: Token | None = None
        """The length in the last `[8]Int`."""

    @lazily
    def behind_brackets(self) -> dict[int, int]:
        """By each token that opens a bracket of any kind the one behind what closes it; the end for one that is left open."""
        behind = _Behind(len(self.tokens) - 1)
        stack: list[int] = []
        for index, token in enumerate(paced(self.tokens)):
            if token.kind == OPERATOR and token.text in ("(", "[", "{"):
                stack.append(index)
            elif token.kind == OPERATOR and token.text in (")", "]", "}") and stack:
                behind[stack.pop()] = index + 1
        return behind

    @lazily
    def own_types(self) -> frozenset[str]:
        """The types that the program declares: they are none of a library."""
        return frozenset(_DECLARED_TYPE.findall(self.text))

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def ahead(self, steps: int = 1) -> Token:
        return self.tokens[min(self.at + steps, len(self.tokens) - 1)]

    @property
    def before(self) -> Token:
        return self.tokens[self.at - 1] if self.at else self.tokens[0]

    def is_sign(self, *signs: str) -> bool:
        token = self.tokens[self.at]
        return token.kind == OPERATOR and token.text in signs

    def is_word(self, *words: str) -> bool:
        token = self.tokens[self.at]
        return token.kind == NAME and token.text in words

    def take(self) -> Token:
        """The next token; what looks for a bracket that never comes ends here, since nothing is behind the end."""
        token = self.token
        if token.kind == END:
            raise self.unknown("something is missing")
        self.at += 1
        if self.at % _OFTEN == 0:
            checkpoint()
        return token

    def skip(self, *signs: str) -> bool:
        """Takes one of some operators or words if it stands here."""
        token = self.tokens[self.at]
        if token.kind in (OPERATOR, NAME) and token.text in signs:
            self.take()
            return True
        return False

    def expect(self, *signs: str) -> Token:
        if self.token.kind in (OPERATOR, NAME) and self.token.text in signs:
            return self.take()
        raise self.unknown(f"`{signs[0]}` is expected")

    def name(self) -> str:
        if self.token.kind != NAME:
            raise self.unknown("a name is expected")
        return self.take().text

    def unknown(self, why: str) -> Untranslatable:
        shown = self.token.text or "the end"
        return Untranslatable(f"{why}, not `{shown[:20]}`", self.token.start)

    def is_symbol(self) -> bool:
        """True if `:name` stands here, as in Ruby: a colon that touches the name and not what is before it."""
        follows = self.ahead()
        return self.is_sign(":") and self.token.spaced and follows.kind == NAME and follows.start == self.token.end

    def deeper(self) -> None:
        self._depth += 1
        if self._depth > _MOST_NESTED:
            raise Untranslatable("it is nested too deeply", self.token.start)

    def higher(self) -> None:
        self._depth -= 1


def _without_std(tokens: list[Token]) -> list[Token]:
    """Tokens without `std::`, which names nothing by itself."""
    kept: list[Token] = []
    first: Token | None = None
    for place, token in enumerate(tokens):
        if token.kind == NAME and token.text == "std" and tokens[place + 1].text == "::" and token.end == tokens[place + 1].start:
            first = first or token
        elif first is not None and token.text == "::" and tokens[place - 1].text == "std":
            continue
        elif first is not None:
            kept.append(token._replace(is_first=first.is_first, column=first.column, spaced=first.spaced))
            first = None
        else:
            kept.append(token)
    return kept


def _without_bars(tokens: list[Token]) -> list[Token]:
    """Tokens with `[| 1; 2 |]` as `[ 1; 2 ]`."""
    if not any(token.text == "|" for token in tokens):
        return tokens
    left_out: set[int] = set()
    stack: list[tuple[int, bool]] = []
    for place, token in enumerate(tokens):
        if token.kind != OPERATOR:
            continue
        if token.text in ("(", "[", "{"):
            follows = tokens[place + 1] if place + 1 < len(tokens) else token
            is_array = token.text == "[" and follows.text == "|" and follows.start == token.end
            stack.append((place, is_array))
        elif token.text in (")", "]", "}") and stack:
            opening, is_array = stack.pop()
            last = tokens[place - 1]
            if is_array and last.text == "|" and last.end == token.start and place - 1 > opening + 1:
                left_out |= {opening + 1, place - 1}
    return [token for place, token in enumerate(tokens) if place not in left_out]
