"""Constructs that are open at a place in an incomplete item: brackets, headers without a body, arms without a value.

They are derived from the tokens before the place, as a parser would read them. They tell whether a type, a pattern or a keyword
can stand there, which the tree alone does not say of a word that is not written yet.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from analysis.data_classes import dataclass, field
from analysis.database import paced
from analysis.syntax.lexer import FLOAT, IDENT, INT, STRING, Tokens

_HEADERS: Final = frozenset(("if", "while", "for", "match"))
_STATEMENTS: Final = frozenset(("let", "return", "while", "for"))
_ITEMS: Final = frozenset(("fn", "type", "enum", "import", "export"))
_VALUE_ENDS: Final = frozenset((IDENT, INT, FLOAT, STRING, ")", "]", "}", "true", "false", "None", "_", "receive"))
_OPENERS: Final = frozenset("([{")
_GENERICS: Final = frozenset(("Option", "List", "Result", "Map"))


class Inside(StrEnum):
    """Content of a bracket."""

    ITEM = "what stands in no bracket"
    PARAMETERS = "parameters"
    FIELDS = "fields of a record type"
    VARIANTS = "variants of an enum"
    CAPABILITIES = "capabilities"
    BLOCK = "statements"
    ARMS = "arms of a match"
    LITERAL = "fields of a record literal"
    LIST = "items of a list"
    ARGUMENTS = "arguments"
    TYPES = "types"


@dataclass(slots=True)
class Frame:
    """An open bracket, `opening` the number of its token. `header` is the keyword whose body it is.

    `pending` are the headers in it that have no body yet, `is_naming` whether an arm's pattern or a field's name is due,
    `let` the tokens of a statement that has no `=` yet.
    """

    inside: Inside
    opening: int
    header: str = ""
    pending: list[str] = field(default_factory=list)
    is_naming: bool = False
    is_let: bool = False


_OFTEN: Final = 1_000
"""Tokens between two checkpoints."""


class OpenConstructs:
    """The frames that are open behind the first `count` tokens, outermost first."""

    __slots__ = ("_count", "_tokens", "closed_if", "frames", "is_value_complete")

    def __init__(self, tokens: Tokens, count: int) -> None:
        self._tokens, self._count = tokens, count
        self.frames = [Frame(Inside.ITEM, -1)]
        self.closed_if = -1
        """The number of the brace that closed the body of an `if` last."""
        for index in paced(range(count), _OFTEN):
            self._take(index)
        self.is_value_complete = count > 0 and tokens.kinds[count - 1] in _VALUE_ENDS

    @property
    def innermost(self) -> Frame:
        return self.frames[-1]

    def begins_line(self, at: int) -> bool:
        """True if no token precedes an offset on its line."""
        return not self._count or "\n" in self._tokens.text[self._tokens.ends[self._count - 1] : at]

    def _take(self, index: int) -> None:
        kinds = self._tokens.kinds
        kind, frame = kinds[index], self.frames[-1]
        if kind in _OPENERS:
            self.frames.append(self._opened(index, kind, frame))
        elif kind in (")", "]", "}"):
            if len(self.frames) > 1:
                if kind == "}" and frame.header == "if":
                    self.closed_if = index
                self.frames.pop()
        elif kind in _ITEMS and frame.inside is Inside.ITEM:
            frame.pending = [kind]
        elif kind in _STATEMENTS and frame.inside is Inside.BLOCK:
            frame.pending = [kind] if kind in _HEADERS else []
            frame.is_let = kind == "let"
        elif kind in _HEADERS:
            frame.pending.append(kind)
        elif kind == "=":
            frame.is_let = False
        elif frame.inside is Inside.ARMS:
            if kind == "=>":
                frame.is_naming = False
            elif kind == "," or (not frame.is_naming and self._is_next_arm(index)):
                frame.is_naming = True
        elif frame.inside is Inside.LITERAL and kind in (",", ":"):
            frame.is_naming = kind == ","

    def _is_next_arm(self, index: int) -> bool:
        """True if a token begins the next arm: the arm before it is complete and the token is the first of its line."""
        tokens = self._tokens
        return (
            tokens.kinds[index] in _VALUE_ENDS
            and tokens.kinds[index - 1] in _VALUE_ENDS
            and "\n" in tokens.text[tokens.ends[index - 1] : tokens.starts[index]]
        )

    def _opened(self, index: int, kind: str, frame: Frame) -> Frame:
        tokens = self._tokens
        before = tokens.kinds[index - 1] if index else ""
        if kind == "(":
            if frame.inside is Inside.ITEM and index > 1 and tokens.kinds[index - 2] == "fn":
                return Frame(Inside.PARAMETERS, index)
            is_type = frame.inside is Inside.VARIANTS or (before == IDENT and tokens.word(index - 1) == "Fn")
            return Frame(Inside.TYPES if is_type else Inside.ARGUMENTS, index)
        if kind == "[":
            return Frame(Inside.LIST, index)
        if frame.inside is Inside.ITEM and frame.pending[:1] in (["type"], ["enum"]):
            return Frame(Inside.FIELDS if frame.pending.pop() == "type" else Inside.VARIANTS, index)
        if frame.inside is Inside.ITEM and before == "!":
            return Frame(Inside.CAPABILITIES, index)
        if before == IDENT and "A" <= tokens.word(index - 1)[0] <= "Z" and not self._is_header_body(index, frame):
            return Frame(Inside.LITERAL, index, is_naming=True)
        header = frame.pending.pop() if frame.pending else ""
        if header == "match":
            return Frame(Inside.ARMS, index, header, is_naming=True)
        return Frame(Inside.BLOCK, index, header)

    def _is_header_body(self, index: int, frame: Frame) -> bool:
        """True if the name before a brace is a function's result type."""
        return frame.inside is Inside.ITEM and self._tokens.kinds[index - 2] in ("->", "<", ",")

    def awaits_pattern(self, at: int) -> bool:
        """True if an arm begins at an offset, or has begun and lacks its `=>`."""
        frame = self.innermost
        if frame.inside is not Inside.ARMS or frame.pending:
            return False
        return frame.is_naming or (self.is_value_complete and self.begins_line(at))

    def begins_arm(self) -> bool:
        """True if nothing of the arm is written yet."""
        return self._tokens.kinds[self._count - 1] in ("{", ",") or not self.innermost.is_naming

    def awaits_type(self) -> bool:
        """True if the next word is a type."""
        tokens, frame = self._tokens, self.innermost
        if not self._count:
            return False
        before = tokens.kinds[self._count - 1]
        if frame.inside is Inside.TYPES:
            return before in ("(", ",")
        if before == "->":
            return True
        if before == ":":
            return frame.is_let or frame.inside in (Inside.PARAMETERS, Inside.FIELDS)
        return before in ("<", ",") and self._is_type_argument()

    def _is_type_argument(self) -> bool:
        """True if an angle bracket of a type is open."""
        tokens, depth = self._tokens, 0
        for index in range(self._count - 1, self.innermost.opening, -1):
            kind = tokens.kinds[index]
            if kind == ">":
                depth += 1
            elif kind == "<":
                if not depth:
                    return index > 0 and tokens.word(index - 1) in _GENERICS
                depth -= 1
            elif kind not in (IDENT, ",", "->", "(", ")"):
                return False
        return False
