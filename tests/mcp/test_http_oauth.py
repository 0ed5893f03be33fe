"""OAuth 2: tokens of an issuer, signed, meant for us, in time, and with the scopes that a call needs."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from mcp.shared.exceptions import MCPError

from boruna_ls.mcp.tasks import IDENTIFIER
from tests.support.http_server import HttpServer, http_server
from tests.support.mcp_lines import call, envelope, initialize, request

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
ISSUER = "https://issuer.example"
AUDIENCE = "https://boruna.example/mcp"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def pem(key: rsa.RSAPrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def token(scope: Any = "read", key: Any = KEY, algorithm: str = "RS256", kid: str | None = None, **claims: Any) -> str:
    now = int(time.time())
    # Some are made when the tests are collected and used many minutes later.
    made = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "exp": now + 86_400, "iat": now, "scope": scope, **claims}
    made = {name: value for name, value in made.items() if value is not None}
    return jwt.encode(made, key, algorithm=algorithm, headers={"kid": kid} if kid else None)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    folder = tmp_path_factory.mktemp("oauth")
    (folder / "key.pem").write_bytes(pem(KEY))
    keys = ["--jwt-issuer", ISSUER, "--jwt-audience", AUDIENCE, "--jwt-key-file", str(folder / "key.pem")]
    with http_server(*keys, cwd=folder) as started:
        yield started


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_scopes_bound_what_a_token_can_do(server: HttpServer, mode: str) -> None:
    async with server.client(mode, token("read")) as client:
        assert (await client.call_tool("boruna_check", {"source": CLEAN})).structured_content
        with pytest.raises(MCPError) as refused:
            await client.call_tool("boruna_run", {"source": CLEAN})
        assert refused.value.data == {"error": "insufficient_scope", "required_scopes": ["run"]}
    async with server.client(mode, token("read run")) as client:
        answer = (await client.call_tool("boruna_run", {"source": CLEAN})).structured_content
        assert (answer or {})["result"] == 11
        with pytest.raises(MCPError) as refused:
            await client.call_tool("boruna_run_live", {"source": CLEAN})
        assert "write" in refused.value.message
    async with server.client(mode, token(None, scp=["read", "run", "write"])) as client:
        answer = (await client.call_tool("boruna_run_live", {"source": CLEAN})).structured_content
        assert (answer or {})["result"] == 11


async def test_a_token_that_may_only_read_neither_answers_nor_cancels_nor_continues_tasks(server: HttpServer) -> None:
    ask = 'fn main() -> String !{llm.call} {\n    llm_call("first?") ++ llm_call("second?") ++ llm_call("third?")\n}\n'

    def sent(method: str, scope: str, **params: Any) -> httpx2.Response:
        headers = {"authorization": f"Bearer {token(scope)}", "mcp_protocol_version": "2026-07-28"}
        message = request(5, method, {**params, "_meta": envelope(IDENTIFIER)})
        return server.post(message, mcp_method=method, mcp_name=params["taskId"], **headers)

    async with server.client("2026-07-28", token("read run")) as writer, server.client("2026-07-28", token("read")) as reader:

        async def called(client: Any, tool: str, **arguments: Any) -> dict[str, Any]:
            return dict((await client.call_tool(tool, arguments)).structured_content or {})

        await called(writer, "load", programId="ask", source=ask)
        await called(writer, "start", programId="ask", executionId="asked")
        handle = (await called(writer, "getTask", executionId="asked"))["handle"]
        await called(writer, "submitTask", executionId="asked", result="one")
        # A reader sees the task, and does not run the program.
        assert sent("tasks/get", "read", taskId=handle).json()["result"]["status"] == "working"
        assert (await called(reader, "boruna_wait", handle=handle, seconds=1))["status"] == "working"
        assert (await called(reader, "status", executionId="asked"))["state"] == "RUNNING"
        task = (await called(writer, "getTask", executionId="asked"))["taskId"]
        answers = {task: {"action": "accept", "content": {"answer": "of a reader"}}}
        for refused in (
            sent("tasks/update", "read", taskId=handle, inputResponses=answers),
            sent("tasks/cancel", "read", taskId=handle),
        ):
            assert (refused.status_code, refused.json()["error"]["data"]["error"]) == (403, "insufficient_scope")
            assert 'scope="read run"' in refused.headers["www-authenticate"]
        assert sent("tasks/get", "read", taskId=handle).json()["result"]["status"] == "input_required"
        assert (await called(reader, "get_execution", executionId="asked"))["tasks"][1].get("answer") is None
        assert sent("tasks/update", "read run", taskId=handle, inputResponses=answers).status_code == 200
        assert sent("tasks/cancel", "read run", taskId=handle).status_code == 200
        assert sent("tasks/get", "read", taskId=handle).json()["result"]["status"] == "cancelled"


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
def test_a_token_with_too_few_scopes_is_told_which_ones_it_needs(server: HttpServer, version: str) -> None:
    """Status and header as the protocol's chapter on authorization asks for, so that clients can get a better token."""
    trial = {"path": "x.ax", "candidates": [{"text": CLEAN}], "run": True}
    for tool, arguments, had, needed in (
        ("boruna_run", {"source": CLEAN}, "read", "read run"),
        ("boruna_run_live", {"source": CLEAN}, "read run", "read run write"),
        ("try_edits", trial, "read", "read run"),
    ):
        headers = {"authorization": f"Bearer {token(had)}", "mcp_protocol_version": version}
        refused = server.post(call(7, tool, **arguments), **headers)
        assert refused.status_code == 403
        told = refused.headers["www-authenticate"]
        assert told.startswith("Bearer ")
        assert 'error="insufficient_scope"' in told
        assert f'scope="{needed}"' in told
        assert "/.well-known/oauth-protected-resource" in told
        assert (refused.json()["id"], refused.json()["error"]["data"]["error"]) == (7, "insufficient_scope")


class Wrong(NamedTuple):
    name: str
    token: str
    status: int = 401


WRONG = [
    Wrong("another key", token(key=OTHER)),
    Wrong("another issuer", token(iss="https://evil.example")),
    Wrong("another audience", token(aud="https://other.example")),
    Wrong("no audience", token(aud=None)),
    Wrong("no end", token(exp=None)),
    Wrong("no subject", token(sub=None)),
    Wrong("expired", token(exp=int(time.time()) - 60)),
    # Made when the tests are collected, perhaps long before this one runs.
    Wrong("not yet valid", token(nbf=int(time.time()) + 86_400)),
    Wrong("no signature", jwt.encode({"iss": ISSUER, "aud": AUDIENCE, "sub": "a", "exp": 2**33}, "", algorithm="none")),
    # The public key as a shared secret is the oldest trick.
    Wrong("a shared secret", jwt.encode({"iss": ISSUER, "aud": AUDIENCE, "sub": "a", "exp": 2**33}, "s" * 64, algorithm="HS512")),
    Wrong("another kind of key", token(key=ec.generate_private_key(ec.SECP256R1()), algorithm="ES256")),
    Wrong("no token", "nonsense"),
    Wrong("only dots", ".."),
    Wrong("other scopes", token("run write"), 403),
    Wrong("no scopes", token(None), 403),
    Wrong("scopes of a strange kind", token({"read": True}), 403),
]


@pytest.mark.parametrize("wrong", WRONG, ids=[wrong.name for wrong in WRONG])
def test_wrong_tokens_are_refused(server: HttpServer, wrong: Wrong) -> None:
    for version in ("2025-11-25", "2026-07-28"):
        answer = server.post(initialize(1), authorization=f"Bearer {wrong.token}", mcp_protocol_version=version)
        assert answer.status_code == wrong.status
        assert "resource_metadata=" in answer.headers["www-authenticate"]


def test_clients_are_told_where_tokens_come_from(server: HttpServer) -> None:
    refused = server.post(initialize(1)).headers["www-authenticate"]
    metadata = httpx2.get(refused.split('resource_metadata="')[1].split('"')[0], timeout=60).json()
    assert metadata["resource"] == server.url
    assert metadata["authorization_servers"] == [ISSUER]


def test_a_session_belongs_to_who_opened_it(server: HttpServer) -> None:
    mine = {"authorization": f"Bearer {token('read')}"}
    session = server.post(initialize(1), **mine).headers["mcp-session-id"]
    stolen = {"authorization": f"Bearer {token('read', sub='eve')}"}
    assert server.post(call(2, "boruna_check", source=CLEAN), **stolen, mcp_session_id=session).status_code == 404
    assert server.post(call(2, "boruna_check", source=CLEAN), **mine, mcp_session_id=session).status_code == 200


def test_one_principal_takes_no_more_than_its_share_of_the_sessions(tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_bytes(pem(KEY))
    keys = ["--jwt-issuer", ISSUER, "--jwt-audience", AUDIENCE, "--jwt-key-file", str(tmp_path / "key.pem")]
    with http_server(*keys, "--max-sessions", "8", cwd=tmp_path) as server:
        ours, theirs = ({"authorization": f"Bearer {token('read', sub=name)}"} for name in ("ann", "bob"))
        opened = [server.post(initialize(1), **theirs) for _ in range(4)]
        assert [answer.status_code for answer in opened] == [200, 200, 503, 503]
        assert server.post(initialize(1), **ours).status_code == 200
        ended = {**theirs, "mcp-session-id": opened[0].headers["mcp-session-id"]}
        assert httpx2.delete(server.url, headers=ended, timeout=60).status_code == 200
        assert server.post(initialize(1), **theirs).status_code == 200


async def test_keys_that_the_issuer_publishes(tmp_path: Path) -> None:
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
    document = json.dumps({"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]}).encode()

    class Keys(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(document)

        def log_message(self, *_: Any) -> None:
            """The test's output is not for this."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Keys) as issuer:
        threading.Thread(target=issuer.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{issuer.server_address[1]}/keys"
        with http_server("--jwt-issuer", ISSUER, "--jwt-audience", AUDIENCE, "--jwks-url", url, cwd=tmp_path) as server:
            async with server.client("2026-07-28", token("read", kid="one")) as client:
                assert (await client.call_tool("boruna_check", {"source": CLEAN})).structured_content
            unknown = server.post(initialize(1), authorization=f"Bearer {token('read', kid='two')}")
            assert unknown.status_code == 401
        issuer.shutdown()


async def test_principals_see_nothing_of_each_other(server: HttpServer) -> None:
    """Neither programs, executions and their resources, nor sandboxes."""
    source = 'fn main() -> String !{llm.call} {\n    llm_call("Secret?")\n}\n'
    ours, theirs = (token("read run write", sub=name) for name in ("ann", "bob"))
    async with server.client(token=ours) as ann, server.client(token=theirs) as bob:

        async def answer_of(client: Any, tool: str, **arguments: Any) -> tuple[bool, str]:
            result = await client.call_tool(tool, arguments)
            return bool(result.is_error), result.content[0].text

        assert not (await answer_of(ann, "load", programId="p", source=source))[0]
        assert not (await answer_of(ann, "start", programId="p", executionId="mine"))[0]
        assert "Secret?" in (await answer_of(ann, "getTask", executionId="mine"))[1]
        for tool, rest in (("getTask", {}), ("submitTask", {"result": "x"}), ("get_execution", {}), ("delete_execution", {})):
            is_error, text = await answer_of(bob, tool, executionId="mine", **rest)
            assert is_error, tool
            assert "unknown_execution" in text or "no execution" in text, text
        assert '"mine"' not in (await answer_of(bob, "list_executions"))[1]
        assert '"p"' not in (await answer_of(bob, "list_programs"))[1]
        made = json.loads((await answer_of(ann, "create_sandbox", files={"a": "secret"}))[1])
        if made["success"]:  # where sandboxes can be made
            name = made["sandbox_id"]
            for tool, rest in (("read_file", {"path": "a"}), ("run_command", {"command": "ls"}), ("destroy_sandbox", {})):
                is_error, text = await answer_of(bob, tool, sandbox_id=name, **rest)
                assert is_error, tool
                assert "not found" in text, text
            assert name not in (await answer_of(bob, "list_sandboxes"))[1]
            assert "secret" in (await answer_of(ann, "read_file", sandbox_id=name, path="a"))[1]
