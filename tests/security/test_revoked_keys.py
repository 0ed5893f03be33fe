"""Keys of an OAuth issuer: one that was taken off its list opens nothing any more, and unknown ones cost the issuer nothing."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from boruna_ls.mcp.http import auth

ISSUER, AUDIENCE = "https://issuer.example", "https://boruna.example/mcp"
PATIENCE = 10.0


class Issuer:
    """Serves the keys that it has published at the moment, and counts how often somebody asks."""

    def __init__(self) -> None:
        self.keys = {name: ec.generate_private_key(ec.SECP256R1()) for name in ("old", "new")}
        self.published = ["old", "new"]
        self.asked = 0

    def token(self, name: str, kid: str = "") -> str:
        claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "exp": int(time.time()) + 600, "scope": "read"}
        return jwt.encode(claims, self.keys[name], "ES256", headers={"kid": kid or name})

    def document(self) -> bytes:
        listed = [
            {**ECAlgorithm.to_jwk(self.keys[name].public_key(), as_dict=True), "kid": name, "use": "sig"}
            for name in self.published
        ]
        return json.dumps({"keys": listed}).encode()


@pytest.fixture
def issuer() -> Iterator[tuple[Issuer, str]]:
    known = Issuer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known.asked += 1
            self.send_response(200)
            self.end_headers()
            self.wfile.write(known.document())

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield known, f"http://127.0.0.1:{server.server_port}/keys"
    server.shutdown()
    server.server_close()


def is_valid(tokens: auth.SignedTokens, token: str) -> bool:
    return asyncio.run(tokens.verify_token(token)) is not None


def test_a_revoked_key_is_forgotten(issuer: tuple[Issuer, str], monkeypatch: pytest.MonkeyPatch) -> None:
    known, url = issuer
    assert auth.KEYS_LIVE <= 300
    monkeypatch.setattr(auth, "KEYS_LIVE", 0.2)
    tokens = auth.SignedTokens(ISSUER, AUDIENCE, jwks_url=url)
    assert is_valid(tokens, known.token("old"))
    known.published.remove("old")
    deadline = time.monotonic() + PATIENCE
    while is_valid(tokens, known.token("old")):
        assert time.monotonic() < deadline, "a revoked key is still good"
        time.sleep(0.05)
    assert is_valid(tokens, known.token("new"))


def test_unknown_keys_are_not_asked_for_again_and_again(issuer: tuple[Issuer, str]) -> None:
    known, url = issuer
    tokens = auth.SignedTokens(ISSUER, AUDIENCE, jwks_url=url)
    assert is_valid(tokens, known.token("old"))
    assert not any(is_valid(tokens, known.token("old", f"made-up-{number}")) for number in range(20))
    assert known.asked <= 2
