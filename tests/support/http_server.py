"""A real `boruna-ls serve --http` process, and the official client's way to it."""

from __future__ import annotations

import os
import re
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.support.commands import command

PATIENCE = 60.0
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
_WITHOUT_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Given to each request: the client would read the system's certificates for each anew, 20 ms in which other threads wait."""


class HttpServer:
    """The process, where it listens, and what it wrote to standard error."""

    def __init__(self, *arguments: str, cwd: Path | None = None, environment: Mapping[str, str] | None = None) -> None:
        self.folder = cwd
        self.process = subprocess.Popen(
            [command("boruna-ls"), "serve", "--http", "--port", "0", *arguments],
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**os.environ, **(environment or {})},
        )
        self._written: list[str] = []
        self._started = threading.Event()
        threading.Thread(target=self._pump, daemon=True).start()
        assert self._started.wait(PATIENCE), self.errors
        found = re.search(r"serves agents at http://\S+:(\d+)/mcp", self.errors)
        assert found, self.errors
        self.port = int(found[1])
        self.base = f"http://127.0.0.1:{self.port}"
        self.url = f"{self.base}/mcp"
        own = re.search(r'"Bearer ([^"]+)"', self.errors)
        self.token = own[1] if own else ""
        """The token that the server made for itself, "" if it has another one."""
        self.auth = {"authorization": f"Bearer {self.token}"} if own else {}

    @property
    def errors(self) -> str:
        """Standard error up to now."""
        return "".join(self._written)

    def _pump(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._written.append(line.decode())
            if "serves agents at" in self._written[-1]:
                self._started.set()
        self._started.set()

    def post(self, message: Any, **headers: str) -> httpx2.Response:
        """One POST, as it is."""
        content = message if isinstance(message, bytes) else httpx2.Request("POST", self.url, json=message).content
        sent = {**JSON, **self.auth, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return httpx2.post(self.url, content=content, headers=sent, timeout=PATIENCE, verify=_WITHOUT_TLS)

    def begin(self, message: Any, **headers: str) -> socket.socket:
        """One POST whose answer is not read yet; closing the connection gives it up."""
        content = httpx2.Request("POST", self.url, json=message).content
        sent = {"host": f"127.0.0.1:{self.port}", "content-length": str(len(content)), **JSON, **self.auth}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        connection.sendall(f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode() + content)
        return connection

    @asynccontextmanager
    async def client(self, mode: str = "auto", token: str = "", **more: Any) -> AsyncIterator[Client]:
        """The official client."""
        headers = {"authorization": f"Bearer {token}"} if token else self.auth
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE, verify=_WITHOUT_TLS) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, mode=mode, **more) as client:
                yield client


@contextmanager
def http_server(*arguments: str, cwd: Path | None = None, **environment: str) -> Iterator[HttpServer]:
    """A server that is gone afterwards."""
    server = HttpServer(*arguments, cwd=cwd, environment=environment)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()


def until(condition: Any, patience: float = PATIENCE) -> None:
    """Waits for something to become true."""
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
