"""An MCP server that wants an authorization, with its authorization server, on a port of this machine.

Clients register, a person consents on a page, tokens expire and are refreshed.
"""

from __future__ import annotations

import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from mcp.server import MCPServer
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

PAGE = """<html><body><h1>Authorize</h1><form method="post" action="/consent">
<input type="hidden" name="request" value="{request}"><button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button></form></body></html>"""


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Clients, codes and tokens in memory; `seconds`: how long an access token is valid."""

    def __init__(self, base: str, seconds: int) -> None:
        self.base = base
        self.seconds = seconds
        self.refreshed = 0
        self.waiting: dict[str, tuple[OAuthClientInformationFull, AuthorizationParams]] = {}
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self._codes: dict[str, AuthorizationCode] = {}
        self._access: dict[str, AccessToken] = {}
        self._refresh: dict[str, RefreshToken] = {}

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[str(client_info.client_id)] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        request = secrets.token_urlsafe(8)
        self.waiting[request] = client, params
        return f"{self.base}/consent?request={request}"

    def decided(self, request: str, is_allowed: bool) -> str:
        """URL to which the browser is redirected after the person has decided."""
        client, params = self.waiting.pop(request)
        if not is_allowed:
            return construct_redirect_uri(str(params.redirect_uri), error="access_denied", state=params.state)
        code = secrets.token_urlsafe(32)
        self._codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=str(client.client_id),
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self._codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self._codes[authorization_code.code]
        return self._tokens(client, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        return self._refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        del self._refresh[refresh_token.token]
        self.refreshed += 1
        return self._tokens(client, scopes, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        found = self._access.get(token)
        return found if found is not None and (found.expires_at or 0) > time.time() else None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self._access.pop(token.token, None)
        self._refresh.pop(token.token, None)

    def revoke_all(self) -> None:
        """No token is valid any more."""
        self._access.clear()
        self._refresh.clear()

    def _tokens(self, client: OAuthClientInformationFull, scopes: list[str], resource: str | None) -> OAuthToken:
        access, refresh, owner = secrets.token_urlsafe(24), secrets.token_urlsafe(24), str(client.client_id)
        ends = int(time.time()) + self.seconds + 1  # never before the client believes it
        self._access[access] = AccessToken(token=access, client_id=owner, scopes=scopes, expires_at=ends, resource=resource)
        self._refresh[refresh] = RefreshToken(token=refresh, client_id=owner, scopes=scopes, resource=resource)
        return OAuthToken(
            access_token=access, token_type="Bearer", expires_in=self.seconds, refresh_token=refresh, scope=" ".join(scopes)
        )


@contextmanager
def authorizing_server(seconds: int) -> Iterator[Provider]:
    """Serves until the block ends; the tool `whoami` needs a token, which is valid for so many seconds."""
    with socket.create_server(("127.0.0.1", 0)) as place:
        base = f"http://127.0.0.1:{place.getsockname()[1]}"
        provider = Provider(base, seconds)
        settings = AuthSettings.model_validate(
            {
                "issuer_url": base,
                "resource_server_url": f"{base}/mcp",
                "validate_token_resource": True,
                "client_registration_options": ClientRegistrationOptions(enabled=True),
            }
        )
        server = MCPServer("authorizing", auth_server_provider=provider, auth=settings)

        @server.tool()
        def whoami() -> str:
            """Name of the caller."""
            return "the owner"

        @server.custom_route("/consent", methods=["GET", "POST"])
        async def consent(request: Request) -> Response:
            if request.method == "GET":
                return HTMLResponse(PAGE.format(request=request.query_params["request"]))
            form = await request.form()
            return RedirectResponse(provider.decided(str(form["request"]), form["decision"] == "allow"), status_code=303)

        # Clients keep a stream open on which they are told of changes.
        web = uvicorn.Config(server.streamable_http_app(), log_level="error", timeout_graceful_shutdown=0)
        serving = uvicorn.Server(web)
        thread = threading.Thread(target=serving.run, args=([place],))
        thread.start()
        try:
            yield provider
        finally:
            serving.should_exit = True
            thread.join()
