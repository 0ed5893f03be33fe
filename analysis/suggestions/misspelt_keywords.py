"""Undefined names that are misspelt keywords: `lett x = 1` parses as two expressions.

A name that is called or whose value is used is none, however similar it is: `len(xs)`, `1 + fort`.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from analysis.semantics.spelling import closest
from analysis.semantics.uses import ROLE_ASSIGN, ROLE_CALL
from analysis.suggestions.undefined_names import Site
from analysis.syntax.lexer import FLOAT, IDENT, INT, STRING

_VALUES: Final = ("true", "false", "None")
_BEFORE_OPERANDS: Final = ("let", "return", "while", "for", "if", "match", "spawn", "emit", "send", "receive", *_VALUES)
_BEFORE_BLOCKS: Final = ("while", "if", "match", "for")
_OPERANDS: Final = frozenset(
    (IDENT, INT, FLOAT, STRING, "!", "(", "true", "false", "None", "Some", "Ok", "Err", "if", "match", "spawn", "mut")
)
"""Tokens that begin an operand and continue none, or that stand behind `let`."""


def misspelt_keyword(site: Site) -> str | None:
    """The keyword that an undefined name was meant to be."""
    role, name = site.use.role, site.use.name
    if role == ROLE_ASSIGN:
        return None
    if role == ROLE_CALL:
        candidates = _of_call(site)
    elif site.same_line(1) and site.kind(1) in _OPERANDS:
        candidates = _BEFORE_OPERANDS
    elif _is_statement(site):
        candidates = ("return", *_VALUES)
    else:
        candidates = _VALUES
    return closest(name, candidates) if candidates else None


def _of_call(site: Site) -> tuple[str, ...]:
    """`whle (a < b) { … }`, `retrun (x)`."""
    call = site.use.call
    if call is None:
        return ()
    behind = bisect_left(site.tokens.starts, call.end) - site.at
    if site.kind(behind) == "{" and "\n" not in site.context.text[call.end : site.start(behind)]:
        return _BEFORE_BLOCKS
    return ("return",) if call.opening > site.use.end and _begins_statement(site) else ()


def _is_statement(site: Site) -> bool:
    return _begins_statement(site) and (site.kind(1) == "}" or not site.same_line(1))


def _begins_statement(site: Site) -> bool:
    return site.kind(-1) in ("{", "}") or not site.same_line(-1)
