"""Calls of clients of 2026-07-28 that wait for answers to their questions: kept until the client calls again with them.

A call is named by a random `requestState`, which only the client that made it can use, once, and for the same tool and
arguments. A client that never comes back has its call stopped after a while.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Coroutine, Mapping
from typing import Any, Final, Generic, TypeVar

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from boruna_ls.mcp.questions import LONGEST, RoundTrip

T = TypeVar("T")
MOST: Final = 16
"""Calls of one client that may be suspended; of more the oldest is stopped."""


class Suspended(Generic[T]):
    """The suspended calls of one client; `T` is what a call comes to."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept[T]] = {}

    async def begin(self, called: Any, peer: RoundTrip, work: Coroutine[Any, Any, T]) -> T | Questions:
        """Runs a call until it ends or asks; `called` says what was called, for the one who answers."""
        return await self._until_asked(_Kept(called, peer, asyncio.ensure_future(work)))

    async def resume(self, state: str, called: Any, answers: Mapping[str, Any]) -> T | Questions:
        """Goes on with a call. Raises MCPError for one that is not known."""
        kept = self._kept.get(state)
        if kept is None or kept.called != called:
            message = "requestState is unknown, has expired, or belongs to another call: call again without it"
            raise MCPError(INVALID_PARAMS, message, {"argument": "requestState"})
        self._forget(state)
        kept.peer.deliver(answers)
        return await self._until_asked(kept)

    def close(self) -> None:
        """Stops all calls."""
        for state in list(self._kept):
            self._stop(state)

    async def _until_asked(self, kept: _Kept[T]) -> T | Questions:
        asked = asyncio.ensure_future(kept.peer.asked.wait())
        try:
            await asyncio.wait((kept.task, asked), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            kept.task.cancel()
            raise
        finally:
            asked.cancel()
        if kept.task.done():
            return kept.task.result()
        return Questions(dict(kept.peer.open), self._keep(kept))

    def _keep(self, kept: _Kept[T]) -> str:
        while len(self._kept) >= MOST:
            self._stop(next(iter(self._kept)))
        state = secrets.token_urlsafe(24)
        self._kept[state] = kept
        kept.expiry = asyncio.get_running_loop().call_later(LONGEST, self._stop, state)
        return state

    def _forget(self, state: str) -> _Kept[T] | None:
        kept = self._kept.pop(state, None)
        if kept is not None and kept.expiry is not None:
            kept.expiry.cancel()
        return kept

    def _stop(self, state: str) -> None:
        kept = self._forget(state)
        if kept is not None:
            kept.task.cancel()
            kept.task.add_done_callback(_ignore)


class Questions:
    """What the client must answer before a call goes on, and the name of the call."""

    def __init__(self, requests: dict[str, dict[str, Any]], state: str) -> None:
        self.requests = requests
        self.state = state


class _Kept(Generic[T]):
    def __init__(self, called: Any, peer: RoundTrip, task: asyncio.Task[T]) -> None:
        self.called = called
        self.peer = peer
        self.task = task
        self.expiry: asyncio.TimerHandle | None = None


def _ignore(task: asyncio.Task[Any]) -> None:
    with contextlib.suppress(asyncio.CancelledError, Exception):
        task.result()
