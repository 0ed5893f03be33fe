"""Identity of callers: the calls and memory of each client are separate, whatever the transport.

On a stream there is one client. Over HTTP one server object serves many: a session is a client of its own, requests
without a session share one for each principal.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final, Protocol
from weakref import WeakValueDictionary

from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext

from boruna_ls.mcp.calls import Calls, scopes_needed
from boruna_ls.mcp.quotas import Quota, unlimited
from boruna_ls.mcp.scopes import Scopes
from boruna_ls.mcp.tasks import scopes_to_change
from boruna_ls.mcp.toolsets import Selection
from boruna_ls.runtime.workers import shared_pool
from boruna_ls.workspace import Client, Host

_PRINCIPALS: Final = 256
"""Principals without a session that are remembered; the one seen longest ago is forgotten first."""
_WITHOUT_TOKEN: Final = frozenset(("read",))
_KEY: Final = "boruna.calls"
Context = ServerRequestContext[Any]


class Peers(Protocol):
    """Finds the calls of the client that a request comes from."""

    def of(self, context: Context) -> Calls:
        """The calls of the request's client."""
        ...


class OnePeer:
    """The client of a stream."""

    def __init__(
        self, host: Host, client: Client, selection: Selection, deadline: float, room: Callable[[], Awaitable[None]] = unlimited
    ) -> None:
        self._calls = Calls(host, client, selection, deadline, room=room)

    def of(self, context: Context) -> Calls:
        return self._calls

    def leave(self) -> None:
        """The client sends nothing more, and may still read."""
        shared_pool().leave(self._calls.quota)

    def end(self) -> None:
        """The stream has ended."""
        self._calls.close()


class ManyPeers:
    """The clients of an HTTP server, confined to its folders."""

    def __init__(
        self, host: Host, folders: Iterable[str], selection: Selection, deadline: float, libs_dir: str | None = None
    ) -> None:
        self._host = host
        self._libs_dir = libs_dir
        self._folders = tuple(folders)
        self._serve_no_more = host.serve_apart(self._folders)
        self._selection = selection
        self._deadline = deadline
        self._principals: dict[str, Calls] = {}
        self._quotas: WeakValueDictionary[str, Quota] = WeakValueDictionary()

    def of(self, context: Context) -> Calls:
        connection = connection_of(context)
        if connection.session_id is None:
            return self._of_principal(principal(context))
        calls = connection.state.get(_KEY)
        if calls is None:
            calls = connection.state[_KEY] = self._new_calls(self._quota(principal(context)))
            connection.exit_stack.callback(self._forget, calls)
        assert isinstance(calls, Calls)
        return calls

    def needed(self, method: str, params: Mapping[str, Any]) -> set[str]:
        """Scopes that each of the clients needs for a request."""
        if method in ("tasks/update", "tasks/cancel"):
            return set(scopes_to_change(params["taskId"]))
        if method != "tools/call":
            return set()
        return scopes_needed(self._selection.callable, params["name"], params.get("arguments") or {})

    def end(self) -> None:
        """Drop all clients."""
        for calls in self._principals.values():
            self._forget(calls)
        self._principals.clear()
        self._serve_no_more()

    def _of_principal(self, name: str) -> Calls:
        calls = self._principals.pop(name, None) or self._new_calls(self._quota(name))
        self._principals[name] = calls
        if len(self._principals) > _PRINCIPALS:
            idle = next((other for other, candidate in self._principals.items() if candidate.is_idle and other != name), None)
            if idle is not None:
                self._forget(self._principals.pop(idle))
        return calls

    def _quota(self, name: str) -> Quota:
        """The one object of a principal, as long as any of its clients lives."""
        quota = self._quotas.get(name)
        if quota is None:
            quota = self._quotas[name] = Quota(principal=f"network client {name}")
        return quota

    def _new_calls(self, quota: Quota) -> Calls:
        client = self._host.connect(self._folders, self._libs_dir)
        client.confined = True
        client.principal = quota.principal
        return Calls(self._host, client, self._selection, self._deadline, quota)

    def _forget(self, calls: Calls) -> None:
        calls.close()
        self._host.forget_inline(calls.client.id)
        self._host.disconnect(calls.client)


def connection_of(context: Context) -> Connection:
    """The connection of a request; the SDK shows handlers the session only, which lives as long as the request."""
    return context.session._connection


def at_end(context: Context, cleanup: Callable[[], object]) -> None:
    """Call `cleanup` when the request's connection ends."""
    connection_of(context).exit_stack.callback(cleanup)


def principal(context: Context) -> str:
    """The name of a request's sender; empty without authentication."""
    return principal_of(getattr(context.request, "scope", None) or {})


def principal_of(scope: Mapping[str, Any]) -> str:
    """The name of the sender of an HTTP request; empty without authentication. Different senders have different names."""
    token = getattr(scope.get("user"), "access_token", None)
    if token is None:
        return ""
    # A blank ends a part, so that none can be written into another.
    parts = ((token.claims or {}).get("iss", ""), token.subject or "", token.client_id)
    return " ".join(str(part).replace("%", "%25").replace(" ", "%20") for part in parts)


def scopes_of(context: Context) -> Scopes:
    """Scopes of a request's sender. Without a token, where HTTP needs none, a sender may only read."""
    scope = getattr(context.request, "scope", None)
    if scope is None:
        return None
    token = getattr(scope.get("user"), "access_token", None)
    return _WITHOUT_TOKEN if token is None else frozenset(token.scopes)
