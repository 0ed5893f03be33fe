"""Authorized requests that run at the same time: the library's OAuth clients send one, and the next when it is answered.

So one slow call would block all others of its server, and a stream of events whose first bytes are late every call.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Final

import httpx2

_REFUSALS: Final = (httpx2.codes.UNAUTHORIZED, httpx2.codes.FORBIDDEN)


class ConcurrentAuth(httpx2.Auth):
    """Sends requests with the authorization that was accepted last; the library is asked before that, and after a refusal."""

    def __init__(self, library: httpx2.Auth) -> None:
        self._library = library
        self._is_accepted = False
        self._header: str | None = None
        """The authorization that was accepted; None where none is needed."""

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        if self._is_accepted:
            if self._header is not None:
                request.headers["authorization"] = self._header
            response = yield request
            if not _wants_authorization(response):
                return
            request.headers.pop("authorization", None)
        flow = self._library.async_auth_flow(request)
        try:
            outgoing = await anext(flow)
            while True:
                header = request.headers.get("authorization")
                response = yield outgoing
                if outgoing is request:
                    self._is_accepted, self._header = response.status_code not in _REFUSALS, header
                outgoing = await flow.asend(response)
        except StopAsyncIteration:
            return
        finally:
            await flow.aclose()


def _wants_authorization(response: httpx2.Response) -> bool:
    if response.status_code == httpx2.codes.FORBIDDEN:
        return "insufficient_scope" in response.headers.get("www-authenticate", "")
    return response.status_code == httpx2.codes.UNAUTHORIZED
