"""The state of an agent's session that a new daemon needs, learnt from the lines that pass. Pure: bytes in, bytes out.

Clients of 2025 begin with a handshake, which is repeated; those of 2026 need none. Calls that only read are made again,
all others that a daemon had begun are answered with an error: they may or may not have been carried out.
"""

from __future__ import annotations

import json

from boruna_ls.forwarder.memory import MOST_DEATHS, Memory, Request, head_of, is_id
from boruna_ls.wire.frames import Piece
from boruna_ls.wire.lines import Lines, lined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONNECTION_CLOSED = -32000
_READING = frozenset(
    [
        "initialize",
        "ping",
        "server/discover",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "subscriptions/listen",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "logging/setLevel",
        "tasks/get",
        "tasks/update",
        "tasks/cancel",
    ]
)
_INITIALIZED = "notifications/initialized"
_ENABLE_TOOLSET = "enable_toolset"
_MOST_TOOLSETS = 16
_UPDATED = "notifications/resources/updated"
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


class McpMemory(Memory):
    """An agent's session."""

    def __init__(self) -> None:
        super().__init__(Lines(), Lines())
        self._initialize: Request | None = None
        self._initialized = b""
        self._level: Any = None
        self._subscribed: dict[str, Any] = {}
        self._toolsets: dict[str, Any] = {}

    # ---- from the agent -----------------------------------------------------------------------------------------

    def _request(self, message: dict[str, Any], raw: bytes) -> None:
        request = self._owe(message, raw)
        if request is not None and request.method == "initialize" and self._initialize is None:
            self._initialize = request

    def _notification(self, method: str, message: dict[str, Any], raw: bytes) -> None:
        if method == _INITIALIZED:
            self._initialized = raw
        elif method == "notifications/cancelled":
            self._cancel(message)

    def _cancel(self, message: dict[str, Any]) -> None:
        """A cancelled request is not answered."""
        params = message.get("params")
        id_ = params.get("requestId") if isinstance(params, dict) else None
        if is_id(id_):
            self._owed.pop(id_, None)

    # ---- from the daemon ----------------------------------------------------------------------------------------

    def _passes(self, piece: Piece) -> bool:
        head = head_of(piece.body or b"")
        if head.method is None:
            return self._answers(head.id, head.is_error)
        message = head.message
        if message is None:
            return True
        if "id" in message:
            return self._asks(message)
        params = message.get("params")
        if not isinstance(params, dict):
            return True
        if head.method == "notifications/progress":
            return self._is_news(params)
        if head.method == "notifications/subscriptions/acknowledged":
            return self._is_first(params)
        return True

    def _answers(self, id_: Any, is_error: bool) -> bool:
        if not is_id(id_):
            return True
        if isinstance(id_, str) and id_ in self._own:
            why, _, uri = self._own.pop(id_).partition(" ")
            if why == "initialize" and is_error:
                self.problem = "the daemon that took over refuses this client's session"
            elif why == "subscribe":
                # Changes before it listened are unknown: the listener should read the resources again.
                self._tell(_UPDATED, {"uri": uri})
            return False
        request = self._owed.pop(id_, None)
        if request is None:
            return True
        if is_error:
            if request is self._initialize:
                self._initialize = None
        elif request.method == "logging/setLevel":
            self._level = request.params
        elif request.method == "resources/subscribe":
            self._subscribed[str(request.params.get("uri"))] = request.params
        elif request.method == "tools/call":
            self._learn_toolset(request.params)
        elif request.method == "resources/unsubscribe":
            self._subscribed.pop(str(request.params.get("uri")), None)
        return True

    def _learn_toolset(self, params: dict[str, Any]) -> None:
        """A fresh daemon must list what this client has had listed."""
        given = params.get("arguments")
        name = given.get("toolset") if isinstance(given, dict) else None
        if params.get("name") == _ENABLE_TOOLSET and isinstance(name, str) and len(self._toolsets) < _MOST_TOOLSETS:
            self._toolsets[name] = params

    def _is_news(self, params: dict[str, Any]) -> bool:
        """True if progress exceeds what the client has seen: a repeated call starts again, which the client must not see."""
        token, progress = params.get("progressToken"), params.get("progress")
        if not is_id(token) or not isinstance(progress, int | float):
            return True
        for request in self._owed.values():
            if _meta(request.params).get("progressToken") == token:
                if request.deaths and progress <= request.steps:
                    return False
                request.steps = progress
                return True
        # It has no waiting request: it was cancelled, perhaps before it was sent again.
        return not self.was_lost

    def _is_first(self, params: dict[str, Any]) -> bool:
        """True if a stream of events is acknowledged for the first time."""
        id_ = _meta(params).get(_SUBSCRIPTION)
        request = self._owed.get(id_) if is_id(id_) else None
        if request is None or not request.has_begun:
            if request is not None:
                request.has_begun = True
            return True
        self._tell_listener(request)
        return False

    # ---- between two daemons --------------------------------------------------------------------------------------

    def _interrupted(self, request: Request) -> None:
        data: dict[str, Any] = {"method": request.method}
        text = f"the daemon ended while it answered {request.method}"
        again = request.method in _READING
        if request.method == "tools/call":
            name = str(request.params.get("name"))
            data["tool"], again = name, name in self.repeatable
            text = f"the daemon ended while {name} was running"
        if not again:
            text += ": it may or may not have been carried out; call again if that is safe"
            self._refuse(request.id, CONNECTION_CLOSED, text, data)
        elif request.deaths >= MOST_DEATHS and request.method != "subscriptions/listen":
            if request is self._initialize:
                self._initialize = None
            self._refuse(request.id, CONNECTION_CLOSED, f"{text} ({MOST_DEATHS} times): the call is not repeated", data)

    def _replay(self) -> None:
        first = self._initialize
        if first is not None:
            if self._owed.get(first.id) is first:
                self._send(first.raw)
                first.is_sent = True
            else:
                self._ask("initialize", first.message.get("params"), "initialize")
            self._send(self._initialized)
        if self._level is not None:
            self._ask("logging/setLevel", self._level, "level")
        for params in self._toolsets.values():
            self._ask("tools/call", params, "toolset")
        for uri, params in self._subscribed.items():
            self._ask("resources/subscribe", params, f"subscribe {uri}")

    def _tell_listener(self, request: Request) -> None:
        wanted = request.params.get("notifications")
        uris = wanted.get("resourceSubscriptions") if isinstance(wanted, dict) else None
        for uri in uris if isinstance(uris, list) else ():
            self._tell(_UPDATED, {"_meta": {_SUBSCRIPTION: request.id}, "uri": uri})

    def _encoded(self, message: dict[str, Any]) -> bytes:
        return lined(json.dumps(message, separators=(",", ":")).encode())


def _meta(params: dict[str, Any]) -> dict[str, Any]:
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}
