"""The event loop of a process that computes on a thread of its own: it tells the worker when it has something to move.

Threads take turns by the interpreter's clock. A loop that must ask for its turn again after every system call loses more
time at that than a keystroke takes; so the worker lets it finish instead (`Worker.give_way`).
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import selectors
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, TypeVar, TypeVarTuple

from boruna_ls.isolation.priority import take_short_turns

if TYPE_CHECKING:
    from boruna_ls.workspace import Host

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
_TURN: Final = 0.001
"""Seconds after which callbacks that are in no hurry let the loop look for others."""
_QUEUE: Final[contextvars.ContextVar[deque[asyncio.Handle] | None]] = contextvars.ContextVar("queue", default=None)
"""Where the callbacks of a client wait that is in no hurry."""


def is_in_no_hurry() -> None:
    """What the calling task does from now on, and the tasks that it starts, let others on the loop go first.

    Two that have called this take turns, however much one of them has to do.
    """
    _QUEUE.set(deque())


class _Selector(selectors.DefaultSelector):
    """Calls `woken` when the loop has got something to do, and `sleeping` before it waits for more."""

    def __init__(self) -> None:
        super().__init__()
        self.woken: Callable[[], None] = _nothing
        self.sleeping: Callable[[], None] = _nothing

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Ready keys, as of any selector."""
        if timeout is None or timeout > 0:
            self.sleeping()
        ready = super().select(timeout)
        if ready:
            self.woken()
        return ready


class _Turns(asyncio.BaseEventLoop):
    """A loop on which callbacks of tasks that are in no hurry run in short turns, between which it looks for other work."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._queues: deque[deque[asyncio.Handle]] = deque()
        """Those in which something waits, the next one first."""
        self._has_turn = False
        self._no_client = contextvars.Context()
        """The context of turns: in a client's, a turn that was put off would wait in that client's queue for itself."""
        self._spent = 0.0
        """Seconds that the latest turn took."""
        self.defers: Callable[[Callable[[], object], float], bool] = lambda go_on, spent: False
        """Asked before each turn: True if it is put off, see `Precedence.defers`."""

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        """As of any loop; in a context that is in no hurry behind what waits there, and behind what others want by then."""
        queue = _QUEUE.get() if context is None else context.get(_QUEUE)
        if queue is None:
            return super().call_soon(callback, *args, context=context)
        handle = asyncio.Handle(callback, args, self, context)
        if not queue:
            self._queues.append(queue)
        queue.append(handle)
        if not self._has_turn:
            self._has_turn = True
            super().call_soon(self._take_turn, context=self._no_client)
        return handle

    def _take_turn(self) -> None:
        spent, self._spent = self._spent, 0.0
        if self.defers(self._take_turn, spent):
            return
        begun = time.monotonic()
        while self._queues:
            queue = self._queues.popleft()
            handle = queue.popleft()
            if queue:
                self._queues.append(queue)
            if not handle.cancelled():
                handle._run()
            if time.monotonic() - begun >= _TURN:
                break
        self._spent = time.monotonic() - begun
        self._has_turn = bool(self._queues)
        if self._has_turn:
            super().call_soon(self._take_turn, context=self._no_client)


if sys.platform == "win32":

    class _Loop(_Turns, asyncio.ProactorEventLoop):
        """It knows no selectors."""

else:

    class _Loop(_Turns, asyncio.SelectorEventLoop):
        def __init__(self) -> None:
            self.attention = _Selector()
            super().__init__(self.attention)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Like `asyncio.run`, with a loop on which some go first, and which can be attended to, except on Windows."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(main)


def attend(host: Host) -> None:
    """From now on the worker of a host lets the loop that runs here go first; nothing happens on a loop of another kind."""
    host.free_in_pieces()
    loop = asyncio.get_running_loop()
    take_short_turns()
    if isinstance(loop, _Turns):
        loop.defers = host.shared.precedence.defers
    if sys.platform != "win32" and isinstance(loop, _Loop):
        worker = host.worker
        worker.attend(host.db.make_way, host.shared.precedence.is_typing)
        loop.attention.woken, loop.attention.sleeping = worker.loop_woke, worker.loop_sleeps


def _nothing() -> None:
    pass


def told_to_stop() -> asyncio.Event:
    """Set when the process is asked to end, by a signal or from the keyboard; call it on the loop."""
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        # Windows has none: there the keyboard's interruption ends the loop.
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    return stopped
