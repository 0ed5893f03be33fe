"""Tokens bound to a key: a server that takes them with a proof only, and a client that is started anew in between."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import jwt
import pytest
from mcp.shared.auth import OAuthToken

from boruna_ls.upstream.dpop import Proofs
from boruna_ls.upstream.http import Tokens

NONCE = "of the day"


class Handler(BaseHTTPRequestHandler):
    """Metadata, tokens that are bound to the key of the proof, and a page for those who have one."""

    keys: dict[str, Any]
    """The key of each token."""
    seen: set[str]
    """The proofs that were used."""

    def do_GET(self) -> None:
        if self.path.startswith("/.well-known/"):
            base = f"http://{self.headers['host']}"
            self.say(200, {"token_endpoint": f"{base}/token", "dpop_signing_alg_values_supported": ["ES256"]})
            return
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        key, claims = self.proof()
        digest = base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).rstrip(b"=").decode()
        is_right = scheme == "DPoP" and self.keys.get(token) == key is not None and claims.get("ath") == digest
        self.say(200 if is_right and claims.get("nonce") == NONCE else 401, {})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        key, claims = self.proof()
        if claims.get("nonce") != NONCE:
            self.say(400, {"error": "use_dpop_nonce"})
            return
        token = f"token {len(self.keys)}"
        self.keys[token] = key
        self.say(200, {"access_token": token, "token_type": "DPoP", "expires_in": 60})

    def proof(self) -> tuple[Any, dict[str, Any]]:
        """The key and the claims of the proof of this request; each proof is good for one request."""
        text = self.headers.get("dpop")
        if text is None:
            return None, {}
        key = jwt.get_unverified_header(text)["jwk"]
        claims = jwt.decode(text, jwt.PyJWK(key).key, algorithms=["ES256"])
        assert claims["jti"] not in self.seen
        self.seen.add(claims["jti"])
        assert (claims["htm"], claims["htu"]) == (self.command, f"http://{self.headers['host']}{self.path}")
        return key, claims

    def say(self, status: int, told: dict[str, Any]) -> None:
        """An answer; the nonce is told with each."""
        self.send_response(status)
        self.send_header("dpop-nonce", NONCE)
        self.end_headers()
        self.wfile.write(json.dumps(told).encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def served() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Handler.keys, Handler.seen = {}, set()
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_bound_token_is_used_with_its_key_also_by_the_next_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BORUNA_LS_STATE", str(tmp_path / "state"))

    async def got(base: str) -> str:
        """A token, and a page with it."""
        storage = Tokens(str(tmp_path), "s", base)
        async with httpx2.AsyncClient(transport=Proofs(httpx2.AsyncHTTPTransport(), storage)) as client:
            await client.get(f"{base}/.well-known/oauth-authorization-server")
            told = (await client.post(f"{base}/token", data={"grant_type": "authorization_code"})).json()
            await storage.set_tokens(OAuthToken.model_validate(told))
            return str(told["access_token"])

    async def page(base: str, token: str, workspace: str) -> int:
        transport = Proofs(httpx2.AsyncHTTPTransport(), Tokens(workspace, "s", base))
        async with httpx2.AsyncClient(transport=transport, headers={"authorization": f"Bearer {token}"}) as client:
            return (await client.get(f"{base}/page")).status_code

    with served() as base:
        token = asyncio.run(got(base))
        assert asyncio.run(page(base, token, str(tmp_path))) == 200
        # Who has the token alone has nothing.
        assert asyncio.run(page(base, token, "elsewhere")) == 401
