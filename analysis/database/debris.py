"""Large unused values, freed piece by piece.

The interpreter frees a value in one go, and all other threads stop meanwhile: for the tree of a megabyte that takes a tenth
of a second. Where many wait for one thread (`Debris.listen`), such values are handed over here instead of being dropped, and are
taken apart from the outside in, some hundred objects at a time. Parts that are still in use stay: only objects that nothing
else refers to are taken apart.
"""

from __future__ import annotations

from collections.abc import Callable
from gc import get_referents
from sys import getrefcount
from typing import Any, Final

_LARGE: Final = 10_000
"""Characters of text from which what follows from it counts as large."""
_LONG: Final = 2_000
"""Parts from which a container counts as large."""
_STEP: Final = 500
"""Objects that one step takes apart: a quarter of a millisecond."""
_PLAIN: Final = frozenset({str, int, float, bool, bytes, type(None), type})
_GROUPS: Final = (tuple, frozenset, list)
_OURS: Final = getrefcount(object())
"""References to an object that is mentioned once, as `getrefcount` counts them: with that of its argument."""


class Debris:
    """Values to be freed, shared by a database and its branches. Threads may add to it at any time; one at a time clears it."""

    __slots__ = ("_heap", "_listener")

    def __init__(self) -> None:
        self._heap: list[Any] = []
        self._listener: Callable[[], None] | None = None

    def __bool__(self) -> bool:
        """True if there is something to free."""
        return bool(self._heap)

    @property
    def is_used(self) -> bool:
        """True if many wait for the thread that computes, so that what is large is freed here."""
        return self._listener is not None

    def listen(self, listener: Callable[[], None] | None) -> None:
        """Call `listener` when the heap becomes non-empty, to have it cleared soon. Without one nothing is kept."""
        self._listener = listener

    def add(self, value: Any) -> None:
        """A value that the caller drops now."""
        if self._listener is None or type(value) in _PLAIN:
            return
        is_first = not self._heap
        self._heap.append(value)
        if is_first:
            self._listener()

    def add_answer(self, key: Any, answer: Any) -> None:
        """The answer of a query that the caller drops now, if it may be large: it follows from a long text, or is long itself."""
        if self._listener is None:
            return
        if (isinstance(answer, (tuple, list, dict)) and len(answer) >= _LONG) or characters(key) >= _LARGE:
            self.add(answer)

    def clear(self) -> bool:
        """Frees some objects; whether there are more."""
        heap = self._heap
        for _ in range(_STEP):
            if not heap:
                return False
            value = heap.pop()
            kind = type(value)
            # The variable and the argument are its only references.
            if kind in _PLAIN or getrefcount(value) > _OURS + 1:
                continue
            if isinstance(value, list) and len(value) > _STEP:
                heap += (value, *list.__getitem__(value, slice(-_STEP, None)))
                del value[-_STEP:]
            elif isinstance(value, dict) and len(value) > _STEP:
                heap.append(value)
                for _ in range(_STEP):
                    heap += value.popitem()
            else:
                heap += get_referents(value)
        return True


def characters(key: Any) -> int:
    """Number of characters in the texts of a key, down to those of a group of texts, and of its parts."""
    if isinstance(key, str):
        return len(key)
    if not isinstance(key, _GROUPS):
        return 1
    total = 1
    for part in key:
        total += len(part) if type(part) is str else characters(part)
    return total
