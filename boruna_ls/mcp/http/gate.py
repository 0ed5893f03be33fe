"""Checks before the SDK's HTTP endpoint: a request must arrive in time, there must be room for it, and its token must allow what
it asks for.

A token with too few scopes is refused as the protocol's chapter on authorization asks for: status 403, with the scopes that the
request needs in `WWW-Authenticate`, and the same as a JSON-RPC error for clients that look there.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp_types import INVALID_REQUEST
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boruna_ls.mcp.disconnects import noticing
from boruna_ls.mcp.http.auth import SCOPES
from boruna_ls.mcp.http.room import LARGEST_AT_ONCE, NoRoom, Room, Share
from boruna_ls.mcp.peers import principal_of
from boruna_ls.pace import has_too_many_values, too_many_values

Needed = Callable[[str, Mapping[str, Any]], set[str]]
"""The scopes that a request of a method with certain parameters needs."""
_EVERYTHING: Final = frozenset(SCOPES)


class Gate:
    """An ASGI application before another one; `patience` in seconds, `limit` in bytes of a request's body."""

    def __init__(
        self, app: ASGIApp, needed: Needed, *, with_tokens: bool, metadata_url: str, patience: float, limit: int
    ) -> None:
        self._app = app
        self._needed = needed
        self._with_tokens = with_tokens
        self._metadata_url = metadata_url
        self._patience = patience
        self._limit = limit
        self._room = Room(LARGEST_AT_ONCE * limit)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        user = scope.get("user")
        is_authenticated = isinstance(user, AuthenticatedUser)
        if scope["type"] != "http" or scope["method"] != "POST" or (self._with_tokens and not is_authenticated):
            # A request without a token is refused before its body is read.
            await self._app(scope, receive, send)
            return
        with self._room.of(principal_of(scope)) as share:
            try:
                async with asyncio.timeout(self._patience):
                    messages = await self._read(receive, share)
            except TimeoutError:
                await _refused(408, f"the request did not arrive within {self._patience:g} s")(scope, receive, send)
                return
            except NoRoom:
                await _refused(503, "too many large requests of this client are under way: try again")(scope, receive, send)
                return
            if has_too_many_values(b"".join(message.get("body", b"") for message in messages)):
                await _refused(413, too_many_values())(scope, receive, send)
                return
            if isinstance(user, AuthenticatedUser) and (refused := self._refusal(user, messages)) is not None:
                await refused(scope, receive, send)
                return
            await self._app(scope, noticing(scope, _replayed(messages, receive)), send)

    async def _read(self, receive: Receive, share: Share) -> list[Message]:
        """The whole request, or so much of it as tells that it is too large, which is answered behind us. Raises NoRoom."""
        messages, size = [], 0
        while True:
            message = await receive()
            messages.append(message)
            size += (arrived := len(message.get("body", b"")))
            share.add(arrived)
            if message["type"] != "http.request" or not message.get("more_body") or size > self._limit:
                return messages

    def _refusal(self, user: AuthenticatedUser, messages: list[Message]) -> Response | None:
        allowed = set(user.access_token.scopes)
        if allowed >= _EVERYTHING:
            return None
        try:
            request = json.loads(b"".join(message.get("body", b"") for message in messages))
            needed = self._needed(request["method"], request["params"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            # The SDK answers malformed requests.
            return None
        return None if needed <= allowed else self._insufficient(request.get("id"), needed, allowed)

    def _insufficient(self, request_id: Any, needed: set[str], allowed: set[str]) -> Response:
        text = f"insufficient_scope: the token lacks {', '.join(sorted(needed - allowed))}"
        parts = [
            'error="insufficient_scope"',
            f'error_description="{text}"',
            # What the token has already stays asked for: clients replace the one by the other.
            f'scope="{" ".join(scope for scope in SCOPES if scope in needed | allowed)}"',
        ]
        if self._metadata_url:
            parts.append(f'resource_metadata="{self._metadata_url}"')
        data = {"error": "insufficient_scope", "required_scopes": sorted(needed)}
        error = {"code": INVALID_REQUEST, "message": text, "data": data}
        content = {"jsonrpc": "2.0", "id": request_id, "error": error}
        return JSONResponse(content, 403, {"WWW-Authenticate": f"Bearer {', '.join(parts)}"})


def _refused(status: int, reason: str) -> Response:
    error = {"code": INVALID_REQUEST, "message": reason}
    headers = {"Connection": "close"} | ({"Retry-After": "1"} if status == 503 else {})
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status, headers)


def _replayed(messages: list[Message], receive: Receive) -> Receive:
    waiting = iter(messages)

    async def replay() -> Message:
        message = next(waiting, None)
        return message if message is not None else await receive()

    return replay
