"""Tokens that are bound to a key (DPoP, RFC 9449): a stolen one is useless.

Works below the library's authorization, which knows plain tokens only. Where an authorization server offers bound tokens,
requests for tokens and requests with them carry a proof that is signed with the key, and the nonce that a server asks for.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from typing import Any, Final, Protocol

import httpx2
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

_ALGORITHM: Final = "ES256"
_METADATA: Final = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
_ENCODED: Final = ("content-encoding", "content-length")
_MOST: Final = 100
"""Nonces of servers, and addresses where tokens can be asked for, that are remembered."""


class KeyStore(Protocol):
    """Storage of a key between processes."""

    def bound_key(self) -> tuple[str | None, str | None]:
        """The private key (PEM) to which the stored tokens are bound, and where they are refreshed."""

    def set_bound_key(self, key: str, endpoint: str) -> None:
        """Keeps the key of tokens that are about to be stored, "" for tokens that are not bound."""


class Proofs(httpx2.AsyncBaseTransport):
    """Adds proofs to requests; everything else passes unchanged."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, store: KeyStore | None = None) -> None:
        self._inner = inner
        self._store = store
        pem, endpoint = store.bound_key() if store is not None else (None, None)
        self._key = _read(pem) if pem else ec.generate_private_key(ec.SECP256R1())
        self._endpoints = {endpoint} if pem and endpoint else set()
        """Endpoints at which bound tokens can be requested."""
        self._is_bound = bool(pem)
        """True if the token in use is bound."""
        self._nonces: dict[str, str] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        asks = str(request.url) in self._endpoints
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if asks or (self._is_bound and scheme == "Bearer"):
            response = await self._proved(request, "" if asks else token)
            return await self._token_taken(request, response) if asks and response.status_code == 200 else response
        response = await self._inner.handle_async_request(request)
        is_metadata = request.url.path.startswith(_METADATA) and response.status_code == 200
        return await self._metadata_seen(request, response) if is_metadata else response

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _proved(self, request: httpx2.Request, token: str) -> httpx2.Response:
        """Sends a request with a proof, once more if the server wants its nonce in it."""
        origin = f"{request.url.scheme}://{request.url.netloc.decode()}"
        await request.aread()
        if token:
            request.headers["authorization"] = f"DPoP {token}"
        for is_last in (False, True):
            request.headers["dpop"] = self._proof(request, token, self._nonces.get(origin))
            response = await self._inner.handle_async_request(request)
            nonce = response.headers.get("dpop-nonce")
            if nonce and (origin in self._nonces or len(self._nonces) < _MOST):
                self._nonces[origin] = nonce
            if is_last or not nonce or response.status_code not in (400, 401):
                break
            await response.aclose()
        return response

    def _proof(self, request: httpx2.Request, token: str, nonce: str | None) -> str:
        claims: dict[str, Any] = {
            "jti": secrets.token_urlsafe(16),
            "htm": request.method,
            "htu": str(request.url.copy_with(query=None, fragment=None)),
            "iat": int(time.time()),
        }
        if token:
            claims["ath"] = base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).rstrip(b"=").decode()
        if nonce:
            claims["nonce"] = nonce
        key = jwt.algorithms.ECAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        public = {name: key[name] for name in ("kty", "crv", "x", "y")}
        return jwt.encode(claims, self._key, algorithm=_ALGORITHM, headers={"typ": "dpop+jwt", "jwk": public})

    async def _metadata_seen(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        metadata, whole = await _json(request, response)
        offered, endpoint = metadata.get("dpop_signing_alg_values_supported"), metadata.get("token_endpoint")
        offers = isinstance(offered, list) and _ALGORITHM in offered
        if offers and isinstance(endpoint, str) and len(self._endpoints) < _MOST:
            self._endpoints.add(endpoint)
        return whole

    async def _token_taken(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        """The answer with a token as the library expects it; whether it is bound is remembered here."""
        token, whole = await _json(request, response)
        self._is_bound = str(token.get("token_type", "")).lower() == "dpop"
        if self._store is not None:
            self._store.set_bound_key(_written(self._key) if self._is_bound else "", str(request.url))
        if not self._is_bound:
            return whole
        return httpx2.Response(200, json=token | {"token_type": "Bearer"}, request=request)


async def _json(request: httpx2.Request, response: httpx2.Response) -> tuple[dict[str, Any], httpx2.Response]:
    """The object in an answer, empty for anything else, and the answer to be read again."""
    data = await response.aread()
    await response.aclose()
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        body = None
    headers = [(name, value) for name, value in response.headers.items() if name not in _ENCODED]
    whole = httpx2.Response(response.status_code, headers=headers, content=data, request=request)
    return body if isinstance(body, dict) else {}, whole


def _read(pem: str) -> ec.EllipticCurvePrivateKey:
    key = serialization.load_pem_private_key(pem.encode(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return key


def _written(key: ec.EllipticCurvePrivateKey) -> str:
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()
