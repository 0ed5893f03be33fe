"""The HTTP server: the SDK's app around the one server object, with its door (Host, Origin, tokens) and its limits."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final
from urllib.parse import urlsplit

import uvicorn
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend
from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.routes import build_resource_metadata_url
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from boruna_ls import __version__
from boruna_ls.mcp.calls import DEADLINE
from boruna_ls.mcp.http.auth import SCOPES, SignedTokens, StaticToken
from boruna_ls.mcp.http.gate import Gate
from boruna_ls.mcp.http.options import HttpOptions
from boruna_ls.mcp.http.sessions import share_out
from boruna_ls.mcp.http.splicing import Splicing
from boruna_ls.mcp.peers import ManyPeers
from boruna_ls.mcp.server import make_server
from boruna_ls.mcp.toolsets import Selection, select
from boruna_ls.patience import patient
from boruna_ls.wire.tcp import listen_at
from boruna_ls.workspace import Host

PATH: Final = "/mcp"
HEALTH: Final = "/health"
_BACKLOG: Final = 1024
_GRACE: Final = 3
"""Seconds that open streams have at the end."""


@contextlib.asynccontextmanager
async def serving(
    host: Host,
    options: HttpOptions,
    selection: Selection | None = None,
    deadline: float = DEADLINE,
    libs_dir: str | None = None,
) -> AsyncIterator[int]:
    """Serves while the body runs; gives the port. Raises OSError if the address cannot be had."""
    with contextlib.closing(listen_at(options.host, options.port, _BACKLOG)) as listener, contextlib.ExitStack() as at_end:
        port: int = listener.getsockname()[1]
        peers = ManyPeers(host, options.roots, selection or select(), deadline, libs_dir)
        at_end.callback(peers.end)
        app = make_app(peers, options, port)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="on",
            http=patient(options.patience),
            limit_concurrency=options.max_connections,
            timeout_graceful_shutdown=_GRACE,
            server_header=False,
        )
        server = _Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            while not server.started:
                if task.done():
                    raise OSError(f"the HTTP server ended as soon as it was started ({task.exception() or 'the log says why'})")
                await asyncio.sleep(0.01)
            yield port
        finally:
            server.should_exit = True
            if not task.done():
                await task


def make_app(peers: ManyPeers, options: HttpOptions, port: int) -> Starlette:
    """The ASGI application."""
    verifier, auth = _authentication(options, port)
    resource = auth.resource_server_url if auth is not None else None
    server = make_server(peers, splices=True)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=options.max_request,
        session_idle_timeout=options.session_ttl,
        max_sessions=options.max_sessions,
        transport_security=_security(options, port),
        auth=auth,
        token_verifier=verifier,
        custom_starlette_routes=[Route(HEALTH, _health, methods=["GET"])],
    )
    if auth is not None:
        share_out(server.session_manager)
    for route in app.routes:
        if isinstance(route, Route) and route.path == PATH:
            route.app = Gate(
                Splicing(route.app),
                peers.needed,
                with_tokens=verifier is not None,
                metadata_url=str(build_resource_metadata_url(resource)) if resource is not None else "",
                patience=options.patience,
                limit=options.max_request,
            )
    if verifier is not None and auth is None:
        app.add_middleware(AuthenticationMiddleware, backend=BearerAuthBackend(verifier))
    return app


class _Server(uvicorn.Server):
    """Leave signals to the event loop's owner."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _health(_: Request) -> Response:
    """Health check: the process answers, and nothing else; needs no authentication."""
    return Response(json.dumps({"status": "ok", "version": __version__}), media_type="application/json")


def _authentication(options: HttpOptions, port: int) -> tuple[TokenVerifier | None, AuthSettings | None]:
    if options.token:
        return StaticToken(options.token), None
    if not options.issuer:
        return None, None
    url = options.public_url or f"http://{_bracketed(options.host)}:{port}{PATH}"
    settings: dict[str, Any] = {
        "issuer_url": options.issuer,
        "resource_server_url": url,
        "required_scopes": [SCOPES[0]],
        # The verifier compares the audience itself: it need not be our URL.
        "validate_token_resource": False,
    }
    return SignedTokens(options.issuer, options.audience or url, options.key_file, options.jwks_url), AuthSettings(**settings)


def _security(options: HttpOptions, port: int) -> TransportSecuritySettings:
    """Allowed values of `Host` and `Origin`: no others, whatever a name resolves to."""
    names = ["127.0.0.1", "localhost", "[::1]"] if options.is_loopback else [_bracketed(options.host)]
    hosts = [f"{name}:{port}" for name in names] + list(options.allowed_hosts)
    origins = [f"http://{name}:{port}" for name in names] + list(options.allowed_origins)
    if options.public_url:
        url = urlsplit(options.public_url)
        hosts.append(url.netloc)
        origins.append(f"{url.scheme}://{url.netloc}")
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
