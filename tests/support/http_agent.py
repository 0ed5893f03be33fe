"""An agent over HTTP that outlives its daemon: it begins a new session where the old one is unknown, and asks again."""

from __future__ import annotations

import itertools
import json
import time
from typing import Any

import httpx2

from tests.support.http_server import HttpServer
from tests.support.mcp_lines import INITIALIZED, call, initialize

_SESSION = "mcp-session-id"
_PAUSE = 0.05


class HttpAgent:
    """One session at a time at a server."""

    def __init__(self, server: HttpServer) -> None:
        self._server = server
        self._session = ""
        self._numbers = itertools.count(1)

    def tool(self, name: str, arguments: dict[str, Any], patience: float = 90.0) -> dict[str, Any]:
        """The structured answer of a tool."""
        ends = time.monotonic() + patience
        while True:
            try:
                answer = self._asked(call(next(self._numbers), name, **arguments))
            except httpx2.HTTPError:
                # The daemon has ended; the command that serves asks the next one for the same port.
                answer, self._session = None, ""
            if answer is not None:
                return dict(answer["result"]["structuredContent"])
            if time.monotonic() > ends:
                raise AssertionError(f"{name} over HTTP is not answered within {patience:g} seconds")
            time.sleep(_PAUSE)

    def _asked(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """The answer to a request; None if the session is unknown, or was cut off."""
        if not self._session:
            begun = self._server.post(initialize(1))
            self._session = begun.headers.get(_SESSION, "")
            if not self._session:
                return None
            self._server.post(INITIALIZED, mcp_session_id=self._session)
        response = self._server.post(message, mcp_session_id=self._session)
        if response.status_code != 200:
            self._session = ""
            return None
        for line in response.text.splitlines():
            text = line.removeprefix("data:").strip()
            if text.startswith("{") and (answer := json.loads(text)).get("id") == message["id"] and "result" in answer:
                return dict(answer)
        return None
