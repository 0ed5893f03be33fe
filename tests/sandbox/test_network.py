"""The network of sandboxes: listed hosts through the proxy, nothing else, and only if the owner allows it."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from boruna_ls.sandbox.backend import Network
from boruna_ls.sandbox.box import Box
from boruna_ls.sandbox.network import Refused, _target
from tests.sandbox.places import box_of, needs_bubblewrap, ran, sandboxes

pytestmark = needs_bubblewrap


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        content = f"{self.path} {self.headers['Host']} {self.headers.get('Proxy-Connection')}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()


@pytest.fixture
def box(port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Box]:
    # The owner lists this machine by its address, which is what it takes to reach a private one; a test cannot have port 80.
    monkeypatch.setattr("boruna_ls.sandbox.network._PORTS", (80, 443, port))
    with sandboxes() as manager:
        yield box_of(manager, network=Network(("127.0.0.1", "*.allowed.example")))


FETCH = (
    "import urllib.request, urllib.error, sys\ntry:\n    print(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())\n"
)
FETCH += "except urllib.error.HTTPError as error:\n    print(error.code, error.read().decode())\n"


def fetched(box: Box, url: str) -> str:
    box.write("fetch.py", FETCH.encode())
    made = ran(box, f"python3 fetch.py '{url}'")
    return (made.stdout or made.stderr).decode().strip()


def test_a_listed_host_is_reached_and_others_are_not(box: Box, port: int) -> None:
    assert fetched(box, f"http://127.0.0.1:{port}/a?b=c") == f"/a?b=c 127.0.0.1:{port} None"
    for url, words in (
        (f"http://localhost:{port}/", "'localhost' is not allowed by the owner"),
        (f"http://0x7f000001:{port}/", "not allowed by the owner"),
        ("http://169.254.169.254/latest/meta-data", "not allowed by the owner"),
        ("http://example.org/", "not allowed by the owner"),
        ("http://allowed.example.evil.example/", "not allowed by the owner"),
        ("http://127.0.0.1:22/", "port 22 is not allowed"),
        ("http://nowhere.allowed.example/", "cannot resolve"),
    ):
        answer = fetched(box, url)
        assert answer.startswith("403 sandbox network"), answer
        assert words in answer, answer
    assert "Tunnel connection failed: 403" in fetched(box, "https://example.org/")


def test_there_is_no_way_but_the_proxy(box: Box, port: int) -> None:
    straight = f"import socket\nsocket.create_connection(('127.0.0.1', {port}), 2)"
    assert b"refused" in ran(box, straight, "python").stderr
    assert b"unreachable" in ran(box, "import socket\nsocket.create_connection(('1.1.1.1', 53), 2)", "python").stderr
    tunnel = (
        "import socket\ns = socket.create_connection(('127.0.0.1', 3128))\n"
        "s.sendall(b'CONNECT {0} HTTP/1.1\\r\\n\\r\\n')\nprint(s.recv(200))"
    )
    for target in ("example.org:443", "127.0.0.1:22", "[::1]:80", "a" * 70_000, "x", "/etc/passwd", "user@127.0.0.1:22"):
        answer = ran(box, tunnel.format(target), "python").stdout
        assert b" 403 " in answer or b" 400 " in answer or answer == b"b''\n", (target[:40], answer)


def test_a_sandbox_without_network_has_no_proxy() -> None:
    with sandboxes() as manager:
        box = box_of(manager)
        assert b"refused" in ran(box, "import socket\nsocket.create_connection(('127.0.0.1', 3128), 2)", "python").stderr
        assert b"http_proxy" not in ran(box, "env").stdout


NO_REQUESTS = [
    b"",
    b"GET",
    b"GET / HTTP/1.1",
    b"GET ftp://a/ HTTP/1.1",
    b"CONNECT :443 HTTP/1.1",
    b"GET http://a:x/ HTTP/1.1",
    b"GET http://[::1/ HTTP/1.1",
    b"GET http://a/ HTTP/2",
]


@pytest.mark.parametrize("head", NO_REQUESTS)
def test_what_is_no_request_is_refused(head: bytes) -> None:
    with pytest.raises(Refused):
        _target(head)


def test_the_host_field_is_that_of_the_address_that_was_checked() -> None:
    fields = b"Host: evil.example\r\nproxy-authorization: x\r\nA: b"
    host, port, request, is_tunnel = _target(b"GET http://good.example/x HTTP/1.1\r\n" + fields)
    assert (host, port, is_tunnel) == ("good.example", 80, False)
    assert request == b"GET /x HTTP/1.1\r\nHost: good.example\r\nA: b\r\nConnection: close\r\n\r\n"


async def test_the_owner_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from boruna_ls.effects import trust
    from tests.sandbox.test_agents import called, over_stdio, refused

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "shop"
    folder.mkdir()
    async with over_stdio(folder) as client:
        assert "sandbox-network" in await refused(client, "create_sandbox", network=True)
        trust.set_sandbox_network(str(folder), True)
        assert "allows no hosts" in await refused(client, "create_sandbox", network=True)
        trust.allow(str(folder), "net_hosts", "api.example.org")
        made = await called(client, "create_sandbox", network=True)
        assert made["network"] == {"hosts": ["api.example.org"]}
        fetch = "curl -sS http://other.example/ || python3 -c \"import urllib.request as r; r.urlopen('http://other.example/')\""
        out = await called(client, "run_command", sandbox_id=made["sandbox_id"], command=fetch)
        assert "not allowed by the owner" in out["stdout"] or "403" in out["stderr"], out
