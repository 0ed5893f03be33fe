"""Clients over HTTP that do nothing, or too slowly: they cost little, are given up, and nobody else waits for them."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.support.http_server import JSON, HttpServer, http_server, until
from tests.support.mcp_lines import call, initialize, request

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
PATIENCE = 2.0
SESSION = "mcp-session-id"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    folder = tmp_path_factory.mktemp("patience")
    (folder / "app.ax").write_text(CLEAN, encoding="utf-8")
    with http_server("--standalone", "--patience", str(PATIENCE), "--max-sessions", "500", cwd=folder) as started:
        yield started


def connection(server: HttpServer, data: bytes, receive_buffer: int | None = None) -> socket.socket:
    """A plain connection that has said something."""
    made = socket.socket()
    made.settimeout(60)
    if receive_buffer is not None:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    made.connect(("127.0.0.1", server.port))
    made.sendall(data)
    return made


def head(server: HttpServer, length: int, **more: str) -> bytes:
    """The beginning of a POST."""
    lines = {
        "Host": f"127.0.0.1:{server.port}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Content-Length": str(length),
        **server.auth,
        **{name.replace("_", "-"): value for name, value in more.items()},
    }
    return ("POST /mcp HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items()) + "\r\n").encode()


def answers(server: HttpServer) -> bool:
    """True if another client is served."""
    done = server.post(call(1, "boruna_check", source=CLEAN), mcp_protocol_version="2025-11-25")
    return done.status_code < 500 and httpx2.get(f"{server.base}/health", timeout=60).status_code == 200


def test_a_body_that_never_ends_is_answered_and_given_up(server: HttpServer) -> None:
    slow = [connection(server, head(server, 1000) + b"{") for _ in range(20)]
    assert answers(server)
    for one in slow:
        told = one.recv(4096)
        assert told.startswith(b"HTTP/1.1 408 ")
        while one.recv(4096):
            continue
        one.close()


def test_large_bodies_that_never_end_take_bounded_room(server: HttpServer) -> None:
    """What one principal may have under way is as much as four requests of the largest size."""
    largest = 8 << 20
    with contextlib.ExitStack() as ends:
        held = [ends.enter_context(contextlib.closing(connection(server, head(server, largest)))) for _ in range(6)]
        for one in held:
            # The last ones are refused while they are sent.
            with contextlib.suppress(ConnectionError):
                one.sendall(b'{"a":"' + b"x" * (largest - 1000))
        # Small requests are taken all the same.
        assert answers(server)
        told = []
        for one in held:
            with contextlib.suppress(ConnectionError):
                told.append(one.recv(12))
    assert told.count(b"HTTP/1.1 408") <= 4, told
    assert told.count(b"HTTP/1.1 503") >= 1, told
    # What they held is free again.
    body = json.dumps(call(1, "boruna_check", source=CLEAN, path="x" * (4 << 20))).encode()
    assert server.post(body, mcp_protocol_version="2025-11-25").status_code != 503


def test_a_body_that_comes_in_drops_is_taken(server: HttpServer) -> None:
    body = json.dumps(initialize(1)).encode()
    made = connection(server, head(server, len(body)))
    for byte in body:
        made.sendall(bytes([byte]))
    assert made.recv(4096).startswith(b"HTTP/1.1 200 ")
    made.close()


@pytest.mark.parametrize("data", [b"", b"POST /mcp HTTP/1.1\r\nHost: x\r\n"])
def test_a_request_that_never_begins_is_given_up(server: HttpServer, data: bytes) -> None:
    made = connection(server, data)
    with contextlib.suppress(ConnectionResetError):
        assert made.recv(4096) == b""
    made.close()
    assert answers(server)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="what a process has open is looked up in /proc")
def test_answers_that_nobody_reads_hold_nobody_up(server: HttpServer) -> None:
    big = "fn main() -> List<String> {\n    let mut l: List<String> = []\n    let mut i: Int = 0\n    while i < 9000 {\n"
    big += f'        l = list_push(l, "{"x" * 90}")\n        i = i + 1\n    }}\n    l\n}}\n'
    bodies = [json.dumps(call(number, "boruna_run", source=big)).encode() for number in range(12)]
    session = server.post(initialize(1)).headers[SESSION]
    folder = Path(f"/proc/{server.process.pid}")
    assert answers(server)
    size = memory(folder)
    deaf = [connection(server, head(server, len(body), Mcp_Session_Id=session) + body, 4096) for body in bodies]
    assert answers(server)
    # They are given up, and with them what they were to read.
    until(lambda: sockets(folder) < len(deaf))
    assert answers(server)
    assert memory(folder) < size + 200_000_000
    for one in deaf:
        one.close()
    httpx2.delete(server.url, headers={**server.auth, SESSION: session}, timeout=60)


def sockets(folder: Path) -> int:
    """Number of sockets that a process has open, those that listen and those of its event loop included."""
    found = 0
    for entry in (folder / "fd").iterdir():
        with contextlib.suppress(OSError):
            found += os.readlink(entry).startswith("socket:")
    return found


def memory(folder: Path) -> int:
    """Bytes of a process that are in memory."""
    return int((folder / "statm").read_text().split()[1]) * 4096


def test_a_silent_stream_stays_open(server: HttpServer) -> None:
    """A client that waits for notifications says nothing and reads nothing, and that is right."""
    assert server.folder is not None
    program = server.folder / "app.ax"
    session = server.post(initialize(1)).headers[SESSION]
    server.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, mcp_session_id=session)
    headers = {**server.auth, SESSION: session, "accept": "text/event-stream", "mcp-protocol-version": "2025-06-18"}
    with httpx2.stream("GET", server.url, headers=headers, timeout=60) as stream:
        assert stream.status_code == 200
        deadline = time.monotonic() + 1.5 * PATIENCE
        while time.monotonic() < deadline:
            assert answers(server)
            time.sleep(0.5)
        uri = f"boruna://file-diagnostics/{program}"
        assert server.post(request(2, "resources/subscribe", {"uri": uri}), mcp_session_id=session).status_code == 200
        program.write_text(CLEAN.replace("5", "five"), encoding="utf-8")
        told = next(line for line in stream.iter_lines() if "resources/updated" in line)
        assert "app.ax" in told
    httpx2.delete(server.url, headers={**server.auth, SESSION: session}, timeout=60)


def test_a_hundred_sessions(server: HttpServer) -> None:
    """Each knows its own client: what one was told is not told to another."""
    with httpx2.Client(headers={**JSON, **server.auth}, timeout=60) as client:
        sessions = [client.post(server.url, json=initialize(1)).headers[SESSION] for _ in range(100)]
        assert len(set(sessions)) == 100
        for number, session in enumerate(sessions[::10]):
            body = call(2, "boruna_run", source=CLEAN.replace("5", str(number)))
            told = client.post(server.url, json=body, headers={**server.auth, SESSION: session}).text
            assert f'\\"result\\":{number + 6},' in told
