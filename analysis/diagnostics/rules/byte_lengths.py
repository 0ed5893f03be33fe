"""W603: a length in bytes where characters are counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.rule_context import TextContext
from analysis.semantics.uses import NameUse
from analysis.syntax import tree as t

_LENGTH: Final = "__builtin_string_len"
_BY_CHARACTERS: Final = {"__builtin_string_chars": 1, "string_char_at": 2, "string_substring": 3}
"""Functions that take a text apart into characters, by the number of their arguments."""
_IS_EMPTY: Final = re.compile(r"\s*(?:(?:==|!=|>|<=)\s*0|(?:<|>=)\s*1)\b")
_FILLING: Final = frozenset(("string_repeat",))
"""Functions whose last argument is a number of characters."""


def check(context: TextContext) -> Iterator[Diagnostic]:
    """`__builtin_string_len(s)` in a function that takes the same text apart, or that pads it."""
    for item in context.summary.items:
        if isinstance(item, t.Function):
            uses = [use for use in paced(context.summary.names) if use.call is not None and item.start <= use.start < item.end]
            if any(use.name == _LENGTH for use in uses):
                yield from _lengths(context, uses)


def _lengths(context: TextContext, uses: list[NameUse]) -> Iterator[Diagnostic]:
    parted: set[str] = set()
    harmless: set[int] = set()
    in_filling: set[int] = set()
    for use in uses:
        call = use.call
        if call is None or not call.arguments:
            continue
        if _BY_CHARACTERS.get(use.name) == len(call.arguments):
            parted.add(_key(context, call.arguments[0]))
            if use.name == "string_substring":
                # As the end of a part the length is only an upper bound.
                harmless.add(call.arguments[2].start)
        elif use.name in _FILLING:
            in_filling.update(part.start for part in t.walk(call.arguments[-1]) if isinstance(part, t.Call))
    parted.discard("")
    for use in uses:
        call = use.call
        if use.name != _LENGTH or call is None or len(call.arguments) != 1:
            continue
        text = call.arguments[0]
        is_literal = isinstance(text, t.StringLiteral) and not text.raw.isascii()
        is_safe = (call.start in harmless and _ends_there(context, call)) or _IS_EMPTY.match(context.text, call.end)
        is_parted = _key(context, text) in parted and not is_safe
        if is_literal or is_parted or call.start in in_filling:
            yield diagnostic(
                "W603",
                (call.start, call.end),
                "this is the length in bytes, not the number of characters",
                help="count characters with `list_len(__builtin_string_chars(…))`",
                why="a character outside ASCII takes two to four bytes",
            )


def _ends_there(context: TextContext, call: t.Call) -> bool:
    """True if an argument is the call alone."""
    return context.text[call.end : call.end + 1] in (")", ",")


def _key(context: TextContext, text: t.Expr) -> str:
    """The local that a text is in, or the field of one; "" for what has no name."""
    path = []
    while isinstance(text, t.FieldAccess):
        path.append(text.name)
        text = text.object
    if not isinstance(text, t.Name) or text.start not in context.names.uses:
        return ""
    return ".".join([str(context.names.uses[text.start]), *reversed(path)])
