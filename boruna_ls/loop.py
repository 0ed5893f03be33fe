"""The event loop of a process that computes on a thread of its own: it tells the worker when it has something to move.

Threads take turns by the interpreter's clock. A loop that must ask for its turn again after every system call loses more
time at that than a keystroke takes; so the worker lets it finish instead (`Worker.give_way`).
"""

from __future__ import annotations

import asyncio
import contextlib
import selectors
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from boruna_ls.isolation.priority import take_short_turns

if TYPE_CHECKING:
    from boruna_ls.workspace import Host

T = TypeVar("T")


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


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.attention = _Selector()
        super().__init__(self.attention)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Like `asyncio.run`, with a loop that can be attended to; on Windows it is the usual one, which knows no selectors."""
    with asyncio.Runner(loop_factory=None if sys.platform == "win32" else _Loop) as runner:
        return runner.run(main)


def attend(host: Host) -> None:
    """From now on the worker of a host lets the loop that runs here go first; nothing happens on a loop of another kind."""
    host.free_in_pieces()
    loop = asyncio.get_running_loop()
    take_short_turns()
    if isinstance(loop, _Loop):
        worker = host.worker
        worker.attend(host.db.make_way)
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
