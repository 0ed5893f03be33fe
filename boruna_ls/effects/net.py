"""Live `net.fetch`: HTTP and HTTPS to hosts that policy and ceiling allow; each hop of a redirect is checked anew."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urljoin, urlsplit

from analysis.bytecode.module import Constant
from boruna_ls.effects.addresses import address_for, ascii_name, check_listed
from boruna_ls.effects.effect import Effect, Target
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.policy import NetPolicy

_HOPS: Final = 10
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_METHODS: Final = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD")
_BLOCK: Final = 65_536


def target(effect: Effect) -> Target:
    """The host that a call is about. Raises HandlerFailure for what the policy refuses anyway."""
    policy = _policy(effect)
    host = _parts(effect.text(0)).hostname or ""
    check_listed(host, policy.allowed_domains, None)
    return Target("net_hosts", ascii_name(host))


def perform(effect: Effect) -> Constant:
    """`net.fetch(url, method, body)`: the body of the answer. Raises HandlerFailure."""
    return ("String", fetch(effect, effect.text(0), effect.text(1, "GET"), effect.text(2, "")))


def fetch(effect: Effect, url: str, method: str = "GET", body: str = "", headers: Mapping[str, str] | None = None) -> str:
    """The body of the answer as text. Raises HandlerFailure."""
    policy = _policy(effect)
    method = method.upper() or "GET"
    ends = time.monotonic() + effect.seconds_left(policy.timeout_ms / 1000)
    for _ in range(_HOPS + 1):
        if policy.allowed_methods and method not in policy.allowed_methods:
            raise HandlerFailure(f"HTTP method '{method}' not in allowlist: [{', '.join(policy.allowed_methods)}]")
        if method not in _METHODS:
            raise HandlerFailure(f"HTTP method '{method}' is not supported")
        status, location, content = _hop(effect, _Request(url, method, body, headers or {}), ends)
        if status not in _REDIRECTS or not location:
            return _text(status, content)
        if not policy.allow_redirects:
            raise HandlerFailure(f"redirect to '{location}': the policy does not allow redirects")
        url = urljoin(url, location)
        if status == 303 or (status in (301, 302) and method not in ("GET", "HEAD")):
            method, body = "GET", ""
    raise HandlerFailure(f"more than {_HOPS} redirects")


def _policy(effect: Effect) -> NetPolicy:
    """Network part of the run's policy; without one the owner's ceiling is the only bound."""
    bounds = effect.bounds
    if bounds.policy.net is not None:
        return bounds.policy.net
    if bounds.ceiling is None:
        raise HandlerFailure("the policy names no hosts: add `net_policy`")
    return NetPolicy()


class _Request(NamedTuple):
    url: str
    method: str
    body: str
    headers: Mapping[str, str]


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.hostname, parts.port
    except ValueError as error:
        raise HandlerFailure(f"'{url}' is not a URL: {error}") from None
    if parts.scheme not in ("http", "https"):
        raise HandlerFailure(f"blocked scheme '{parts.scheme}': only http/https allowed")
    if not parts.hostname:
        raise HandlerFailure(f"'{url}' names no host")
    return parts


def _hop(effect: Effect, request: _Request, ends: float) -> tuple[int, str, bytes]:
    policy, ceiling = _policy(effect), effect.bounds.ceiling
    parts = _parts(request.url)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    address = address_for(host, port, policy.allowed_domains, None if ceiling is None else ceiling.net_hosts)
    connection = _Pinned(host, port, address, parts.scheme == "https", ends)
    effect.stop.on(connection.abort)
    # A socket's own time limit begins again with each byte.
    alarm = threading.Timer(max(ends - time.monotonic(), 0), connection.abort)
    alarm.daemon = True
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        alarm.start()
        connection.request(request.method, path, request.body.encode() or None, {"User-Agent": "boruna-ls", **request.headers})
        answer = connection.getresponse()
        return answer.status, answer.getheader("Location") or "", _read(answer, policy.max_response_bytes, ends)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = "timed out" if time.monotonic() > ends else error or type(error).__name__
        raise HandlerFailure(f"cannot fetch '{request.url}': {reason}") from None
    finally:
        alarm.cancel()
        connection.close()


def _read(answer: http.client.HTTPResponse, limit: int, ends: float) -> bytes:
    parts, size = [], 0
    while size < limit and (part := answer.read(min(_BLOCK, limit - size))):
        parts.append(part)
        size += len(part)
        if time.monotonic() > ends:
            break
    if time.monotonic() > ends:
        raise TimeoutError("timed out")
    return b"".join(parts)


def _text(status: int, content: bytes) -> str:
    if status >= 400:
        raise HandlerFailure(f"HTTP status {status}")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise HandlerFailure("the answer is not UTF-8") from None


class _Pinned(http.client.HTTPConnection):
    """Connects to an address that was checked, under the name that the URL gives."""

    def __init__(self, host: str, port: int, address: str, secure: bool, ends: float) -> None:
        super().__init__(host, port, timeout=max(ends - time.monotonic(), 0.001))
        self._address = address
        self._secure = secure
        self._reached: socket.socket | None = None

    def connect(self) -> None:
        plain = socket.create_connection((self._address, self.port), self.timeout)
        if self._secure:
            context = ssl.create_default_context()
            # `abort` must reach a handshake, too.
            secured = context.wrap_socket(plain, server_hostname=self.host, do_handshake_on_connect=False)
            self.sock = self._reached = secured
            secured.do_handshake()
        else:
            self.sock = self._reached = plain

    def abort(self) -> None:
        """Ends whatever another thread waits for here."""
        # The library forgets the socket of an answer that the server ends by closing it.
        if self._reached is not None:
            with contextlib.suppress(OSError):
                self._reached.shutdown(socket.SHUT_RDWR)
