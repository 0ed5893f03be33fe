"""The connections of this process to servers: one for each workspace and configuration, shared by all runs, closed when idle."""

from __future__ import annotations

import asyncio
import logging
import time
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from analysis.inputs import ToolSchema
from boruna_ls.state.folder import StateError
from boruna_ls.upstream.configuration import ServerConfiguration
from boruna_ls.upstream.connection import Connection, Unreachable
from boruna_ls.workspace import tool_servers

MOST: Final = 50
"""Connections at once."""
IDLE: Final = 600.0
"""Seconds without a call after which a connection is closed."""
_LOOK: Final = 30.0
_LATELY: Final = 3600.0
_log = logging.getLogger(__name__)
_Key = tuple[str, str, str]


class Servers:
    """All of it runs on one event loop, but for `tell`."""

    def __init__(self) -> None:
        self._connections: dict[_Key, Connection] = {}
        self._listeners: list[weakref.WeakMethod[Callable[[str], None]]] = []
        self._reaper: asyncio.Task[None] | None = None

    def tell(self, listener: Callable[[str], None]) -> None:
        """From now on a method is called, on any thread, with each workspace in which the tools of a server were listed."""
        if all(reference() != listener for reference in self._listeners):
            self._listeners.append(weakref.WeakMethod(listener))

    def connection(self, workspace: str, name: str, configuration: ServerConfiguration, **rest: Any) -> Connection:
        """The connection to a server of a workspace; it need not be open. Raises Unreachable if there are too many."""
        key = (workspace, name, configuration.fingerprint)
        connection = self._connections.get(key)
        if connection is not None and connection.configuration != configuration:
            connection.configuration = configuration
        if connection is None:
            if len(self._connections) >= MOST and not self._drop_one():
                raise Unreachable(f"{MOST} servers are in use already")
            listed, failed = partial(self._listed, workspace, name), partial(self._failed, workspace, name)
            from boruna_ls.upstream.http import open_http

            opened = rest.get("open_http") or partial(open_http, workspace=workspace, name=name)
            connection = self._connections[key] = Connection(name, configuration, workspace, listed, failed, opened)
        if self._reaper is None or self._reaper.done():
            self._reaper = asyncio.create_task(self._close_idle())
        return connection

    def _drop_one(self) -> bool:
        """Forgets the connection that was not used for longest, if it is not open."""
        closed = [key for key, connection in self._connections.items() if connection.is_closed]
        if closed:
            del self._connections[min(closed, key=lambda key: self._connections[key].used_at)]
        return bool(closed)

    async def _close_idle(self) -> None:
        while True:
            await asyncio.sleep(_LOOK)
            for connection in list(self._connections.values()):
                if not connection.calls and time.monotonic() - connection.used_at > IDLE and not connection.is_closed:
                    await connection.close()

    async def close(self) -> None:
        """Closes all connections."""
        if self._reaper is not None:
            self._reaper.cancel()
        await asyncio.gather(*[connection.close() for connection in self._connections.values()])
        self._connections.clear()

    async def _listed(self, workspace: str, name: str, tools: tuple[ToolSchema, ...]) -> None:
        try:
            if not await asyncio.to_thread(_keep_tools, workspace, name, tools):
                return
        except (StateError, OSError) as error:
            _log.warning("the tools of a server could not be stored: %s", error)
        self._tell(workspace)

    async def _failed(self, workspace: str, name: str) -> None:
        try:
            await asyncio.to_thread(tool_servers.mark_failed, workspace, name)
        except (StateError, OSError) as error:
            _log.warning("the stored tools of a server could not be marked: %s", error)
        self._tell(workspace)

    def _tell(self, workspace: str) -> None:
        for reference in list(self._listeners):
            listener = reference()
            if listener is None:
                self._listeners.remove(reference)
            else:
                asyncio.get_running_loop().run_in_executor(None, listener, workspace)


def _keep_tools(workspace: str, name: str, tools: tuple[ToolSchema, ...]) -> bool:
    """Keeps the tools of a server; False if the same ones were stored lately, so that they need not be read again."""
    kept = tool_servers.read(tool_servers.document_path(workspace, name))
    if kept is not None and not kept.failed and kept.tools.tools == tools and time.time() - kept.seen_at < _LATELY:
        return False
    tool_servers.write(workspace, name, tools)
    return True


_shared: Final = Servers()


def shared_servers() -> Servers:
    """The connections of this process, on the loop of the effect broker."""
    return _shared
