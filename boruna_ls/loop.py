"""The event loop of a process that computes on another thread: it tells the worker when it has messages to handle.

The interpreter switches threads by time. A loop that must wait for its turn after every system call loses more
time than a keystroke takes, so the worker lets it finish (`Worker.give_way`).
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
"""Seconds after which low-priority callbacks let the loop look for other callbacks."""
_QUEUE: Final[contextvars.ContextVar[deque[asyncio.Handle] | None]] = contextvars.ContextVar("queue", default=None)
"""The queue of a low-priority client's callbacks."""


def is_in_no_hurry() -> None:
    """Gives the calling task, and the tasks that it starts, low priority on the loop.

    Low-priority clients take turns, however much work one of them has.
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
    """A loop on which low-priority callbacks run in short turns, between which it looks for other work."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._queues: deque[deque[asyncio.Handle]] = deque()
        """The non-empty queues, the next one first."""
        self._has_turn = False
        self._no_client = contextvars.Context()
        """The context of turns: in a client's context, a deferred turn would wait for itself in that client's queue."""
        self._spent = 0.0
        """Seconds that the latest turn took."""
        self.defers: Callable[[Callable[[], object], float], bool] = lambda go_on, spent: False
        """Asked before each turn: True if it is deferred, see `Precedence.defers`."""

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: contextvars.Context | None = None
    ) -> asyncio.Handle:
        """Like that of any loop; a low-priority callback runs after the waiting ones of its queue and after other callbacks."""
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
        """A loop without selectors."""

else:

    class _Loop(_Turns, asyncio.SelectorEventLoop):
        def __init__(self) -> None:
            self.attention = _Selector()
            super().__init__(self.attention)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Like `asyncio.run`, with a loop that has priorities and, except on Windows, supports `attend`."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(main)


def attend(host: Host) -> None:
    """From now on the worker of a host yields to the loop that runs here; does nothing on a loop of another kind."""
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
        # Windows has no signal handlers: there a keyboard interrupt ends the loop.
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    return stopped
