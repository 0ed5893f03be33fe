"""Answers over HTTP end where they are longer than one message of a server may be."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

import httpx2

from boruna_ls.upstream.process import MESSAGE_LIMIT

_STREAM: Final = "text/event-stream"


class Bounded(httpx2.AsyncBaseTransport):
    """A transport whose answers end where they are too long; streams of events are bounded one by one by the library.

    A stream is only what answers a request for one: whatever else calls itself so is read as a whole.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        wanted, given = request.headers.get("accept", ""), response.headers.get("content-type", "")
        if not (_STREAM in wanted and _STREAM in given and response.status_code == httpx2.codes.OK):
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
