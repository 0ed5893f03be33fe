"""Requests that a server leads us to: a public one cannot send them into this machine or its network.

A server that wants an authorization names the addresses of its documents and of its authorization server. The owner allowed a
request to the server, and to what its configuration names, not to whatever listens near us.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

import httpx2

from boruna_ls.effects.addresses import is_public

_REFUSED: Final = "the server named an address in a private network, which it does not belong to itself"


class Outward(httpx2.AsyncBaseTransport):
    """A transport that reaches public addresses, and the hosts of URLs that the owner has seen; the first is the server's own.

    A server in a private network may name others there.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport, seen: Iterable[str]) -> None:
        self._inner = inner
        self._seen = [_host(url) for url in seen]
        self._is_private: bool | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        host = request.url.host.lower().rstrip(".")
        if host not in self._seen and await asyncio.to_thread(_leads_inward, host):
            if self._is_private is None:
                self._is_private = await asyncio.to_thread(_leads_inward, self._seen[0])
            if not self._is_private:
                raise httpx2.ConnectError(_REFUSED)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower().rstrip(".")
    except ValueError:
        return ""


def _leads_inward(host: str) -> bool:
    """True if one of the addresses of a host is not public; a host without any cannot be reached anyway."""
    try:
        answers = socket.getaddrinfo(host.strip("[]"), None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return not all(is_public(str(answer[4][0])) for answer in answers)
