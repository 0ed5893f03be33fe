"""Common part of both protocols' memories: the requests without an answer, and the side that owes it.

A memory is pure: bytes in, bytes out. It sees every message, and produces the messages that a new daemon needs after the previous
one has ended. A client gets exactly one answer to each request.
"""

from __future__ import annotations

import json
import re

from boruna_ls.wire.frames import Frames, Piece
from boruna_ls.wire.lines import Lines, lined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeGuard

LARGE = 16 * 1024
"""A client's message of at least this many bytes is forwarded first and parsed afterwards."""
HUGE = 128 * 1024
"""Bytes of a message that takes a separate block of memory."""
OWN = "boruna-ls:"
"""Prefix of the ids of the forwarder's own requests."""
MOST_DEATHS = 3
"""Daemons that may end over one request before it is answered with an error."""
_HEAD = re.compile(
    rb'\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(id|method)"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]{1,18})\s*,\s*"(result|error|params)"\s*:'
)
Id = str | int


class Request:
    """A client's request without an answer. `is_sent`: the connected daemon has received it.

    `has_begun`: a part of its answer was sent. `deaths`: number of daemons that ended while they worked on it.
    """

    __slots__ = ("deaths", "document", "edited", "has_begun", "id", "is_cancelled", "is_sent", "message", "raw", "steps")

    def __init__(self, id_: Id, message: dict[str, Any], raw: bytes) -> None:
        self.id = id_
        self.message = message
        self.raw = raw
        self.is_sent = False
        self.is_cancelled = False
        self.has_begun = False
        self.deaths = 0
        self.document = ""
        self.edited = 0
        self.steps = 0.0

    @property
    def method(self) -> str:
        """Method of the request."""
        return str(self.message["method"])

    @property
    def params(self) -> dict[str, Any]:
        """Its parameters, if they are an object."""
        params = self.message.get("params")
        return params if isinstance(params, dict) else {}


class Head:
    """Head of a daemon's message. `message` is set if the message had to be parsed as a whole."""

    __slots__ = ("id", "is_error", "message", "method")

    def __init__(self, id_: Any, method: Any, is_error: bool, message: dict[str, Any] | None) -> None:
        self.id = id_
        self.method = method
        self.is_error = is_error
        self.message = message


class Memory:
    """One client's connection. Bytes to write accumulate in `to_daemon` and `to_client`."""

    def __init__(self, client: Frames | Lines, daemon: Frames | Lines) -> None:
        self.to_daemon = bytearray()
        self.to_client = bytearray()
        self.is_connected = False
        self.was_lost = False
        """True if a daemon has ended before the client."""
        self.is_served = False
        """True if the connected daemon answers requests: one that has only answered `initialize` may still be loading."""
        self.has_served = False
        """True if any daemon was able to answer requests."""
        self.repeatable: frozenset[str] = frozenset()
        self.exit_status: int | None = None
        """Set when the client has announced its end."""
        self.process = 0
        """The client's process id, if it has sent it; else 0."""
        self.has_moved_huge = False
        """True if a message was longer than `HUGE`."""
        self.problem = ""
        """A sentence if the new daemon cannot continue where the previous one ended."""
        self._client = client
        self._daemon = daemon
        self._owed: dict[Id, Request] = {}
        self._unread: list[tuple[bytes, bytes]] = []
        self._own: dict[str, str] = {}
        self._count = 0
        self._daemon_requests: dict[Id, Id] = {}
        self._stale: set[Id] = set()

    # ---- what the pump calls ------------------------------------------------------------------------------------

    def from_client(self, data: bytes) -> None:
        """Bytes of the client."""
        for piece in self._client.feed(data):
            raw, body = piece.raw, piece.body
            self.settle()
            if body is None:
                self._send(raw)
            elif self.is_connected and len(body) > LARGE and b'"method"' in body:
                self._send(raw)
                self._unread.append((raw, body))
                self.has_moved_huge = self.has_moved_huge or len(raw) > HUGE
            else:
                message = parsed(body)
                if message is None:
                    raw = self._client.give_back(raw, body)
                self._take(raw, message, was_sent=False)

    def from_daemon(self, data: bytes) -> None:
        """Bytes of the daemon, behind its first line."""
        self.settle()
        self.has_served = self.has_served or self.is_served
        for piece in self._daemon.feed(data):
            if not piece.is_message or self._passes(piece):
                self.to_client += piece.raw
            self.has_moved_huge = self.has_moved_huge or len(piece.raw) > HUGE

    def client_ended(self) -> None:
        """The end of the client's input: an unfinished message is forwarded."""
        self.settle()
        rest = self._client.rest()
        message = parsed(rest) if isinstance(self._client, Lines) else None
        if message:
            # A last line without its end is a message all the same.
            self._take(lined(rest), message, was_sent=False)
        else:
            self._send(rest)

    def settle(self) -> None:
        """Parses messages that were forwarded unparsed, and cleans up; call it when idle."""
        if self._unread:
            waiting, self._unread = self._unread, []
            for raw, body in waiting:
                self._take(raw, parsed(body), was_sent=True)

    def welcomed(self, welcome: dict[str, Any]) -> None:
        """The first line of a daemon that accepts the client."""
        names = welcome.get("repeatable")
        self.repeatable = frozenset(name for name in names or () if isinstance(name, str))
        self.is_served = not welcome.get("greets")

    def lost(self) -> None:
        """The connection has ended. A request that the daemon was working on may be the cause."""
        self.settle()
        was_served, self.is_served = self.is_served, False
        self.is_connected, self.was_lost = False, True
        self.to_daemon.clear()
        self._daemon.rest()
        self._own.clear()
        self._stale.update(self._daemon_requests)
        self._daemon_requests.clear()
        for request in list(self._owed.values()):
            if request.is_sent and was_served:
                request.deaths += 1
                self._interrupted(request)
            request.is_sent = False

    def resume(self) -> None:
        """A daemon is connected (again): sends it the state of the client and the unanswered requests."""
        self.settle()
        self.is_connected = True
        self._replay()
        for request in list(self._owed.values()):
            if not request.is_sent and self._is_askable(request):
                self._send(request.raw)
                request.is_sent = True

    def owes(self) -> bool:
        """True if the client waits for an answer."""
        self.settle()
        return bool(self._owed)

    def needs_daemon(self) -> bool:
        """True if the client still needs a daemon."""
        return self.exit_status is None

    # ---- what a protocol decides ---------------------------------------------------------------------------------

    def _take(self, raw: bytes, message: dict[str, Any] | None, was_sent: bool) -> None:
        """One message of the client (None if it is invalid). `was_sent`: the daemon already has it, so only record it."""
        method = (message or {}).get("method")
        is_answer = method is None and "id" in (message or {})
        data = self._answered(message, raw) if message and is_answer else raw
        if not was_sent:
            self._send(data)
        if not message or not isinstance(method, str):
            return
        if "id" in message:
            self._request(message, raw)
        else:
            self._notification(method, message, raw)

    def _request(self, message: dict[str, Any], raw: bytes) -> None:
        """Records the state in a request of the client."""
        raise AssertionError("every protocol has its own")

    def _notification(self, method: str, message: dict[str, Any], raw: bytes) -> None:
        """Records the state in a notification of the client."""
        raise AssertionError("every protocol has its own")

    def _passes(self, piece: Piece) -> bool:
        """True if a message of the daemon is forwarded to the client unchanged."""
        raise AssertionError("every protocol has its own")

    def _replay(self) -> None:
        """Sends a new daemon the state of the client, without the unanswered requests."""
        raise AssertionError("every protocol has its own")

    def _interrupted(self, request: Request) -> None:
        """A daemon has ended while it worked on a request: answers the request if it must not be repeated."""
        raise AssertionError("every protocol has its own")

    def _is_askable(self, request: Request) -> bool:
        """True if a request can be sent (again) now; answers it if not."""
        return True

    def _encoded(self, message: dict[str, Any]) -> bytes:
        raise AssertionError("every protocol has its own")

    # ---- helpers ------------------------------------------------------------------------------------------------

    def _send(self, raw: bytes) -> None:
        if self.is_connected:
            self.to_daemon += raw

    def _ask(self, method: str, params: Any, why: str) -> None:
        """A request of our own to the daemon."""
        id_ = self._own_id()
        self._own[id_] = why
        self._send(self._encoded({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}))

    def _own_id(self) -> str:
        self._count += 1
        return f"{OWN}{self._count}"

    def _tell(self, method: str, params: Any) -> None:
        """A notification of our own to the client."""
        self.to_client += self._encoded({"jsonrpc": "2.0", "method": method, "params": params})

    def _refuse(self, id_: Id, code: int, text: str, data: Any = None) -> None:
        """Answers a request of the client with an error."""
        error = {"code": code, "message": text} | ({} if data is None else {"data": data})
        self.to_client += self._encoded({"jsonrpc": "2.0", "id": id_, "error": error})
        self._owed.pop(id_, None)

    def _owe(self, message: dict[str, Any], raw: bytes) -> Request | None:
        """Remembers a request; None if its id is none."""
        id_ = message["id"]
        if not is_id(id_):
            return None
        request = self._owed[id_] = Request(id_, message, raw)
        request.is_sent = self.is_connected
        return request

    def _answered(self, message: dict[str, Any], raw: bytes) -> bytes:
        """Client's answer to a daemon's request, as bytes for the daemon: empty if that daemon has ended."""
        id_ = message["id"]
        if not is_id(id_):
            return raw
        if id_ in self._daemon_requests:
            original = self._daemon_requests.pop(id_)
            return raw if original == id_ else self._encoded({**message, "id": original})
        if id_ in self._stale:
            self._stale.discard(id_)
            return b""
        return raw

    def _asks(self, message: dict[str, Any]) -> bool:
        """The daemon asks the client; False if the request was forwarded with another id.

        The client may still be working on a request of an earlier daemon that had the same id.
        """
        id_ = message["id"]
        if not is_id(id_):
            return True
        if id_ not in self._stale:
            self._daemon_requests[id_] = id_
            return True
        new = self._own_id()
        self._daemon_requests[new] = id_
        self.to_client += self._encoded({**message, "id": new})
        return False


def parsed(body: bytes) -> dict[str, Any] | None:
    """A message as an object: empty if it is another JSON value, None if it is not JSON."""
    try:
        message = json.loads(body.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else {}


def head_of(body: bytes) -> Head:
    """Head of a daemon's message, from its first bytes if they suffice."""
    match = _HEAD.match(body)
    if match is not None:
        name, value, follows = match[1], match[2], match[3]
        if name == b"id" and follows != b"params":
            return Head(json.loads(value), None, follows == b"error", None)
        # Our daemon writes large notifications with the method first and no id behind the parameters.
        if name == b"method" and follows == b"params" and len(body) > LARGE:
            return Head(None, json.loads(value), False, None)
    message = parsed(body) or {}
    return Head(message.get("id"), message.get("method"), "error" in message, message)


def is_id(id_: Any) -> TypeGuard[Id]:
    """True if a value can be a request's id."""
    return isinstance(id_, str | int) and not isinstance(id_, bool)
