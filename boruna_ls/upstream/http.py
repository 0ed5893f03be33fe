"""The transport of a server that is reached by a URL: Streamable HTTP by the library, with bounded answers and OAuth.

Tokens are kept in the state folder, for the owner alone. Only `boruna-ls mcp-servers login` opens a browser; everywhere else a
server that wants an authorization is an error that says so.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, Self, TypeAlias

import anyio
import httpx2
from mcp.client._transport import ReadStream, TransportStreams
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
)
from mcp.shared.message import SessionMessage

from boruna_ls.rendezvous import atomic
from boruna_ls.state.folder import opened
from boruna_ls.upstream.bounded import Bounded
from boruna_ls.upstream.concurrent_auth import ConcurrentAuth
from boruna_ls.upstream.configuration import ConfigurationError, ServerConfiguration
from boruna_ls.upstream.credentials import by_credentials
from boruna_ls.upstream.dpop import Proofs
from boruna_ls.upstream.outward import Outward
from boruna_ls.upstream.process import MESSAGE_LIMIT
from boruna_ls.workspace.tool_servers import PART

CALLBACK: Final = "http://127.0.0.1:27418/callback"
"""Redirect URL for the browser that is registered where nothing listens yet; not a port that systems give to clients."""
KEPT_ALIVE: Final = 2.0
"""Seconds after which an idle connection is not used again: many servers close theirs after five, and using one just then
loses a call, which must not be repeated."""
# A failure is reported by its exception, or is the answer of the call; the library would also write it to a terminal, with
# the server's text as it is.
for _logger in ("mcp.client.auth", "mcp.client.streamable_http"):
    logging.getLogger(_logger).setLevel(logging.CRITICAL)
_Read: TypeAlias = ReadStream[SessionMessage | Exception]
Redirect = Callable[[str], Awaitable[None]]
Callback = Callable[[], Awaitable[AuthorizationCodeResult]]


class Tokens:
    """Credentials from a server's authorization, in a file for the owner alone: the library's `TokenStorage`."""

    def __init__(self, workspace: str, name: str, url: str) -> None:
        identity = json.dumps([workspace, name, url])
        self._name = f"oauth-{hashlib.sha256(identity.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}.json"

    async def get_tokens(self) -> OAuthToken | None:
        """The tokens, if there are any."""
        tokens = self._read().get("tokens")
        return OAuthToken.model_validate(tokens) if tokens else None

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keeps the tokens, and when they expire."""
        expires = None if tokens.expires_in is None else time.time() + tokens.expires_in
        self._write(tokens=tokens.model_dump(mode="json", exclude_none=True), expires=expires)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Our registration as a client; None if there is none."""
        info = self._read().get("client")
        return OAuthClientInformationFull.model_validate(info) if info else None

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keeps what we are registered as."""
        self._write(client=client_info.model_dump(mode="json", exclude_none=True))

    def set_metadata(self, metadata: OAuthMetadata | None) -> None:
        """Keeps what the authorization server says of itself: where its tokens are refreshed."""
        self._write(metadata=None if metadata is None else metadata.model_dump(mode="json", exclude_none=True))

    def bound_key(self) -> tuple[str | None, str | None]:
        """The private key to which the tokens are bound, if they are, and where they are refreshed."""
        key = self._read().get("bound")
        return (key.get("key") or None, key.get("endpoint")) if isinstance(key, dict) else (None, None)

    def set_bound_key(self, key: str, endpoint: str) -> None:
        """Keeps the key of the tokens that come next, "" for tokens that are not bound."""
        self._write(bound={"key": key, "endpoint": endpoint})

    def refreshing(self) -> tuple[float | None, OAuthMetadata | None]:
        """Expiry of the tokens, in seconds since 1970, and their server's metadata, as far as they are known."""
        kept = self._read()
        expires, metadata = kept.get("expires"), kept.get("metadata")
        server = OAuthMetadata.model_validate(metadata) if metadata else None
        return (float(expires) if isinstance(expires, int | float) else None), server

    def _read(self) -> dict[str, Any]:
        try:
            read = json.loads((opened(PART) / self._name).read_bytes())
        except (OSError, ValueError):
            return {}
        return read if isinstance(read, dict) else {}

    def _write(self, **values: Any) -> None:
        atomic.write(os.fspath(opened(PART) / self._name), json.dumps(self._read() | values).encode())


class Authorization(OAuthClientProvider):
    """The library's client, which by itself refreshes only tokens that the same process has got."""

    async def _initialize(self) -> None:
        await super()._initialize()
        if isinstance(self.context.storage, Tokens):
            self.context.token_expiry_time, self.context.oauth_metadata = self.context.storage.refreshing()

    async def _handle_token_response(self, response: httpx2.Response) -> None:
        await super()._handle_token_response(response)
        if isinstance(self.context.storage, Tokens):
            self.context.storage.set_metadata(self.context.oauth_metadata)


async def _no_browser(url: str) -> None:
    raise ConfigurationError("it requires authorization: run `boruna-ls mcp-servers login` with its name")


async def _no_answer() -> AuthorizationCodeResult:
    raise ConfigurationError("its authorization request was not answered")


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
    return Authorization(url, metadata, storage, redirect, callback, **rest)


class _Watched:
    """The library's stream of messages; its end is reported. The library ends it when a message of ours cannot be sent."""

    def __init__(self, inner: _Read, ended: Callable[[str], object]) -> None:
        self._inner = inner
        self._ended = ended

    @property
    def last_context(self) -> Any:
        """What the library notes about the message."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        try:
            return await self._inner.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._ended("")
            raise

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


@asynccontextmanager
async def open_http(
    configuration: ServerConfiguration,
    ended: Callable[[str], object],
    workspace: str = "",
    name: str = "",
    auth: httpx2.Auth | None = None,
) -> AsyncIterator[TransportStreams]:
    """The messages from and to a server; `configuration` has its variables filled in. `ended` is called when there are no more,
    with a reason if there is one.
    """
    url = configuration.url or ""
    has_token = any(header.lower() == "authorization" for header in configuration.headers)
    if configuration.oauth is not None:
        auth = by_credentials(url, Tokens(workspace, name, url), configuration.oauth)
    elif auth is None and not has_token:
        auth = authorization(url, Tokens(workspace, name, url))
    if auth is not None:
        auth = ConcurrentAuth(auth)
    timeout = httpx2.Timeout(30.0, read=max(configuration.timeout, 300.0))
    seen = (url, *(configuration.oauth.receivers if configuration.oauth is not None else ()))
    connections = httpx2.AsyncHTTPTransport(limits=httpx2.Limits(keepalive_expiry=KEPT_ALIVE))
    transport = Proofs(
        Bounded(Outward(connections, seen), ended),
        Tokens(workspace, name, url) if name else None,
    )
    async with (
        httpx2.AsyncClient(headers=configuration.headers, timeout=timeout, auth=auth, transport=transport) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=MESSAGE_LIMIT) as (read, write),
    ):
        yield _Watched(read, ended), write
