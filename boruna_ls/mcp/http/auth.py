"""Authentication of callers: one token for everything, or the tokens of an OAuth 2 issuer, verified here (RFC 9068, RFC 8707).

A token that is not valid is treated as absent: the reason is logged and not sent to the caller.
"""

from __future__ import annotations

import hmac
import logging
from pathlib import Path
from typing import Any, Final

import anyio.to_thread
import jwt
from mcp.server.auth.provider import AccessToken

SCOPES: Final = ("read", "run", "write")
"""`read`: files and diagnostics; `run`: programs with mocked effects; `write`: whatever changes something outside."""
ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with a private key only: a shared secret would let this server issue tokens."""
KEYS_LIVE: Final = 300
"""Seconds after which the keys of an issuer are fetched anew: so long a key that was revoked may still be good."""
_LEEWAY: Final = 30
"""Seconds that clocks may differ."""
_log = logging.getLogger(__name__)


class StaticToken:
    """One secret, which gives all rights."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Rights of the token's bearer; None for another token."""
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._token):
            return None
        return AccessToken(token=token, client_id="token", scopes=list(SCOPES))


class SignedTokens:
    """JSON Web Tokens of one issuer, meant for this server."""

    def __init__(self, issuer: str, audience: str, key_file: str = "", jwks_url: str = "") -> None:
        """Raises OSError if the key file cannot be read."""
        self._issuer = issuer
        self._audience = audience
        self._key: Any = Path(key_file).read_bytes() if key_file else None
        self._keys = _keys_of(jwks_url) if jwks_url else None

    async def verify_token(self, token: str) -> AccessToken | None:
        """Rights of the token's bearer; None for a token that is not valid now and for this audience."""
        try:
            # Verifying may fetch the issuer's keys.
            claims = await anyio.to_thread.run_sync(self._claims, token)
            return AccessToken(
                token=token,
                client_id=str(claims.get("client_id") or claims.get("azp") or claims["sub"]),
                scopes=_scopes(claims),
                expires_at=int(claims["exp"]),
                resource=self._audience,
                subject=claims["sub"],
                claims=claims,
            )
        except (jwt.PyJWTError, ValueError, TypeError) as error:
            _log.warning("a token was refused: %s", error)
            return None

    def _claims(self, token: str) -> dict[str, Any]:
        key = self._key if self._keys is None else self._keys.get_signing_key_from_jwt(token).key
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=list(ALGORITHMS),
            issuer=self._issuer,
            audience=self._audience,
            leeway=_LEEWAY,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )
        return claims


def _keys_of(jwks_url: str) -> jwt.PyJWKClient:
    """The issuer's published keys. Only their list is cached, so a revoked key is refused once the cache expires."""
    return jwt.PyJWKClient(jwks_url, cache_keys=False, lifespan=KEYS_LIVE, timeout=10)


def _scopes(claims: dict[str, Any]) -> list[str]:
    """`scope` is a text with blanks between its words, `scp` a list or such a text."""
    given = claims.get("scope", claims.get("scp", ""))
    words = given.split() if isinstance(given, str) else given
    return [word for word in words if isinstance(word, str)] if isinstance(words, list) else []
