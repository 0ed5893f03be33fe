"""A client's share of the event loop: one that sends thousands of messages, or megabytes, is read more slowly.

So is one whose messages take long to read: short values take the loop a hundred times as long as a text of the same length. What
agents take of the loop while somebody types is limited for all of them together (`workspace/precedence.py`).
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
MOST_VALUES: Final = 100_000
"""Commas and opening brackets of one message outside its texts. Each can be a value of a hundred bytes of memory, and all threads
stand still until all are read: for two to four milliseconds with so many.
"""
MOST_OF_EDITORS: Final = 250_000
"""The same for an editor: it lists all files that another branch changes in one message."""


def too_many_values(most: int = MOST_VALUES) -> str:
    """Why a message is refused."""
    return f"a message may have {most:,} commas and brackets at most"


class Pace:
    """One client's; `share` of the loop's time."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._left = BURST
        self._at = time.monotonic()

    async def wait_turn(self, size: int, spent: float) -> None:
        """Returns when the message behind one of `size` bytes may be taken, which took the loop `spent` seconds to read."""
        now = time.monotonic()
        weight = 1 + max(size / _WEIGHT, spent * RATE / self._share)
        self._left = min(BURST, self._left + (now - self._at) * RATE) - weight
        self._at = now
        if self._left < 0:
            await asyncio.sleep(-self._left / RATE)


_PART: Final = 1 << 18
_MOST_QUOTES: Final = 4_000
"""Where a message has so many quotes, they are not looked at one by one."""
_BACKSLASH: Final = ord("\\")
_TEXTS: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""The texts of a message. The closing quote may lack, so that no place is looked at twice."""


def has_too_many_values(message: bytes, most: int = MOST_VALUES) -> bool:
    """True if a message must not be parsed. Programs with many brackets are long texts, which cost little: only those outside
    of texts count, and they are counted only where all brackets and commas together are too many.
    """
    if len(message) <= most or _is_mostly_texts(message, most) or _values(message) <= most:
        return False
    quotes = message.count(b'"') - message.count(b'\\"')
    return quotes > 4 * most or _values(_TEXTS.sub(b"", message)) > most


def _is_mostly_texts(message: bytes, most: int) -> bool:
    """True if a few long texts are nearly all of a message: to find a quote takes a tenth of the time of counting values."""
    outside, begin, is_in_text = 0, 0, False
    for _ in range(_MOST_QUOTES):
        quote = message.find(b'"', begin)
        if quote < 0:
            break
        if not is_in_text:
            outside += quote - begin
        before = message[begin:quote] if is_in_text and message[quote - 1] == _BACKSLASH else b""
        # Behind an odd number of backslashes a quote is part of the text.
        if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
            is_in_text = not is_in_text
        begin = quote + 1
    else:
        return False
    return outside + (0 if is_in_text else len(message) - begin) <= most


def _values(message: bytes) -> int:
    """The number of commas and opening brackets. To leave them out of a copy takes a third of the time of counting each kind."""
    parts = (message[start : start + _PART] for start in range(0, len(message), _PART))
    return len(message) - sum(len(part.translate(None, b",[{")) for part in parts)
