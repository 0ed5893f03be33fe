"""Functions of Python that keep their results (`@cache`, `@lru_cache`): here each call computes anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.fixes.dialect.tree import nodes as n

_KEEPING: Final = r"@(?:functools\.)?(?:lru_)?cache\b[^\n]{0,60}\n\s*"


def doubts_of_cache(item: n.Item, text: str) -> Iterator[tuple[str, str]]:
    """A word and a doubt for a function whose results were kept: the same results may take many more steps."""
    if isinstance(item, n.Function) and re.search(_KEEPING + rf"def {re.escape(item.name)}\b", text) is not None:
        yield item.name, f"`{item.name}` keeps no earlier results, so it may take many more steps"
