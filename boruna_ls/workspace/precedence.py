"""Keystrokes take precedence on the event loop: until their diagnostics are sent, agents' messages wait for a short time.

The analysis thread takes the most urgent job, but the loop handles messages in order of arrival, and each message of an agent
also takes the interpreter from the thread that computes for the keystroke. Between two keystrokes agents get a part of the
loop's time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import asyncio

LONGEST: Final = 0.01
"""Maximum seconds for which a keystroke delays agents: too short to notice, and most keystrokes need only a fraction. Longer
work occupies the analysis thread, for which agents wait in its queue."""
_TYPING: Final = 0.1
"""Seconds after a keystroke in which the next one may come: until then background work pauses."""
_LASTING: Final = 2.0
"""Seconds after a keystroke for which its user counts as typing."""
PART: Final = 0.1
"""Part of the loop's time that all agents together get while somebody types, after they have used `RESERVE` seconds."""
RESERVE: Final = 0.1
_LONGEST_WAIT: Final = 0.2
"""Maximum seconds for which they wait, whatever they used before: they used most of it while nobody typed."""
_LONGEST_REST: Final = 0.25
_PIECE: Final = 0.001
_SHARE: Final = 5
"""While somebody types, other threads that read get one part in `_SHARE` of the time, in pieces of `_PIECE` seconds."""


def _running_loop() -> asyncio.AbstractEventLoop:
    import asyncio  # here: a host on the command line has no loop

    return asyncio.get_running_loop()


class Precedence:
    """Precedence on one event loop; other loops are not affected. Agents then get the loop at least as long as they waited."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._holders = 0
        self._since = self._not_before = 0.0
        self._typed_at = -_LASTING
        self._waiting: list[Callable[[], object]] = []
        self._alarm: asyncio.TimerHandle | None = None
        self._left, self._at = RESERVE, clock()
        """Seconds that agents may use of the loop at a given time although somebody types."""
        self._free = threading.Event()

    def take(self) -> Hold:
        """A keystroke begins; call it on the loop."""
        if not self.is_taken():
            self._release()
        now = self._typed_at = self._clock()
        if self._loop is None and now >= self._not_before:
            self._loop, self._since = _running_loop(), now
            self._free.clear()
        self._holders += 1
        return Hold(self)

    def is_typing(self) -> bool:
        """True if there was a keystroke recently."""
        return self._clock() < self._typed_at + _LASTING

    def is_taken(self) -> bool:
        """True while agents wait for a keystroke."""
        return self._loop is not None and self._clock() < self._since + LONGEST

    def defers(self, go_on: Callable[[], object], spent: float) -> bool:
        """True while agents must wait on this loop, of which they have just used `spent` seconds; `go_on` is called when they
        may continue."""
        now = self._clock()
        self._left = max(min(RESERVE, self._left + (now - self._at) * PART) - spent, -_LONGEST_WAIT * PART)
        self._at = now
        if self._left < 0 and self.is_typing():
            _running_loop().call_later(-self._left / PART, go_on)
            return True
        if not self.is_taken() or (loop := self._loop) is None or loop is not _running_loop():
            return False
        self._waiting.append(go_on)
        if self._alarm is None:
            self._alarm = loop.call_later(max(self._since + LONGEST - self._clock(), 0.0), self._release)
        return True

    def let_pass(self) -> None:
        """The same for a thread without a loop: whenever it continues, it takes the interpreter from the keystroke."""
        if self.is_taken():
            self._free.wait(max(self._since + LONGEST - self._clock(), 0.0))

    async def rest(self) -> None:
        """Returns when nobody types any more, or after a quarter of a second: for work in idle time."""
        import asyncio

        ends = self._clock() + _LONGEST_REST
        while (left := min(self._typed_at + _TYPING, ends) - self._clock()) > 0:
            await asyncio.sleep(left)

    def pacing(self) -> Callable[[], None]:
        """A thread calls the result repeatedly during long work: while somebody types, it gets a part of the time."""
        begun = self._clock()

        def pace() -> None:
            nonlocal begun
            self.let_pass()
            spent = self._clock() - begun
            if spent < _PIECE:
                return
            if self._clock() < self._typed_at + _TYPING:
                time.sleep(min(spent, LONGEST) * (_SHARE - 1))
            begun = self._clock()

        return pace

    def give_back(self) -> None:
        """A keystroke has ended; called by its hold."""
        self._holders -= 1
        if self._holders == 0:
            self._release()

    def _release(self) -> None:
        if self._loop is None:
            return
        loop, held = self._loop, min(self._clock() - self._since, LONGEST)
        self._loop = None
        self._not_before = self._since + 2 * held
        self._free.set()
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        waiting, self._waiting = self._waiting, []
        for go_on in waiting:
            # The loop of an earlier keystroke may have ended, together with its waiters.
            if not loop.is_closed():
                loop.call_later(0.0, go_on)


class Hold:
    """Claim of a keystroke, held until `end`; further calls of `end` do nothing."""

    def __init__(self, precedence: Precedence) -> None:
        self._precedence: Precedence | None = precedence

    def end(self) -> None:
        """On the loop: the answer for the editor was sent, or will not be."""
        precedence, self._precedence = self._precedence, None
        if precedence is not None:
            precedence.give_back()
