"""Answers over HTTP end where they are longer than one message of a server may be, and streams of events where they are a flood.

Sizes are those of what is read, so compressed answers, which could grow a thousand times, are refused.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

import httpx2

from boruna_ls.upstream import flood
from boruna_ls.upstream.flood import Flood
from boruna_ls.upstream.process import MESSAGE_LIMIT

_STREAM: Final = "text/event-stream"
_EVENT: Final = re.compile(rb"\r?\n(?=[:\r\n])|\r(?=[:\r])")
"""The end of a line before a blank line, which ends an event, or before a comment."""


class Bounded(httpx2.AsyncBaseTransport):
    """A transport whose answers end where they are too long; the library bounds each event of a stream, we their number.

    A stream is only what answers a request for one: whatever else calls itself so is read as a whole. `flooded` is called with
    the reason when the streams of this transport are a flood.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport, flooded: Callable[[str], object] = lambda reason: None) -> None:
        self._inner = inner
        self._flood = Flood()
        self._flooded = flooded

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.headers["accept-encoding"] = "identity"
        response = await self._inner.handle_async_request(request)
        if (coding := response.headers.get("content-encoding", "identity").strip().lower()) not in ("", "identity"):
            await response.aclose()
            raise httpx2.ReadError(f"the server compressed an answer ({coding[:20]!r}), though asked for none that is")
        wanted, given = request.headers.get("accept", ""), response.headers.get("content-type", "")
        if _STREAM in wanted and _STREAM in given and response.status_code == httpx2.codes.OK:
            response.stream = _CountedStream(response.stream, self._flood, self._flooded)
        else:
            response.stream = _BoundedStream(response.stream)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._inner:
            size += len(part)
            if size > MESSAGE_LIMIT:
                raise httpx2.ReadError(f"the server sent a message of more than {MESSAGE_LIMIT >> 20} MB")
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


class _CountedStream(httpx2.AsyncByteStream):
    """A stream of events, each of which counts as a message, whatever it holds; so does a comment."""

    def __init__(self, inner: Any, counter: Flood, flooded: Callable[[str], object]) -> None:
        self._inner = inner
        self._counter = counter
        self._flooded = flooded

    async def __aiter__(self) -> AsyncIterator[bytes]:
        last = b"\n"
        async for part in self._inner:
            events = sum(1 for _ in _EVENT.finditer(last + part))
            if events and not await self._counter.passes(events):
                self._flooded(flood.REASON)
                raise httpx2.ReadError(flood.REASON)
            last = part[-1:] or last
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()
