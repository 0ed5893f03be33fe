"""Compares trees (spec chapter 02, section 7), ignoring positions and the spelling of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, Final

from analysis.database import checkpoint
from analysis.syntax import tree as t
from analysis.syntax.numbers import integer_text

_PLACES: Final = frozenset(("start", "end", "at", "operator_at", "opening", "signature_end", "broken"))
_OFTEN: Final = 1_000
_fields_of: dict[type[t.Node], tuple[str, ...]] = {}


def same_trees(left: Iterable[t.Item], right: Iterable[t.Item]) -> bool:
    """Compares two lists of items without recursion."""
    waiting: list[tuple[Any, Any]] = [(tuple(left), tuple(right))]
    count = 0
    while waiting:
        first, second = waiting.pop()
        count += 1
        if count % _OFTEN == 0:
            checkpoint()
        kind = type(first)
        if kind is not type(second):
            return False
        if kind is tuple:
            if len(first) != len(second):
                return False
            waiting += zip(first, second, strict=True)
        elif isinstance(first, t.FloatLiteral):
            if float(first.text) != float(second.text):
                return False
        elif isinstance(first, (t.IntLiteral, t.IntPattern)):
            if integer_text(first.text) != integer_text(second.text):
                return False
        elif isinstance(first, t.Node):
            # Dropped by the language itself: `export import x` (chapter 02, section 2.1).
            skipped = "exported" if kind is t.Import else ""
            waiting += [(getattr(first, name), getattr(second, name)) for name in _compared(kind) if name != skipped]
        elif first != second:
            return False
    return True


def _compared(kind: type[t.Node]) -> tuple[str, ...]:
    names = _fields_of.get(kind)
    if names is None:
        names = _fields_of[kind] = tuple(field.name for field in fields(kind) if field.name not in _PLACES)
    return names
