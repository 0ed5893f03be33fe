"""Syntax errors that only follow from one before them in the file: people are told the first.

The brace that ends a block which cannot be there (`impl Point {`, a function inside a function) seems to be surplus, and methods
in such a block have parameters that nothing here can have.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from analysis.data_classes import replace
from analysis.database import Database, paced, query
from analysis.diagnostics.diagnostic import UNTOLD, Diagnostic, Topic
from analysis.inputs import CHUNK
from analysis.semantics.declarations import chunk_tree
from analysis.syntax.lexer import Tokens
from analysis.text.source import Source

_OFTEN: Final = 2_000
"""Tokens between two looks at whether to stop."""


def with_echoes_untold(
    db: Database, text: Source, unsound: Sequence[int], diagnostics: list[tuple[int, Diagnostic]]
) -> list[tuple[int, Diagnostic]]:
    """The diagnostics, those that only follow from another one marked; `unsound` are the file's broken chunks."""
    # A chunk that parses has as many closing braces as opening ones.
    braces = {index: _braces(db, text.chunks[index].text) for index in paced(unsound, 100)}
    open_before = [0, *accumulate(each.balance() for each in paced(braces.values(), 500))]
    marked: list[tuple[int, Diagnostic]] = []
    before: tuple[int, int] | None = None
    for index, diagnostic in paced(diagnostics):
        if diagnostic.for_people() is not None:
            tokens = chunk_tree(db, text.chunks[index].text).tokens
            at = bisect_left(tokens.starts, diagnostic.span[0])
            is_open = open_before[bisect_left(unsound, index)] + (braces[index].balance(at) if index in braces else 0) > 0
            if before is not None and _is_echo(diagnostic, tokens, at, is_open, before == (index, at - 1)):
                diagnostic = replace(diagnostic, shown=UNTOLD)
            else:
                before = index, at
        marked.append((index, diagnostic))
    return marked


@query(limit=4_000, subject=CHUNK)
def _braces(db: Database, text: str) -> _Braces:
    kinds = chunk_tree(db, text).tokens.kinds
    opening, closing = (tuple([number for number, kind in enumerate(paced(kinds, _OFTEN)) if kind == sign]) for sign in "{}")
    return _Braces(opening, closing)


class _Braces(NamedTuple):
    """The numbers of a chunk's tokens that are braces."""

    opening: tuple[int, ...]
    closing: tuple[int, ...]

    def balance(self, until: int | None = None) -> int:
        """How many braces are open before a token, or at the end."""
        if until is None:
            return len(self.opening) - len(self.closing)
        return bisect_left(self.opening, until) - bisect_left(self.closing, until)


def _is_echo(diagnostic: Diagnostic, tokens: Tokens, at: int, is_open: bool, is_next: bool) -> bool:
    """True if an error only follows; `is_open`: a brace before it is, `is_next`: it stands right behind the last error."""
    if diagnostic.topic is Topic.NO_ITEM:
        return is_open
    word = tokens.word(at - 1) if at else ""
    # Of a function without a name, and of a method.
    return (word == "fn" and is_next) or (word == "self" and is_open)
