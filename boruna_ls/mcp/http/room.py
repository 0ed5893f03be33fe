"""Memory for the bodies of requests: each principal has its own, from the first bytes of a request until its answer is complete.

Many connections can each send a body of the largest size and then wait, or send the next one while the last is worked on.
"""

from __future__ import annotations

from collections import Counter
from types import TracebackType
from typing import Final, Self

FREE: Final = 64 * 1024
"""Bytes of each request that are not counted: small requests are always taken."""
LARGEST_AT_ONCE: Final = 4
"""Requests of the largest size that one principal may have under way."""


class NoRoom(Exception):
    """A principal has too many bytes of requests under way."""


class Room:
    """The room of all principals; `most` bytes for each."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: Counter[str] = Counter()

    def of(self, principal: str) -> Share:
        """The share of one request, to be entered while it is under way."""
        return Share(self._most, self._taken, principal)


class Share:
    """Share of one request. It is given back at the end of the block."""

    def __init__(self, most: int, taken: Counter[str], principal: str) -> None:
        self._most = most
        self._taken = taken
        self._principal = principal
        self._size = 0
        self._counted = 0

    def add(self, size: int) -> None:
        """Counts bytes that have arrived. Raises NoRoom."""
        self._size += size
        more = max(self._size - FREE, 0) - self._counted
        if more and self._taken[self._principal] + more > self._most:
            raise NoRoom
        self._counted += more
        self._taken[self._principal] += more

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._taken[self._principal] -= self._counted
        if not self._taken[self._principal]:
            del self._taken[self._principal]
