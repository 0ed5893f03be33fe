"""The transport of a server that is reached by a URL: Streamable HTTP by the library, with bounded answers and OAuth.

Tokens are kept in the state folder, for the owner alone. Only `boruna-ls mcp-servers login` opens a browser; everywhere else a
server that wants an authorization is an error that says so.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx2
from mcp.client._transport import TransportStreams
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from boruna_ls.rendezvous import atomic
from boruna_ls.state.folder import opened
from boruna_ls.upstream.configuration import ConfigurationError, ServerConfiguration
from boruna_ls.upstream.process import MESSAGE_LIMIT
from boruna_ls.workspace.tool_servers import PART

CALLBACK: Final = "http://127.0.0.1:33418/callback"
"""Where a browser comes back to; a fixed port, since servers compare it with what was registered."""
Redirect = Callable[[str], Awaitable[None]]
Callback = Callable[[], Awaitable[AuthorizationCodeResult]]


class Tokens:
    """What a server's authorization gave, kept in a file for the owner alone: the library's `TokenStorage`."""

    def __init__(self, workspace: str, name: str, url: str) -> None:
        told = json.dumps([workspace, name, url])
        self._name = f"oauth-{hashlib.sha256(told.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}.json"

    async def get_tokens(self) -> OAuthToken | None:
        """The tokens, if there are any."""
        found = self._read().get("tokens")
        return OAuthToken.model_validate(found) if found else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keeps the tokens."""
        self._write("tokens", tokens.model_dump(mode="json", exclude_none=True))

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """What we are registered as, if we are."""
        found = self._read().get("client")
        return OAuthClientInformationFull.model_validate(found) if found else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keeps what we are registered as."""
        self._write("client", client_info.model_dump(mode="json", exclude_none=True))

    def _read(self) -> dict[str, Any]:
        try:
            read = json.loads((opened(PART) / self._name).read_bytes())
        except (OSError, ValueError):
            return {}
        return read if isinstance(read, dict) else {}

    def _write(self, key: str, value: Any) -> None:
        atomic.write(os.fspath(opened(PART) / self._name), json.dumps(self._read() | {key: value}).encode())


async def _no_browser(url: str) -> None:
    raise ConfigurationError("it asks for an authorization: type `boruna-ls mcp-servers login` with its name")


async def _no_answer() -> AuthorizationCodeResult:
    raise ConfigurationError("its authorization was not answered")


def authorization(
    url: str,
    storage: Any,
    redirect: Redirect = _no_browser,
    callback: Callback = _no_answer,
    redirect_uri: str = CALLBACK,
    **rest: Any,
) -> OAuthClientProvider:
    """The library's OAuth client for a server."""
    metadata = OAuthClientMetadata.model_validate(
        {
            "client_name": "boruna-ls",
            "redirect_uris": [redirect_uri],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
        }
    )
    return OAuthClientProvider(url, metadata, storage, redirect, callback, **rest)


@asynccontextmanager
async def open_http(
    configuration: ServerConfiguration, workspace: str = "", name: str = "", auth: httpx2.Auth | None = None
) -> AsyncIterator[TransportStreams]:
    """The messages from and to a server; `configuration` has its variables filled in."""
    url = configuration.url or ""
    has_token = any(header.lower() == "authorization" for header in configuration.headers)
    if auth is None and not has_token:
        auth = authorization(url, Tokens(workspace, name, url))
    timeout = httpx2.Timeout(30.0, read=max(configuration.timeout, 300.0))
    transport = _Bounded(httpx2.AsyncHTTPTransport())
    async with (
        httpx2.AsyncClient(headers=configuration.headers, timeout=timeout, auth=auth, transport=transport) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=MESSAGE_LIMIT) as streams,
    ):
        yield streams


class _Bounded(httpx2.AsyncBaseTransport):
    """A transport whose answers end where they are too long; streams of events are bounded one by one by the library."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        if "text/event-stream" not in response.headers.get("content-type", ""):
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
