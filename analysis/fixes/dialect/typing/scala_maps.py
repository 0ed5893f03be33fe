"""`map` on a Map that gives pairs: in Scala, and where a Map is wanted, a Map of them."""

from __future__ import annotations

import re
from typing import Final

from analysis.fixes.dialect.libraries.functional_forms import pair_of
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head

_SCALA: Final = re.compile(r"\b_\._\d|\bs\"[^\"\n]{0,60}\$|\.mkString|\bcase \(\w|\.toList\b(?!\()|\.groupBy\(_")


def gives_entries(function: n.Expr, expected: Type | None, source: str) -> bool:
    """True if what a closure makes of entries is a Map; pairs with arrows in it become tuples."""
    if not isinstance(function, n.Lambda) or not (head(expected) == "Map" or _SCALA.search(source)):
        return False
    body = function.body
    if isinstance(body, n.Match):
        pairs = [_as_pair(arm.body) for arm in body.arms]
        if not pairs or any(pair is None for pair in pairs):
            return False
        for arm, pair in zip(body.arms, pairs, strict=True):
            arm.body = pair or arm.body
        return True
    last = body.statements[-1] if isinstance(body, n.Block) and body.statements else None
    pair = _as_pair(last.value if isinstance(last, n.Evaluate) else body)
    if pair is None:
        return False
    if isinstance(last, n.Evaluate):
        last.value = pair
    else:
        function.body = pair
    return True


def _as_pair(value: n.Expr) -> n.Expr | None:
    parts = pair_of(value)
    return n.TupleOf(list(parts), start=value.start, end=value.end) if parts is not None else None
