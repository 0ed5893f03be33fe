"""The daemon in its first, plain form: one process, one host, editors and agents over a socket in a folder.

Each client's forwarder (`forward.py`) says in its first line which protocol it speaks; everything behind that line
belongs to the LSP or the MCP view. `serve.py` is the command that starts it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import logging
import os
import secrets
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Any, Final

from boruna_ls.forward import ENDPOINT

SOCKET: Final = "daemon.sock"
_LONGEST_SOCKET_PATH: Final = 100
_LIMIT: Final = 1 << 20
_HELLO_TIMEOUT: Final = 10.0
_log = logging.getLogger(__name__)


Agents = Callable[[Any], AbstractAsyncContextManager[int]]
"""Serves agents of the host over HTTP while a block runs."""


async def serve(folder: Path | None, libs_dir: str | None = None, agents: Agents | None = None) -> None:
    """Serves clients until SIGTERM or SIGINT: at the folder's socket (it must be claimed), over HTTP, or both."""
    from boruna_ls.process import prepare
    from boruna_ls.workspace import Host

    _load_views()
    prepare()
    daemon = Daemon(Host(libs_dir))
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, stopped.set)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(daemon.end)
        if agents is not None:
            await stack.enter_async_context(agents(daemon.host))
        if folder is not None:
            await stack.enter_async_context(_at_socket(daemon, folder))
        await stopped.wait()


@contextlib.asynccontextmanager
async def _at_socket(daemon: Daemon, folder: Path) -> AsyncIterator[None]:
    path = folder / SOCKET
    if hasattr(socket, "AF_UNIX") and len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        path.unlink(missing_ok=True)
        server = await asyncio.start_unix_server(daemon.accept, path, limit=_LIMIT)
        endpoint: dict[str, Any] = {"path": str(path)}
    else:
        server = await asyncio.start_server(daemon.accept, "127.0.0.1", 0, limit=_LIMIT)
        daemon.secret = secrets.token_urlsafe(24)
        endpoint = {"port": server.sockets[0].getsockname()[1], "secret": daemon.secret}
    _publish(folder, endpoint | {"pid": os.getpid()})
    print(f"boruna-ls serves at {folder}", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        server.close()
        (folder / ENDPOINT).unlink(missing_ok=True)
        path.unlink(missing_ok=True)


class Daemon:
    """The clients of one host."""

    def __init__(self, host: Any) -> None:
        self.secret = ""
        self.host = host
        self._clients: set[asyncio.Task[Any]] = set()
        self._is_ending = False

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client, from its first line to its end."""
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            hello = await asyncio.wait_for(_hello(reader), _HELLO_TIMEOUT)
            if hello and hmac.compare_digest(str(hello.get("secret", "")).encode(), self.secret.encode()):
                await self._serve(hello, reader, writer)
        except (OSError, TimeoutError, ValueError) as error:
            print(f"boruna-ls: a client was dropped: {error}", file=sys.stderr)
        except asyncio.CancelledError:
            # The end of the daemon; the stream's own callback would report a cancelled task as a failure.
            if not self._is_ending:
                raise
        except Exception:
            # Whatever a client brought about ends its own connection only; what an end interrupts is no news.
            if not self._is_ending:
                _log.exception("a client's connection failed")
        finally:
            self._clients.discard(task)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def end(self) -> None:
        """Ends the connections that are left."""
        self._is_ending = True
        for task in list(self._clients):
            task.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)

    async def _serve(self, hello: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        folders = [folder] if isinstance(folder := hello.get("cwd"), str) else []
        if hello.get("protocol") == "mcp":
            from boruna_ls.mcp.channels import StreamChannel
            from boruna_ls.mcp.server import run_connection as serve_mcp

            await serve_mcp(self.host, StreamChannel(reader, writer), folders)
        elif hello.get("protocol") == "lsp":
            from boruna_ls.lsp.server import run_connection as serve_lsp

            await serve_lsp(self.host, reader, writer)
            await writer.drain()
        else:
            raise ValueError("its protocol is neither lsp nor mcp")


def _load_views() -> None:
    """Imports what takes a second before the first client waits for it."""
    import boruna_ls.lsp.server
    import boruna_ls.mcp.server  # noqa: F401


async def _hello(reader: asyncio.StreamReader) -> dict[str, Any]:
    line = await reader.readline()
    # Somebody who only looks whether the daemon is there says nothing.
    hello = json.loads(line) if line else {}
    if not isinstance(hello, dict):
        raise ValueError("its first line is no object")
    return hello


def _publish(folder: Path, endpoint: dict[str, Any]) -> None:
    """Writes where we listen: whole or not at all, readable for the owner only."""
    temporary = folder / f"{ENDPOINT}.{os.getpid()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(endpoint, file)
    temporary.replace(folder / ENDPOINT)
