"""Serves a page to a browser of this machine: on its own address only, under paths that begin with a secret.

Any program and any page in a browser reaches a port of this machine. So the address holds an unguessable token, requests
must name us as their host (no foreign name that resolves to 127.0.0.1), and only our own page may send any.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from analysis.data_classes import dataclass
from boruna_ls.local_page.files import POLICY, PageFiles
from boruna_ls.patience import patient
from boruna_ls.wire.tcp import listen_at

HOST: Final = "127.0.0.1"
_MOST_CONNECTIONS: Final = 256
_SILENCE: Final = 10.0
"""Seconds that a connection may take to send a request, or to take what it has asked for."""
_HEARTBEAT: Final = 15.0
_PATIENCE: Final = 30.0
_GRACE: Final = 1
"""Seconds that open streams have at the end."""
_HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
Listen = Callable[[Request], Response]
Act = Callable[[bytes], Awaitable[None]]


class BadAction(Exception):
    """An action of the page cannot be carried out; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class Address:
    """Address of a page."""

    port: int
    token: str

    @property
    def url(self) -> str:
        """URL for a browser; it gives all rights of the page."""
        return f"http://{HOST}:{self.port}/{self.token}/"


@contextlib.asynccontextmanager
async def serving(app: ASGIApp, port: int = 0, token: str = "") -> AsyncIterator[Address]:
    """Serves an app while the block runs. `port` 0 is any free one. Raises OSError if the address cannot be had."""
    with contextlib.closing(listen_at(HOST, port, 128)) as listener:
        address = Address(listener.getsockname()[1], token or secrets.token_urlsafe(24))
        server = _Server(_config(_Door(app, address)))
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            while not server.started:
                if task.done():
                    raise OSError("the page's server ended as soon as it was started")
                await asyncio.sleep(0.005)
            yield address
        finally:
            server.should_exit = True
            await task


def page_app(page: PageFiles, events: Listen, act: Act, most_bytes: int) -> Starlette:
    """The page, its stream of events, and its actions: JSON of at most so many bytes; `act` may raise BadAction."""

    async def html(_: Request) -> Response:
        return Response(page.linked(), media_type="text/html")

    async def script(_: Request) -> Response:
        return Response(page.script(), media_type="text/javascript")

    async def style(_: Request) -> Response:
        return Response(page.style(), media_type="text/css")

    async def listen(request: Request) -> Response:
        return events(request)

    async def do(request: Request) -> Response:
        return await _acted(request, act, most_bytes)

    shown = {"": html, "page.js": script, "page.css": style, "events": listen}
    listed = [Route(f"/{name}", endpoint, methods=["GET"]) for name, endpoint in shown.items()]
    return Starlette(routes=[*listed, Route("/act", do, methods=["POST"])])


async def _acted(request: Request, act: Act, most_bytes: int) -> Response:
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return PlainTextResponse("an action is JSON", 415)
    data = bytearray()
    try:
        async with asyncio.timeout(_PATIENCE):
            async for piece in request.stream():
                data += piece
                if len(data) > most_bytes:
                    return PlainTextResponse(f"an action may have {most_bytes} bytes at most", 413)
        await act(bytes(data))
    except BadAction as error:
        return PlainTextResponse(str(error), 400)
    except (TimeoutError, ClientDisconnect):
        return PlainTextResponse("the action did not arrive", 408)
    return Response(status_code=204)


def stream(listeners: list[Callable[[], None]], update: Callable[[], str], most: int) -> Response:
    """Events of `update`, which gives JSON: now, and whenever one of the listeners is called.

    Of changes that a page has not read yet it gets only the last.
    """
    if len(listeners) >= most:
        return PlainTextResponse("too many pages already show this: close some", 503)
    return StreamingResponse(_events(listeners, update), media_type="text/event-stream")


async def _events(listeners: list[Callable[[], None]], update: Callable[[], str]) -> AsyncIterator[bytes]:
    changed = asyncio.Event()
    listeners.append(changed.set)
    try:
        while True:
            changed.clear()
            # JSON has its line ends escaped, and so has no empty line that would end the event.
            yield f"data: {update()}\n\n".encode("utf-8", "backslashreplace")
            while not changed.is_set():
                try:
                    await asyncio.wait_for(changed.wait(), _HEARTBEAT)
                except TimeoutError:
                    yield b": still there\n\n"
    finally:
        listeners.remove(changed.set)


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        # Whoever connects and says nothing keeps the page from nobody for long.
        http=patient(_SILENCE),
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=_GRACE,
        server_header=False,
    )


class _Server(uvicorn.Server):
    """Leave signals to the event loop's owner."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Door:
    """Admit requests with our name and the token, and answer all others alike; add the security headers to every answer."""

    def __init__(self, app: ASGIApp, address: Address) -> None:
        self._app = app
        self._hosts = {f"{name}:{address.port}".encode() for name in (HOST, "localhost")}
        self._origins = {b"http://" + name for name in self._hosts}
        self._token = address.token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        token, _, rest = str(scope["path"]).removeprefix("/").partition("/")
        refusal = self._refusal(scope["method"], headers, token)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        await self._app(dict(scope) | {"path": f"/{rest}"}, receive, guarded)

    def _refusal(self, method: str, headers: dict[bytes, bytes], token: str) -> Response | None:
        if headers.get(b"host") not in self._hosts:
            return PlainTextResponse("this server answers to its own address only", 421)
        origin = headers.get(b"origin")
        if (origin is not None or method != "GET") and origin not in self._origins:
            return PlainTextResponse("this server answers its own page only", 403)
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            return PlainTextResponse("no such page", 404)
        return None
