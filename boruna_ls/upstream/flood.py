"""How many messages a server may send: counted for each connection, by both transports in the same way."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Final

_FLOOD: Final = 2_000
"""Messages within `_WINDOW` seconds that count as a flood."""
_WINDOW: Final = 5.0
_BURST: Final = 200
"""Messages within `_WINDOW` that are taken as fast as they come. Behind every second one of the others follows a rest: the pipe
fills, the server waits, and the processors are free for others until the flood is one."""
_REST: Final = 0.001
REASON: Final = f"it sent more than {_FLOOD} messages in {_WINDOW:.0f} seconds"


class Flood:
    """The messages of one connection."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=_FLOOD)
        self._beyond = 0
        """Messages beyond the burst."""

    async def passes(self, count: int = 1) -> bool:
        """Counts messages that have arrived, and waits if there were many; False if they are a flood."""
        now = time.monotonic()
        before = self._beyond
        for _ in range(min(count, _FLOOD + 1)):
            if len(self._times) == _FLOOD and now - self._times[0] < _WINDOW:
                return False
            if len(self._times) >= _BURST and now - self._times[-_BURST] < _WINDOW:
                self._beyond += 1
            self._times.append(now)
        rests = self._beyond // 2 - before // 2
        if rests:
            await asyncio.sleep(rests * _REST)
        return True
