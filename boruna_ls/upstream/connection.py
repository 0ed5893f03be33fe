"""One connection to a server and its life: connecting, connected, disconnected with a reason, connected again when it is needed.

Everything runs on one event loop. A task holds the connection open; calls come from other tasks. A call of a server that is not
connected tries once; after failures it waits longer and longer before it tries again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from enum import StrEnum
from typing import Any, Final

import httpx2
from mcp import Client, MCPError
from mcp.client.session import ElicitationFnT, IncomingMessage
from mcp_types import CONNECTION_CLOSED, CallToolResult, Implementation, ToolListChangedNotification
from pydantic import ValidationError

from analysis.inputs import ToolSchema
from boruna_ls.isolation.launcher import kill
from boruna_ls.upstream.configuration import ConfigurationError, ServerConfiguration
from boruna_ls.upstream.listing import Changes, tools_of
from boruna_ls.upstream.process import ServerProcess, started, streams

CONNECTING: Final = 30.0
"""Seconds in which a server has to be ready; one whose calls may take longer has as long for its start."""
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 60.0
_LISTINGS: Final = 1.0
"""Seconds before tools that have changed are listed, at least: changes that follow each other closely are listed once."""
_LISTING_SHARE: Final = 20
"""Times as long as the last listing took of the processor, before the next one: a server with many tools cannot have them listed
all the time."""
_MANY: Final = 10
_SHORT: Final = 60.0
"""Seconds that a connection lasts at least, if its end does not count as a failure of the server."""
_CLOSED: Final = "Connection closed"
"""Text of the library's error for a call whose connection has ended."""
_ENDED: Final = "the connection ended during the call"
# Violations of the protocol are answers of calls, or concern nobody; the library would print them with the server's text.
logging.getLogger("client").setLevel(logging.CRITICAL)
_INFO: Final = Implementation(name="boruna-ls", version="1")


class State(StrEnum):
    """State of a connection's life."""

    IDLE = "idle"
    CONNECTING = "connecting"
    CONNECTED = "connected"
    DISCONNECTED = "disconnected"


class Unreachable(Exception):
    """A server cannot be used now; the message is a clause that follows its name."""


Listed = Callable[[tuple[ToolSchema, ...]], Awaitable[None]]


class Connection:
    """A server of a workspace. `listed` is called with its tools whenever they are listed; `failed` when it cannot be reached."""

    def __init__(
        self,
        name: str,
        configuration: ServerConfiguration,
        folder: str,
        listed: Listed | None = None,
        failed: Callable[[], Awaitable[None]] | None = None,
        open_http: Callable[[ServerConfiguration, Callable[[str], None]], Any] | None = None,
        elicitation: ElicitationFnT | None = None,
    ) -> None:
        self.name = name
        self.configuration = configuration
        self.state = State.IDLE
        self.reason = ""
        self.schemas: dict[str, ToolSchema] = {}
        """The tools as checks know them."""
        self.used_at = time.monotonic()
        self.calls = 0
        self._folder = folder
        self._listed = listed
        self._failed = failed
        self._open_http = open_http
        self._elicitation = elicitation
        self._client: Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._process: ServerProcess | None = None
        self._ends = asyncio.Event()
        self._closing = False
        self._lock = asyncio.Lock()
        self._not_before = 0.0
        self._ready_at = 0.0
        self._relisting: asyncio.Task[None] | None = None
        self._has_changed = False
        self._failures = 0
        """Number of consecutive failed attempts and short connections that the server ended."""
        self._listing = 0.0
        """Seconds of the processor that the last listing took."""

    @property
    def is_closed(self) -> bool:
        """True if nothing is open."""
        return self._task is None or self._task.done()

    @property
    def info(self) -> str:
        """Name and version that the server gives itself."""
        server = self._client.server_info if self._client is not None else None
        return f"{server.name} {server.version}".strip() if server is not None else self.name

    async def connected(self) -> Client:
        """The client of a server that is connected; one attempt is made if it is not. Raises Unreachable."""
        async with self._lock:
            self.used_at = time.monotonic()
            if self._client is not None and self.state is State.CONNECTED:
                return self._client
            if (wait := self._not_before - time.monotonic()) > 0:
                raise Unreachable(f"{self.reason}; it is tried again in {wait:.0f} s")
            await self.close()
            await self._connect()
            assert self._client is not None
            return self._client

    async def _connect(self) -> None:
        self.state, self.reason = State.CONNECTING, ""
        self._ends = asyncio.Event()
        self._closing = False
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._live(ready))
        limit = max(CONNECTING, self.configuration.timeout)
        try:
            await asyncio.wait_for(asyncio.shield(ready), limit)
        except TimeoutError:
            # It gets no time to end by itself: the call has waited long enough.
            if self._process is not None:
                kill(self._process.process)
            ready.cancel()
            self._task.cancel()
            await self._lost(f"did not become ready within {limit:.0f} s")
        except Unreachable as error:
            await self._lost(str(error))

    async def _lost(self, reason: str) -> None:
        self._failures += 1
        self._wait(self._failures)
        await self.close()
        self.state, self.reason = State.DISCONNECTED, reason
        if self._failed is not None:
            await self._failed()
        raise Unreachable(reason)

    def _wait(self, failures: int) -> None:
        pause = _FIRST_PAUSE * 2 ** (failures - 1) if 0 < failures < _MANY else _LONGEST_PAUSE if failures else 0.0
        self._not_before = time.monotonic() + min(pause, _LONGEST_PAUSE)

    def _note_end(self) -> None:
        """A connection that was ready has ended. Once that costs no pause: the next call connects."""
        if time.monotonic() - self._ready_at >= _SHORT:
            self._failures = 0
        if not self._closing:
            self._failures += 1
            self._wait(self._failures - 1)

    async def _live(self, ready: asyncio.Future[None]) -> None:
        """Holds the connection until it ends; opened and closed in this one task, as the library wants it."""
        process = self._process = None
        try:
            configuration = self.configuration.expanded(os.environ)
            async with AsyncExitStack() as stack:
                transport: Any
                if configuration.command is not None:
                    process = self._process = await asyncio.to_thread(started, configuration, self._folder)
                    transport = streams(process, self._ends.set)
                else:
                    assert self._open_http is not None
                    transport = self._open_http(configuration, self._http_ended)
                client = Client(
                    transport,
                    read_timeout_seconds=self.configuration.timeout,
                    message_handler=self._received,
                    elicitation_callback=self._elicitation,
                    client_info=_INFO,
                    cache=None,
                )
                self._client = await stack.enter_async_context(client)
                changes = Changes(client, self._tools_changed)
                stack.push_async_callback(changes.stop)
                await changes.start()
                await self._list()
                self.state, self._ready_at = State.CONNECTED, time.monotonic()
                if not ready.done():
                    ready.set_result(None)
                await self._ends.wait()
                if process is not None and not self._closing:
                    # Its streams have ended; the status is known a moment later.
                    await asyncio.sleep(0.05)
                    self.reason = self._redacted(process.death)
        except (ConfigurationError, Unreachable) as error:
            self._ended(ready, str(error))
        except asyncio.CancelledError:
            self._ended(ready, "the connection was closed")
            raise
        except BaseException as error:
            self._ended(ready, _end_reason(error, process))
        finally:
            self._client = None
            if self.state is State.CONNECTED:
                self.state = State.DISCONNECTED
                self._note_end()

    def _http_ended(self, reason: str) -> None:
        self.reason = self.reason or self._redacted(reason)
        self._ends.set()

    async def _has_ended(self, error: MCPError, task: asyncio.Task[None]) -> bool:
        """True if a call failed because the connection has ended: a server can send an error with the same code and text."""
        if error.code != CONNECTION_CLOSED or not (error.message == _CLOSED or (self.reason and self._ends.is_set())):
            return False
        await asyncio.wait({task}, timeout=0.5)
        return task.done() or self._ends.is_set()

    def _redacted(self, reason: str) -> str:
        """A reason as programs, agents and logs may read it."""
        return self.configuration.without_values(reason, os.environ)

    def _ended(self, ready: asyncio.Future[None], reason: str) -> None:
        self.reason = reason = self._redacted(reason)
        if not ready.done():
            ready.set_exception(Unreachable(reason))

    async def close(self) -> None:
        """Ends the connection; the next call opens it again."""
        self._closing = True
        self._ends.set()
        task, self._task = self._task, None
        if task is not None:
            done, _ = await asyncio.wait({task}, timeout=5.0)
            if not done:
                task.cancel()
                await asyncio.wait({task}, timeout=5.0)
        self._client = None
        self.state = State.IDLE

    # ---- tools --------------------------------------------------------------------------------------------------

    async def _list(self) -> None:
        assert self._client is not None
        begins = time.process_time()
        self.schemas = await tools_of(self._client)
        if self._listed is not None:
            await self._listed(tuple(self.schemas.values()))
        self._listing = time.process_time() - begins

    async def _received(self, message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._tools_changed()

    def _tools_changed(self) -> None:
        self._has_changed = True
        if self._relisting is None or self._relisting.done():
            self._relisting = asyncio.create_task(self._list_again())

    async def _list_again(self) -> None:
        # What changes while the tools are listed is listed once more.
        while self._has_changed and self._client is not None:
            await asyncio.sleep(max(_LISTINGS, _LISTING_SHARE * self._listing))
            self._has_changed = False
            with contextlib.suppress(Exception):
                async with asyncio.timeout(max(CONNECTING, self.configuration.timeout)):
                    await self._list()

    async def call(self, tool: str, arguments: dict[str, Any], timeout: float) -> CallToolResult:
        """Calls a tool. Raises Unreachable, MCPError, TimeoutError."""
        client = await self.connected()
        task = self._task
        assert task is not None
        self.calls += 1
        calling = asyncio.ensure_future(client.call_tool(tool, arguments, read_timeout_seconds=timeout))
        try:
            async with asyncio.timeout(timeout):
                await asyncio.wait({calling, task}, return_when=asyncio.FIRST_COMPLETED)
            if not calling.done():
                raise Unreachable(self.reason or _ENDED)
            try:
                return calling.result()
            except MCPError as error:
                if await self._has_ended(error, task):
                    raise Unreachable(self.reason or _ENDED) from None
                raise
            except ValidationError as error:
                raise Unreachable(_end_reason(error, None)) from None
            except RuntimeError as error:
                raise Unreachable(f"the server violates its own schema: {str(error)[:300]!r}") from None
        finally:
            self.calls -= 1
            self.used_at = time.monotonic()
            if not calling.done():
                calling.cancel()
                await asyncio.wait({calling}, timeout=1.0)


def _end_reason(error: BaseException, process: ServerProcess | None) -> str:
    """Reason why a connection ended, as a clause."""
    if process is not None and (process.reason or process.has_died):
        return process.death
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ConfigurationError):
        return str(error)
    if isinstance(error, TimeoutError):
        return "did not answer in time"
    if isinstance(error, MCPError):
        return f"refused: {str(error)[:300]!r}"
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))[:100]
        return f"the server violates the protocol: {place!r}: {str(first['msg'])[:200]}"
    if isinstance(error, httpx2.TransportError):
        text = str(error)[:300]
        return f"the connection to it broke: {type(error).__name__}" + (f": {text}" if text else "")
    text = str(error).split("\n")[0][:300]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
