"""A client's share of the event loop: one that sends thousands of messages, or megabytes, is read more slowly."""

from __future__ import annotations

import asyncio
import time
from typing import Final

RATE: Final = 1_000.0
"""Messages a second that are taken from one client, sustained."""
BURST: Final = 500.0
"""Messages that it may send at once."""
_WEIGHT: Final = 16_384
"""Bytes that count as one more message: reading them takes the loop about as long."""


class Pace:
    """One client's."""

    def __init__(self) -> None:
        self._left = BURST
        self._at = time.monotonic()

    async def taken(self, size: int) -> None:
        """Returns when the message behind one of `size` bytes may be taken."""
        now = time.monotonic()
        self._left = min(BURST, self._left + (now - self._at) * RATE) - 1 - size / _WEIGHT
        self._at = now
        if self._left < 0:
            await asyncio.sleep(-self._left / RATE)
