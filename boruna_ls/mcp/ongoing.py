"""Calls of clients of 2026-07-28 that go on after a response: suspended until the client answers questions, or as a task.

A suspended call is named by a random `requestState`, which only the client that made it can use, once, and for the same
tool and arguments. A client that never comes back has its call stopped after a while.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Coroutine, Mapping
from typing import Any, Final, Generic, TypeVar

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from analysis.data_classes import dataclass, field
from boruna_ls.mcp.questions import LONGEST, RoundTrip

MOST: Final = 16
"""Calls of one client that may be suspended; of more the oldest is stopped."""
TASK_AFTER: Final = 2.0
"""Seconds after which a call that may become a task does."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions that the client must answer before a call continues; `state` names the call."""

    requests: dict[str, dict[str, Any]]
    state: str


@dataclass(slots=True)
class Ongoing(Generic[T]):
    """A call that has not ended. `after`: seconds until it becomes a task; None: it never does by itself."""

    called: Any
    peer: RoundTrip
    work: asyncio.Task[T]
    detach: asyncio.Event = field(default_factory=asyncio.Event)
    after: float | None = None
    expiry: asyncio.TimerHandle | None = None


class OngoingCalls(Generic[T]):
    """The calls of one client that wait for its answers; `T` is the result of a call."""

    def __init__(self) -> None:
        self._suspended: dict[str, Ongoing[T]] = {}

    async def begin(
        self, called: Any, peer: RoundTrip, work: Coroutine[Any, Any, T], detach: asyncio.Event, after: float | None
    ) -> T | Questions | Ongoing[T]:
        """Runs a call until it ends, asks, or is to go on as a task; `called` says what was called."""
        call = Ongoing(called, peer, asyncio.ensure_future(work), detach, after)
        return call if after == 0 else await self._until_something(call)

    async def resume(self, state: str, called: Any, answers: Mapping[str, Any]) -> T | Questions | Ongoing[T]:
        """Goes on with a suspended call. Raises MCPError for one that is not known."""
        call = self._suspended.get(state)
        if call is None or call.called != called:
            message = "requestState is unknown, has expired, or belongs to another call: call again without it"
            raise MCPError(INVALID_PARAMS, message, {"argument": "requestState"})
        self._forget(state)
        call.peer.deliver(answers)
        return await self._until_something(call)

    def close(self) -> None:
        """Stops all suspended calls."""
        for state in list(self._suspended):
            self._stop(state)

    async def _until_something(self, call: Ongoing[T]) -> T | Questions | Ongoing[T]:
        detached = asyncio.ensure_future(call.detach.wait())
        try:
            while True:
                asked = asyncio.ensure_future(call.peer.asked.wait())
                waits = (call.work, asked, detached)
                try:
                    done, _ = await asyncio.wait(waits, timeout=call.after, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    asked.cancel()
                if call.work.done():
                    return call.work.result()
                if not done or detached.done():
                    return call
                if call.peer.open:
                    return Questions(dict(call.peer.open), self._suspend(call))
        except asyncio.CancelledError:
            call.work.cancel()
            raise
        finally:
            detached.cancel()

    def _suspend(self, call: Ongoing[T]) -> str:
        while len(self._suspended) >= MOST:
            self._stop(next(iter(self._suspended)))
        state = secrets.token_urlsafe(24)
        self._suspended[state] = call
        call.expiry = asyncio.get_running_loop().call_later(LONGEST, self._stop, state)
        return state

    def _forget(self, state: str) -> Ongoing[T] | None:
        call = self._suspended.pop(state, None)
        if call is not None and call.expiry is not None:
            call.expiry.cancel()
        return call

    def _stop(self, state: str) -> None:
        call = self._forget(state)
        if call is not None:
            stop(call.work)


def stop(work: asyncio.Task[Any]) -> None:
    """Cancels abandoned work."""
    work.cancel()
    work.add_done_callback(_ignore)


def _ignore(work: asyncio.Task[Any]) -> None:
    with contextlib.suppress(asyncio.CancelledError, Exception):
        work.result()
