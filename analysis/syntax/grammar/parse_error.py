"""Parse errors as data: what was being parsed, and which tokens could have stood there.

Rules that explain and repair broken text ask for these two; the message is for people, in the reference's words.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Final

from analysis.data_classes import dataclass
from analysis.syntax.lexer import FLOAT, IDENT, INT, STRING

ITEM_STARTS: Final = frozenset(("fn", "type", "enum", "import", "export"))
EXPRESSION_STARTS: Final = frozenset(
    (
        *(IDENT, INT, FLOAT, STRING, "true", "false", "None", "Some", "Ok", "Err"),
        *("(", "[", "{", "-", "!", "if", "match", "spawn", "emit", "send", "receive"),
    )
)
PATTERN_STARTS: Final = frozenset((IDENT, INT, STRING, "_", "true", "false", "None", "Some", "Ok", "Err"))


class Production(StrEnum):
    """What was being parsed: a rule of the grammar (spec chapter 02), or one of its parts."""

    ITEM = "item"
    MODULE = "module"
    IMPORT = "import"
    FUNCTION = "function"
    PARAMETERS = "parameters"
    CAPABILITIES = "capabilities"
    INTENT = "intent"
    RECORD_TYPE = "record type"
    ENUM = "enum"
    PAYLOAD_TYPE = "payload type"
    TYPE = "type"
    TYPE_ARGUMENTS = "type arguments"
    FUNCTION_TYPE = "function type"
    BLOCK = "block"
    LET = "let"
    WHILE = "while"
    FOR = "for"
    ASSIGNMENT = "assignment"
    EXPRESSION = "expression"
    GROUP = "group"
    ARGUMENTS = "arguments"
    FIELD_ACCESS = "field access"
    WRAP = "wrap"
    VARIANT = "variant"
    RECORD_LITERAL = "record literal"
    LIST = "list"
    IF = "if"
    MATCH = "match"
    ARM = "arm"
    PATTERN = "pattern"
    PAYLOAD_PATTERN = "payload pattern"
    NESTING = "nesting"


_CLOSERS: Final = {
    Production.PARAMETERS: ")",
    Production.FUNCTION_TYPE: ")",
    Production.ARGUMENTS: ")",
    Production.CAPABILITIES: "}",
    Production.RECORD_TYPE: "}",
    Production.ENUM: "}",
    Production.RECORD_LITERAL: "}",
    Production.LIST: "]",
}
"""Ends of lists whose elements are separated by commas."""


@dataclass(frozen=True, slots=True)
class ParseError:
    """One parse error, spans counted from the chunk's start.

    `production` was being parsed, and one of the kinds `expected` had to come next: where a list can end as well as go on, its
    closing bracket is among them. It is empty where the tokens fit and their meaning does not (`f(x) = 1`).
    `message` holds everything but what was found at the chunk's end: with `at_end`, the next chunk's first token or "end of
    input" is to be added. `previous_end` and `found_at` are where the last token read ends and the token complained about
    starts; `lagging` tells which of them decides the line that the reference reports (chapter 02 section 6.4).
    """

    message: str
    start: int
    end: int
    previous_end: int
    found_at: int
    lagging: bool
    at_end: bool
    production: Production
    expected: frozenset[str]

    @property
    def expects_item(self) -> bool:
        return self.production is Production.ITEM and self.expected == ITEM_STARTS

    @property
    def expects_expression(self) -> bool:
        return self.expected >= EXPRESSION_STARTS

    @property
    def expects_pattern(self) -> bool:
        return self.expected >= PATTERN_STARTS and not self.expects_expression

    @property
    def expected_tokens(self) -> frozenset[str]:
        """The expected kinds where single tokens were expected; empty where an item, an expression or a pattern was."""
        return frozenset() if self.expects_item or self.expects_expression or self.expects_pattern else self.expected


@lru_cache(maxsize=200)
def tokens_for(kind: str, production: Production) -> frozenset[str]:
    """What can stand where a production needs a token of a kind."""
    return frozenset((kind, _CLOSERS[production]) if kind == "," and production in _CLOSERS else (kind,))
