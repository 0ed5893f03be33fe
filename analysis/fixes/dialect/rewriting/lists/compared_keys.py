"""Lists in brackets by which items are ordered or grouped, as tuples: `sort_by { |j| [-j.rank, j.name] }`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_ORDERING: Final = frozenset("sort_by min_by max_by sortBy sortedBy minBy maxBy minmax_by sort_by_key".split())


def settle_keys(items: Sequence[n.Item]) -> None:
    """Changes the values of the closures of such calls."""
    for item in items:
        if isinstance(item, n.Verbatim):
            continue
        for node in walk(item):
            if not isinstance(node, n.Call) or not isinstance(node.function, n.Member) or node.function.name not in _ORDERING:
                continue
            closure = node.arguments[-1].value if node.arguments else None
            if isinstance(closure, n.Lambda):
                _as_tuple(closure)


def _as_tuple(closure: n.Lambda) -> None:
    body: n.Expr = closure.body
    last: n.Evaluate | None = None
    while isinstance(body, n.Block) and body.statements and isinstance(body.statements[-1], n.Evaluate):
        last = body.statements[-1]
        body = last.value
    if not isinstance(body, n.ListOf) or len(body.items) < 2 or any(isinstance(each, n.Spread) for each in body.items):
        return
    key = n.TupleOf(body.items, start=body.start, end=body.end)
    if last is None:
        closure.body = key
    else:
        last.value = key
