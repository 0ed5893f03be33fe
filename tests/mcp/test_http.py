"""Streamable HTTP: the official client in both generations of the protocol, the door, the limits."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.support.commands import command
from tests.support.http_server import HttpServer, http_server
from tests.support.mcp_lines import call, initialize, request

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
FAULTY = "fn main() -> Int {\n    five + 6\n}\n"
ENDLESS = "fn main() -> Int {\n    let mut n: Int = 0\n    while n >= 0 { n = n - n }\n    n\n}\n"
BOTH = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
SESSIONS = 8
SESSION = "mcp-session-id"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("http")
    (place / "program.ax").write_text(FAULTY, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[HttpServer]:
    with http_server("--max-sessions", str(SESSIONS), "--max-request", "2000000", cwd=folder) as started:
        yield started


@BOTH
async def test_both_generations_get_the_same_answers(server: HttpServer, mode: str) -> None:
    async with server.client(mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "boruna_check" in names
        result = await client.call_tool("boruna_check", {"path": "program.ax"})
        assert result.structured_content is not None
        assert [one["id"] for one in result.structured_content["diagnostics"]] == ["E003"]
        assert result.structured_content["freshness"]["source"] == "disk"
        refused = await client.call_tool("boruna_check", {})
        assert (refused.is_error, (refused.structured_content or {})["error"]["field"]) == (True, "source")


@BOTH
async def test_structured_content_is_the_value_of_the_text(server: HttpServer, mode: str) -> None:
    odd = r"\"structuredContent\":{\"boruna:same\":\"text\"} \\ \" é 😀"
    source = "".join(f'fn f{n}() -> String {{ g{n}("{odd}") }}\n' for n in range(100))
    async with server.client(mode) as client:
        result = await client.call_tool("boruna_check", {"source": source})
        assert result.structured_content is not None
        assert result.structured_content == json.loads(getattr(result.content[0], "text", ""))
        assert len(result.structured_content["diagnostics"]) >= 100
        ast = await client.call_tool("boruna_ast", {"source": source})
        assert ast.structured_content == json.loads(getattr(ast.content[0], "text", ""))
        assert ast.structured_content is not None
        assert '"structuredContent":{"boruna:same":"text"}' in json.dumps(ast.structured_content).replace("\\", "")


@BOTH
async def test_runs_report_progress_and_answers(server: HttpServer, mode: str) -> None:
    heard: list[float] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)

    loop = "fn main() -> Int {\n    let mut n: Int = 0\n    while n < 200000 { n = n + 1 }\n    n\n}\n"
    async with server.client(mode) as client:
        result = await client.call_tool("boruna_run", {"source": loop}, progress_callback=on_progress)
        assert result.structured_content is not None
        assert result.structured_content["result"] == 200000
        assert heard == sorted(heard)
        assert heard


async def test_files_outside_of_the_served_folders_stay_closed(server: HttpServer, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.ax").write_text(CLEAN, encoding="utf-8")
    (folder / "link.ax").symlink_to(tmp_path / "secret.ax")
    async with server.client() as client:
        for path in (str(tmp_path / "secret.ax"), "../secret.ax", "link.ax"):
            refused = await client.call_tool("boruna_check", {"path": path})
            assert refused.is_error is True
            assert "outside of the folders that are served" in refused.content[0].text  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1:1", ""])
def test_other_hosts_are_refused(server: HttpServer, name: str) -> None:
    assert server.post(initialize(1), host=name).status_code in (400, 421)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost.evil.example"])
def test_pages_of_other_origins_are_refused(server: HttpServer, origin: str) -> None:
    assert server.post(initialize(1), origin=origin).status_code == 403
    modern = request(1, "server/discover", {})
    assert server.post(modern, origin=origin, mcp_protocol_version="2026-07-28").status_code == 403


def test_our_own_origin_is_welcome(server: HttpServer) -> None:
    answer = server.post(initialize(1), origin=server.base)
    assert answer.status_code == 200
    httpx2.delete(server.url, headers={**server.auth, SESSION: answer.headers[SESSION]}, timeout=60)


def test_large_requests_are_refused(server: HttpServer) -> None:
    source = "x" * 2_000_000
    assert server.post(call(1, "boruna_check", source=source)).status_code == 413

    def pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield b" " * 50_000

    streamed = httpx2.post(server.url, content=pieces(), headers={**server.auth, "content-type": "application/json"}, timeout=60)
    assert streamed.status_code == 413


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b'{"jsonrpc": "2.0"}', b"1" * 10_000])
def test_malformed_bodies_are_answered(server: HttpServer, body: bytes) -> None:
    for headers in ({}, {"mcp_protocol_version": "2026-07-28"}):
        assert 400 <= server.post(body, **headers).status_code < 500
    assert httpx2.get(f"{server.base}/health", timeout=60).json()["status"] == "ok"


def test_sessions_are_counted_and_their_place_comes_back(server: HttpServer) -> None:
    opened = [server.post(initialize(1)) for _ in range(SESSIONS + 3)]
    sessions = [answer.headers[SESSION] for answer in opened if answer.status_code == 200]
    assert len(set(sessions)) == len(sessions) == SESSIONS
    assert {answer.status_code for answer in opened} == {200, 503}
    for session in sessions:
        assert httpx2.delete(server.url, headers={**server.auth, SESSION: session}, timeout=60).status_code == 200
        assert server.post(request(2, "ping"), mcp_session_id=session).status_code == 404
    again = server.post(initialize(1))
    assert again.status_code == 200
    httpx2.delete(server.url, headers={**server.auth, SESSION: again.headers[SESSION]}, timeout=60)


def test_idle_sessions_end(folder: Path) -> None:
    with http_server("--session-ttl", "0.3", cwd=folder) as short:
        session = short.post(initialize(1)).headers[SESSION]
        deadline = time.monotonic() + 30
        while short.post(request(2, "ping"), mcp_session_id=session).status_code != 404:
            assert time.monotonic() < deadline
            time.sleep(1)


async def test_many_clients_at_once(server: HttpServer) -> None:
    async def one(number: int) -> Any:
        async with server.client("2026-07-28") as client:
            source = CLEAN.replace("5", str(number))
            answer = (await client.call_tool("boruna_run", {"source": source})).structured_content
            return (answer or {})["result"]

    assert await asyncio.gather(*(one(number) for number in range(20))) == [number + 6 for number in range(20)]


@BOTH
async def test_a_cancelled_call_stops_its_run(server: HttpServer, mode: str) -> None:
    async with server.client(mode) as client:
        steps = 2**60
        run = asyncio.ensure_future(client.call_tool("boruna_run", {"source": ENDLESS, "max_steps": steps}))
        await asyncio.sleep(0.5)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        # Runs wait for a free process: as many as the machine has cores can only end if the cancelled one did.
        done = await asyncio.gather(*(client.call_tool("boruna_run", {"source": CLEAN}) for _ in range(8)))
        assert {(answer.structured_content or {})["result"] for answer in done} == {11}


TOKEN = "a long enough secret"


def test_a_token_is_asked_for(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n", encoding="utf-8")
    with http_server("--token-file", str(file), cwd=folder) as server:
        for headers in (
            {},
            {"authorization": "Bearer wrong"},
            {"authorization": f"Basic {TOKEN}"},
        ):
            for version in ("2025-11-25", "2026-07-28"):
                refused = server.post(initialize(1), **headers, mcp_protocol_version=version)
                assert refused.status_code == 401
                assert refused.headers["www-authenticate"].startswith("Bearer")
        assert httpx2.get(f"{server.base}/health", timeout=60).status_code == 200

        async def checked(mode: str) -> Any:
            async with server.client(mode, TOKEN) as client:
                return (await client.call_tool("boruna_check", {"source": CLEAN})).structured_content

        for mode in ("legacy", "2026-07-28"):
            assert asyncio.run(checked(mode))["success"] is True


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--http", "--no-auth", "--host", "0.0.0.0"], "without authentication"),
        (["--http", "--no-auth", "--host", "192.0.2.1"], "without authentication"),
        (["--http", "--no-auth", "--jwt-issuer", "https://a.example", "--jwks-url", "https://a.example/k"], "exclude each other"),
        (
            ["--http", "--host", "0.0.0.0", "--jwt-issuer", "https://a.example", "--jwks-url", "https://a.example/k"],
            "--public-url",
        ),
        (["--http", "--jwt-issuer", "https://a.example"], "--jwt-key-file or --jwks-url"),
        (["--http", "--token-file", "missing"], "missing"),
        (["--http", "--tools", "boruna_chek"], "no tool is named 'boruna_chek'"),
        (["--http", "--session-ttl", "0"], "positive"),
        ([], "needs --http"),
    ],
)
def test_what_cannot_be_served_is_said(arguments: list[str], words: str, tmp_path: Path) -> None:
    done = subprocess.run([command("boruna-ls"), "serve", *arguments], capture_output=True, encoding="utf-8", cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_short_tokens_are_refused(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("short", encoding="utf-8")
    arguments = ["serve", "--http", "--token-file", str(tmp_path / "token")]
    done = subprocess.run([command("boruna-ls"), *arguments], capture_output=True, encoding="utf-8")
    assert (done.returncode, "16 at least" in done.stderr) == (2, True)


def test_a_port_in_use_is_said(server: HttpServer) -> None:
    arguments = ["serve", "--http", "--port", str(server.port)]
    done = subprocess.run([command("boruna-ls"), *arguments], capture_output=True, encoding="utf-8", timeout=60)
    assert (done.returncode, f"cannot listen at 127.0.0.1:{server.port}" in done.stderr) == (1, True)


def test_a_signal_ends_it_in_the_middle_of_a_run(folder: Path) -> None:
    with http_server(cwd=folder) as server:
        session = server.post(initialize(1)).headers[SESSION]
        body = call(2, "boruna_run", source=ENDLESS, max_steps=2**60)
        with pytest.raises(httpx2.TimeoutException):
            httpx2.post(
                server.url,
                json=body,
                headers={**server.auth, "accept": "application/json, text/event-stream", SESSION: session},
                timeout=1,
            )
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0


@pytest.mark.parametrize("way", [(), ("--standalone",)], ids=["daemon", "alone"])
async def test_the_deadline_of_calls_is_an_option(folder: Path, way: tuple[str, ...]) -> None:
    with http_server("--deadline", "0.5", *way, cwd=folder) as started:
        async with started.client() as client:
            began = time.monotonic()
            answer = await client.call_tool("boruna_run", {"source": ENDLESS, "max_steps": 10**12})
    assert (answer.structured_content or {})["limit_kind"] == "deadline", answer
    assert time.monotonic() - began < 5.0
