"""Ranges of which nothing says whether their end is in them: `1..n` beside a list that has a place for `n`, and `1...n`.

Rust leaves the end out, Kotlin, Ruby and F# do not. A table of `n + 1` items whose places are filled in a loop over `1..n` asks
for the end; whether it is meant stays with the author. `1...n` holds `n` in Swift, and not in Ruby.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_SETTLED: Final = re.compile(r"\.\.[=<.]|\.\. ?<|\buntil\b|\bdownTo\b")
"""Signs that show which of the two ranges of a language a text uses."""
_SWIFT: Final = re.compile(r"\.\.<|\bfunc\b|\\\(|\bguard\b|\bstride\(|\.append\(|\bArray\(|\bswitch\b|\bnil\b|\.count\b")
"""Marks of Swift."""
_MAKERS: Final = frozenset(
    "vec!; list_repeat list_fill list_filled list_make list_create list_new list_init list_replicate".split()
)


def doubts_of_ranges(item: n.Item, text: str) -> Iterator[tuple[str, str]]:
    """A word and a doubt for a function that fills a list of `n + 1` items over `1..n`, read without `n`; for `1...n`."""
    if _SWIFT.search(text) is None and any(_is_dotted(node, text, "...") and node.inclusive for node in _ranges(item)):
        yield "while", "a range of three dots is read with its end"
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


def _ranges(item: n.Item) -> Iterator[n.Range]:
    return (node for node in walk(item) if isinstance(node, n.Range))


def _is_dotted(source: n.Range, text: str, dots: str = "..") -> bool:
    """True if a range is written `a..b`, or with other dots."""
    if source.low is None or source.high is None:
        return False
    return text[source.low.end : source.high.start].strip() == dots
