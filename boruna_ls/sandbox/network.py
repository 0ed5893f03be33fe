"""The network of a sandbox: a proxy that connects to the hosts of the owner's list and to no others.

The sandbox has a network namespace of its own with nothing in it but a listening socket, which its first process made and handed
to us. Programs inside find it by `https_proxy`; there is no other way out. Names are looked up here, and the checked address is
the one connected to.
"""

from __future__ import annotations

import sys

assert sys.platform == "linux"

import contextlib
import socket
import threading
from typing import Final
from urllib.parse import urlsplit

from boruna_ls import lock_order
from boruna_ls.effects.addresses import address_for
from boruna_ls.runtime.gateway import HandlerFailure

MOST_CONNECTIONS: Final = 32
_HEAD: Final = 16_384
_PATIENCE: Final = 20.0
_SILENCE: Final = 120.0
_BLOCK: Final = 65_536
_PORTS: Final = (80, 443)


class Refused(Exception):
    """Status and reason for the program inside."""


class Proxy:
    """Serves one sandbox until it is closed: a thread that accepts, and one for each connection."""

    def __init__(self, descriptor: int, hosts: tuple[str, ...]) -> None:
        self._listener = socket.socket(fileno=descriptor)
        self._hosts = hosts
        self._lock = lock_order.leaf()
        self._open: set[socket.socket] = set()
        self._closed = False
        threading.Thread(target=self._accept, name="sandbox-network", daemon=True).start()

    def close(self) -> None:
        """Ends every connection."""
        with self._lock:
            self._closed = True
            ends = [self._listener, *self._open]
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        while True:
            try:
                inner, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if self._closed or len(self._open) >= 2 * MOST_CONNECTIONS:
                    inner.close()
                    continue
                self._open.add(inner)
            threading.Thread(target=self._serve, args=(inner,), name="sandbox-network", daemon=True).start()

    def _serve(self, inner: socket.socket) -> None:
        outer: socket.socket | None = None
        try:
            inner.settimeout(_PATIENCE)
            head, rest = _head(inner)
            host, port, forward, is_tunnel = _target(head)
            outer = self._connected(host, port)
            if is_tunnel:
                inner.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                outer.sendall(forward)
            if rest:
                outer.sendall(rest)
            self._move(inner, outer)
        except Refused as refused:
            with contextlib.suppress(OSError):
                inner.sendall(str(refused).encode("latin-1", "replace"))
        except OSError:
            pass
        finally:
            for end in (inner, outer):
                if end is not None:
                    with self._lock:
                        self._open.discard(end)
                    end.close()

    def _connected(self, host: str, port: int) -> socket.socket:
        if port not in _PORTS:
            raise Refused(_answer(403, f"port {port} is not allowed: 80 and 443 are"))
        try:
            address = address_for(host, port, (), self._hosts)
        except HandlerFailure as error:
            raise Refused(_answer(403, str(error))) from None
        try:
            outer = socket.create_connection((address, port), _PATIENCE)
        except OSError as error:
            raise Refused(_answer(502, f"{host}: {error.strerror or error}")) from None
        with self._lock:
            self._open.add(outer)
        return outer

    def _move(self, inner: socket.socket, outer: socket.socket) -> None:
        for end in (inner, outer):
            end.settimeout(_SILENCE)
        back = threading.Thread(target=_copy, args=(outer, inner), name="sandbox-network", daemon=True)
        back.start()
        _copy(inner, outer)
        back.join(_SILENCE)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(_BLOCK):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def _head(inner: socket.socket) -> tuple[bytes, bytes]:
    data = b""
    while b"\r\n\r\n" not in data:
        part = inner.recv(4096)
        if not part or len(data) > _HEAD:
            raise Refused(_answer(400, "no request of HTTP"))
        data += part
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


def _target(head: bytes) -> tuple[str, int, bytes, bool]:
    """Host, port, the request as the host gets it, and whether it is a tunnel. Raises Refused."""
    first, *fields = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise Refused(_answer(400, "no request of HTTP/1"))
    method, target, _ = words
    try:
        parts = urlsplit(f"//{target}" if method == "CONNECT" else target)
        host, port = parts.hostname or "", parts.port or (443 if method == "CONNECT" else 80)
    except ValueError:
        raise Refused(_answer(400, "no address")) from None
    if not host or (method != "CONNECT" and parts.scheme != "http"):
        raise Refused(_answer(400, "http://HOST/… and CONNECT HOST:443 are served"))
    if method == "CONNECT":
        return host, port, b"", True
    path = parts._replace(scheme="", netloc="").geturl() or "/"
    kept = [field for field in fields if not field.lower().startswith(("proxy-", "connection:", "keep-alive:", "host:"))]
    lines = [f"{method} {path} HTTP/1.1", f"Host: {parts.netloc.rpartition('@')[2]}", *kept, "Connection: close", "", ""]
    return host, port, "\r\n".join(lines).encode("latin-1"), False


def _answer(status: int, reason: str) -> str:
    text = f"sandbox network: {reason}\n"
    return (
        f"HTTP/1.1 {status} Refused\r\nContent-Type: text/plain\r\nContent-Length: {len(text.encode('latin-1', 'replace'))}\r\n"
        f"Connection: close\r\n\r\n{text}"
    )
