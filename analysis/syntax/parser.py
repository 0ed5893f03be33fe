"""The parser of a chunk (spec chapter 02): recursive descent that never fails.

It returns a tree and the errors. The first error is word for word the reference's; after an error it goes on with the next
statement, match arm or item. A statement, arm or item that holds an error is incomplete, its neighbours are not. The grammar is
in `grammar/`.
"""

from __future__ import annotations

from analysis.data_classes import dataclass
from analysis.database.checkpoints import discard, set_aside
from analysis.database.structure import ComparedByStructure
from analysis.syntax.grammar.cursor import is_within_one, spelled
from analysis.syntax.grammar.expressions import BINARY_LEVELS
from analysis.syntax.grammar.items import ItemParser
from analysis.syntax.grammar.parse_error import ParseError, Production
from analysis.syntax.grammar.unfinished import UnfinishedParser, tokens_up_to
from analysis.syntax.lexer import Tokens, lex, lex_again
from analysis.syntax.tree import MAX_HEIGHT, Item

__all__ = [
    "BINARY_LEVELS",
    "ChunkTree",
    "ParseError",
    "Production",
    "is_within_one",
    "parse",
    "parse_again",
    "parse_unfinished",
    "spelled",
]


@dataclass(frozen=True, slots=True, eq=False)
class ChunkTree(ComparedByStructure):
    """Everything that the text of a chunk says by itself. `module` only counts in a file's first chunk."""

    items: tuple[Item, ...]
    tokens: Tokens
    errors: tuple[ParseError, ...]

    @property
    def is_sound(self) -> bool:
        return not self.errors and not self.tokens.errors


def parse(text: str) -> ChunkTree:
    """The tree of a chunk's text."""
    tokens = lex(text)
    return _parsed(ItemParser(tokens), tokens)


def parse_again(before: ChunkTree, text: str, start: int, end: int) -> ChunkTree:
    """The tree of a text that differs from that of another tree between two offsets of that one only."""
    tokens = lex_again(before.tokens, text, start, end)
    return _parsed(ItemParser(tokens), tokens)


def parse_unfinished(tokens: Tokens, count: int, word: tuple[int, int]) -> ChunkTree:
    """The tree of the first `count` tokens of a text and a word behind them, which spans `word` and is being written.

    All constructs that are open there end there (`grammar/unfinished.py`); they are no errors.
    """
    read = tokens_up_to(tokens, count, word)
    return _parsed(UnfinishedParser(read), read)


def _parsed(parser: ItemParser, tokens: Tokens) -> ChunkTree:
    items = parser.program()
    # Only a long text can be high without being nested (postfix chains); measuring every tree would cost a tenth of parsing.
    if len(tokens.kinds) > MAX_HEIGHT:
        set_aside()
        kept = [item for item in items if not parser.refuse_high(item)]
        if len(kept) < len(items):
            discard(items)
        items = kept
    return ChunkTree(tuple(items), tokens, tuple(parser.errors))
