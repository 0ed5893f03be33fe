"""Syntax errors that only follow from one before them in the file: people are told the first.

The brace that ends a block which cannot be there (`impl Point {`, a function inside a function) seems to be surplus, and methods
in such a block have parameters that nothing here can have.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from analysis.data_classes import replace
from analysis.database import Database, paced
from analysis.diagnostics.diagnostic import UNTOLD, Diagnostic
from analysis.semantics.declarations import chunk_tree
from analysis.syntax.lexer import Tokens
from analysis.text import Source

_SURPLUS: Final = "expected item"
"""Prefix of errors about a token that begins no item."""


def with_echoes_untold(
    db: Database, text: Source, unsound: Sequence[int], diagnostics: list[tuple[int, Diagnostic]]
) -> list[tuple[int, Diagnostic]]:
    """The diagnostics, those that only follow from another one marked; `unsound` are the file's broken chunks."""
    # A chunk that parses has as many closing braces as opening ones.
    balances = [_balance(chunk_tree(db, text.chunks[index].text).tokens) for index in unsound]
    open_before = [0, *accumulate(balances)]
    told: list[tuple[int, Diagnostic]] = []
    before: tuple[int, int] | None = None
    for index, diagnostic in paced(diagnostics):
        if diagnostic.for_people() is not None:
            tokens = chunk_tree(db, text.chunks[index].text).tokens
            at = bisect_left(tokens.starts, diagnostic.span[0])
            is_open = open_before[bisect_left(unsound, index)] + _balance(tokens, at) > 0
            if before is not None and _is_echo(diagnostic, tokens, at, is_open, before == (index, at - 1)):
                diagnostic = replace(diagnostic, shown=UNTOLD)
            else:
                before = index, at
        told.append((index, diagnostic))
    return told


def _balance(tokens: Tokens, until: int | None = None) -> int:
    kinds = tokens.kinds if until is None else tokens.kinds[:until]
    return kinds.count("{") - kinds.count("}")


def _is_echo(diagnostic: Diagnostic, tokens: Tokens, at: int, is_open: bool, is_next: bool) -> bool:
    """True if an error only follows; `is_open`: a brace before it is, `is_next`: it stands right behind the last error."""
    if diagnostic.message.startswith(_SURPLUS):
        return is_open
    word = tokens.word(at - 1) if at else ""
    # Of a function without a name, and of a method.
    return (word == "fn" and is_next) or (word == "self" and is_open)
