"""A client's share of the event loop: one that sends thousands of messages, or megabytes, is read more slowly.

So is one whose messages take long to read: short values take the loop a hundred times as long as a text of the same length.
"""

from __future__ import annotations

import asyncio
import re
import time
from typing import Final

RATE: Final = 1_000.0
"""Messages a second that are taken from one client, sustained."""
BURST: Final = 500.0
"""Messages that it may send at once."""
_WEIGHT: Final = 16_384
"""Bytes that count as one more message: reading them takes the loop about as long."""
OF_AGENTS: Final = 1 / 20
OF_EDITORS: Final = 1 / 5
"""The part of the loop's time that one client's messages may take to be read, sustained."""
MOST_VALUES: Final = 1_000_000
"""Commas and opening brackets of one message outside its texts. Each can be a value of a hundred bytes of memory, and the loop
stands still until all are read.
"""
TOO_MANY_VALUES: Final = f"a message may have {MOST_VALUES:,} commas and brackets at most"


class Pace:
    """One client's; `share` of the loop's time."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._left = BURST
        self._at = time.monotonic()

    async def taken(self, size: int, spent: float) -> None:
        """Returns when the message behind one of `size` bytes may be taken, which took the loop `spent` seconds to read."""
        now = time.monotonic()
        weight = 1 + max(size / _WEIGHT, spent * RATE / self._share)
        self._left = min(BURST, self._left + (now - self._at) * RATE) - weight
        self._at = now
        if self._left < 0:
            await asyncio.sleep(-self._left / RATE)


_TEXTS: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""The texts of a message. The closing quote may lack, so that no place is looked at twice."""


def has_too_many_values(message: bytes) -> bool:
    """Whether a message must not be parsed. Programs with many brackets are long texts, which cost little: only what is outside
    texts counts, and it is looked at only where all brackets and commas together are too many.
    """
    if len(message) <= MOST_VALUES or _values(message) <= MOST_VALUES:
        return False
    quotes = message.count(b'"') - message.count(b'\\"')
    return quotes > 4 * MOST_VALUES or _values(_TEXTS.sub(b"", message)) > MOST_VALUES


def _values(message: bytes) -> int:
    return sum(map(message.count, (b",", b"[", b"{")))
