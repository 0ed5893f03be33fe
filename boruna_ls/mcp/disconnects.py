"""Connections that end before their answer: the call is stopped, because nobody can take its answer any more.

The SDK stops calls of clients of 2026-07-28 by itself. Older clients could ask for the rest of a stream on a new connection,
which this server does not offer: it keeps no events.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, MutableMapping
from typing import Any, Final, TypeVar

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from starlette.types import Message, Receive

T = TypeVar("T")
_KEY: Final = "boruna.disconnected"
_CANCELLED: Final = -32800


def noticing(scope: MutableMapping[str, Any], receive: Receive) -> Receive:
    """`receive` of an ASGI application whose calls can be stopped when the connection ends."""
    ended = scope[_KEY] = asyncio.Event()

    async def noticed() -> Message:
        message = await receive()
        if message["type"] == "http.disconnect":
            ended.set()
        return message

    return noticed


async def unless_disconnected(context: ServerRequestContext[Any], work: Awaitable[T]) -> T:
    """The result of a call's work, which is cancelled when the connection of its request ends."""
    ended = (getattr(context.request, "scope", None) or {}).get(_KEY)
    if ended is None:
        return await work
    task, watch = asyncio.ensure_future(work), asyncio.ensure_future(ended.wait())
    try:
        await asyncio.wait((task, watch), return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        task.cancel()
        raise
    finally:
        watch.cancel()
    if not task.done():
        task.cancel()
        await asyncio.wait((task,))
    if task.cancelled():
        raise MCPError(_CANCELLED, "the connection of this request was closed")
    return task.result()
