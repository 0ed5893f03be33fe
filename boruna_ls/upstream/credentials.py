"""Authorizations without a person, for clients that are registered at an authorization server.

The proof is a secret, a private key, the token of a workload, or an identity that a company's identity provider vouches for.
Every way names the authorization server (`issuer`), so that no MCP server can have a proof sent elsewhere.
"""

from __future__ import annotations

from typing import Any, Final

import httpx2
from mcp.client.auth import OAuthFlowError
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.client.auth.extensions.identity_assertion import IdentityAssertionOAuthProvider
from mcp.shared.auth import OAuthClientInformationFull

from boruna_ls.upstream.bounded import Bounded
from boruna_ls.upstream.configuration import ClientCredentials, IdentityProvider

_BEARER: Final = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_EXCHANGE: Final = "urn:ietf:params:oauth:grant-type:token-exchange"
_TOKEN: Final = "urn:ietf:params:oauth:token-type:"
_SECONDS: Final = 30.0


def by_credentials(url: str, storage: Any, client: ClientCredentials) -> httpx2.Auth:
    """The authorization for a server; `client` has its variables filled in."""
    options: dict[str, Any] = {"scope": client.scope, "issuer": client.issuer}
    if client.assertion is not None:
        return _Workload(url, storage, client)
    if client.private_key is not None:
        signed = SignedJWTParameters(
            issuer=client.client_id,
            subject=client.client_id,
            signing_key=client.private_key,
            signing_algorithm=client.algorithm,
        )
        return PrivateKeyJWTOAuthProvider(url, storage, client.client_id, signed.create_assertion_provider(), **options)
    secret = client.client_secret or ""
    if client.identity_provider is None:
        return ClientCredentialsOAuthProvider(url, storage, client.client_id, secret, **options)
    provider = client.identity_provider

    async def vouched(audience: str, resource: str) -> str:
        return await _exchanged(provider, audience, resource)

    # Such servers know their clients by HTTP's own way, unless they say otherwise.
    options["token_endpoint_auth_method"] = "client_secret_basic"
    return IdentityAssertionOAuthProvider(url, storage, client.client_id, secret, assertion_provider=vouched, **options)


class _Workload(ClientCredentialsOAuthProvider):
    """A token that the platform has given to this process stands for the client (RFC 7523)."""

    def __init__(self, url: str, storage: Any, client: ClientCredentials) -> None:
        super().__init__(url, storage, client.client_id, "", scope=client.scope, issuer=client.issuer)
        self._client = client
        self._fixed_client_info = OAuthClientInformationFull(
            redirect_uris=None, client_id=client.client_id, grant_types=[_BEARER], token_endpoint_auth_method="none"
        )

    async def _exchange_token_client_credentials(self) -> httpx2.Request:
        # The library has found the token endpoint, and compared its server with the configured one.
        checked = await super()._exchange_token_client_credentials()
        asked = {"grant_type": _BEARER, "assertion": self._client.assertion or "", "client_id": self._client.client_id}
        if self.context.should_include_resource_param(self.context.protocol_version):
            asked["resource"] = self.context.get_resource_url()
        if self.context.client_metadata.scope:
            asked["scope"] = self.context.client_metadata.scope
        return httpx2.Request("POST", checked.url, data=asked)


async def _exchanged(provider: IdentityProvider, audience: str, resource: str) -> str:
    """The statement of an identity provider about its user, for an authorization server and a resource (RFC 8693)."""
    asked = {
        "grant_type": _EXCHANGE,
        "requested_token_type": f"{_TOKEN}id-jag",
        "audience": audience,
        "resource": resource,
        "subject_token": provider.id_token,
        "subject_token_type": f"{_TOKEN}id_token",
        "client_id": provider.client_id,
    }
    async with httpx2.AsyncClient(transport=Bounded(httpx2.AsyncHTTPTransport()), timeout=_SECONDS) as http:
        answer = await http.post(provider.token_endpoint, data=asked)
    try:
        body = answer.json()
    except ValueError:
        body = None
    token = body.get("access_token") if isinstance(body, dict) else None
    if answer.status_code != 200 or not isinstance(token, str):
        raise OAuthFlowError(f"the identity provider refused: status {answer.status_code}")
    return token
