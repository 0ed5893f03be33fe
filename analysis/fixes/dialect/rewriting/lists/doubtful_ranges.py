"""Ranges `1..n` of which nothing says whether `n` is in them, beside a list that has a place for `n`.

Rust leaves the end out, Kotlin, Ruby and F# do not. A table of `n + 1` items whose places are filled in a loop over `1..n` asks
for the end; whether it is meant stays with the author.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_SETTLED: Final = re.compile(r"\.\.[=<.]|\.\. ?<|\buntil\b|\bdownTo\b")
"""Signs that show which of the two ranges of a language a text uses."""
_MAKERS: Final = frozenset(
    "vec!; list_repeat list_fill list_filled list_make list_create list_new list_init list_replicate".split()
)


def doubts_of_ranges(item: n.Item, text: str) -> Iterator[tuple[str, str]]:
    """A word and a doubt for a function that fills a list of `n + 1` items in a loop over `1..n`, read without `n`."""
    if not isinstance(item, n.Function) or _SETTLED.search(text) is not None:
        return
    ends: set[str] = set()
    loops: list[str] = []
    for node in walk(item):
        if isinstance(node, n.Call) and isinstance(node.function, n.Name) and node.function.name in _MAKERS:
            ends |= {name for each in node.arguments if (name := _one_more(each.value))}
        elif isinstance(node, n.For) and isinstance(node.source, n.Range) and not node.source.inclusive:
            high = node.source.high
            if isinstance(high, n.Name) and _is_dotted(node.source, text):
                loops.append(high.name)
    for name in loops:
        if name in ends:
            yield "while", f"a range up to `{name}` is read without `{name}`"
            return


def _one_more(size: n.Expr) -> str:
    """The name `n` of `n + 1`; "" for another size."""
    is_sum = isinstance(size, n.Binary) and size.operator == "+" and isinstance(size.right, n.Literal)
    if not is_sum or not isinstance(size, n.Binary) or not isinstance(size.left, n.Name):
        return ""
    return size.left.name if isinstance(size.right, n.Literal) and size.right.text == "1" else ""


def _is_dotted(source: n.Range, text: str) -> bool:
    """True if a range is written `a..b`."""
    if source.low is None or source.high is None:
        return False
    return text[source.low.end : source.high.start].strip() == ".."
