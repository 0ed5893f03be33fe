"""A bound of the work of one translation: no text of any form holds a processor for longer than some seconds.

Most passes look at each node once or at each node below a function; where a program makes them look at the same nodes again and
again, the items that are left stay as they are.
"""

from __future__ import annotations

import threading
from typing import Final

from analysis.database import checkpoint
from analysis.fixes.dialect.tree.untranslatable import Untranslatable

MOST_CHARACTERS: Final = 40_000
"""A longer text is not read as a program of another language."""
MOST: Final = 1_000_000
"""Nodes that are visited, and types that are inferred, in one translation."""
_OFTEN: Final = 200
"""Between two checkpoints: many short walks have none of their own."""


class _Effort(threading.local):
    spent: int = 0


_effort: Final = _Effort()


def begin() -> None:
    """A translation begins."""
    _effort.spent = 0


def spend(count: int) -> None:
    """So many nodes were looked at; raises `Untranslatable` beyond MOST."""
    before = _effort.spent
    _effort.spent += count
    if before // _OFTEN != _effort.spent // _OFTEN:
        checkpoint()
    if _effort.spent > MOST:
        raise Untranslatable("translating it takes too long")


def spent() -> int:
    """Work of the translation up to now."""
    return _effort.spent
