"""The connections of the daemon: reads a client's first line, answers it, and hands the rest to the client's view."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import os
import socket
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from analysis.data_classes import dataclass, field
from boruna_ls.daemon import control
from boruna_ls.isolation.priority import take_short_turns
from boruna_ls.loop import is_in_no_hurry
from boruna_ls.rendezvous import peer, wire

if TYPE_CHECKING:
    from boruna_ls.daemon.life import Life
    from boruna_ls.daemon.views import Views

_HELLO_TIMEOUT: Final = 30.0
_SECONDS_TO_END: Final = 5.0
_SECONDS_TO_START: Final = 1.0
"""Seconds after which an editor has its first answers."""
_SEND_BUFFER: Final = 1 << 20
_SPARE_DESCRIPTORS: Final = 20
FULL: Final = "the daemon has no descriptor left for another client (`ulimit -n`)"
_log = logging.getLogger(__name__)


@dataclass(eq=False)
class Connection:
    """An editor, an agent or a port for agents; `since` in seconds of the monotonic clock."""

    protocol: str
    pid: int
    cwd: str
    version: str
    since: float = field(default_factory=time.monotonic)
    client: Any = None
    """The client of the host, once its view serves it."""
    url: str = ""

    def know(self, client: Any) -> None:
        """Record the client's number in the host."""
        self.client = client


class Clients:
    """All connected clients."""

    def __init__(self, life: Life, views: Views) -> None:
        self.views = views
        self.life = life
        self.connections: set[Connection] = set()
        self.refused = 0
        """Clients for which there was no descriptor; each serves itself."""
        self._tasks: dict[asyncio.Task[Any], asyncio.StreamWriter] = {}
        self._is_ending = False

    @property
    def count(self) -> int:
        """Number of clients that keep the daemon alive; requests for its state do not count."""
        return len(self.connections)

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client, from its first line to its end."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks[task] = writer
        if not peer.is_us(writer.get_extra_info("socket")):
            _log.warning("a client of another user was dropped")
            self._tasks.pop(task, None)
            writer.transport.abort()
            return
        with contextlib.suppress(OSError):
            # The diagnostics of a long file go through at once, as far as the system lets us.
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        try:
            hello = await asyncio.wait_for(_hello(reader), _HELLO_TIMEOUT)
            if hello:
                await self._serve(hello, reader, writer)
        except (OSError, TimeoutError, ValueError, asyncio.LimitOverrunError) as error:
            _log.warning("a client was dropped: %s", error or type(error).__name__)
        except asyncio.CancelledError:
            # The end of the daemon; the stream's own callback would report a cancelled task as a failure.
            if not self._is_ending:
                raise
        except Exception:
            # Whatever a client brought about ends its own connection only; what an end interrupts is no news.
            if not self._is_ending:
                _log.exception("a client's connection failed")
        finally:
            self._tasks.pop(task, None)
            if self._is_ending:
                # A client that does not read must not delay this.
                writer.transport.abort()
            else:
                writer.close()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()

    async def end(self) -> None:
        """Ends the connections that are left."""
        self._is_ending = True
        tasks = self._tasks.keys() - {asyncio.current_task()}
        for task in tasks:
            # First the connection, then the work: an answer that says no more than that we end would keep the forwarder from
            # asking the next daemon.
            self._tasks[task].close()
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_SECONDS_TO_END)

    async def _serve(self, hello: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        secret = self.life.place.listener.secret
        if not hmac.compare_digest(str(hello.get("secret", "")).encode(), secret.encode()):
            raise ValueError("it does not know the secret")
        if hello.get("wire") != wire.WIRE:
            raise ValueError(f"it speaks wire version {hello.get('wire')!r}")
        if not isinstance(hello.get("options"), dict):
            hello["options"] = {}
        protocol = hello.get("protocol")
        if self.life.is_ending:
            writer.write(wire.encoded({"retiring": True}))
        elif protocol == "control":
            await control.answer(self, hello, reader, writer)
        elif protocol in ("lsp", "mcp") and not _has_room():
            self.refused += 1
            _log.warning("a client was refused: %s", FULL)
            # An older forwarder knows `error` only.
            writer.write(wire.encoded({"alone": FULL, "error": FULL}))
        elif protocol in ("lsp", "mcp"):
            self._weigh(hello)
            self.life.listen_to(reader)
            with self.counted(protocol, hello) as connection:
                await self._serve_protocol(connection, hello, reader, writer)
        else:
            raise ValueError("its protocol is neither lsp nor mcp")

    @contextlib.contextmanager
    def counted(self, protocol: str, hello: dict[str, Any]) -> Iterator[Connection]:
        """Keeps the daemon alive for a client while the block runs."""
        cwd, version = str(hello.get("cwd", "")), str(hello.get("version", ""))
        connection = Connection(protocol, _number(hello.get("pid")), cwd, version)
        self.connections.add(connection)
        self.life.clients_changed()
        again = " again" if hello.get("resumed") else ""
        _log.info("%s client of process %d came%s", protocol, connection.pid, again)
        try:
            yield connection
        finally:
            self.connections.discard(connection)
            if not self._is_ending:
                _log.info("%s client of process %d left", protocol, connection.pid)
                self.life.clients_changed()

    def _weigh(self, hello: dict[str, Any]) -> None:
        """Takes from the hello what is meant for the daemon itself."""
        if "idle" in hello["options"]:
            from boruna_ls.daemon.life import seconds

            self.life.idle = seconds(hello["options"]["idle"], self.life.idle)

    async def _serve_protocol(
        self, connection: Connection, hello: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        options = hello["options"]
        welcome: dict[str, Any] = {name: self.life.about[name] for name in ("wire", "version", "pid")}
        if connection.protocol == "lsp":
            greets = not self.views.serves_editors
            writer.write(wire.encoded(welcome | {"greets": True} if greets else welcome))
            # Later: it waits for its first answers now.
            asyncio.get_running_loop().call_later(_SECONDS_TO_START, _hurry, writer)
            await self.views.serve_editor(reader, writer, options, connection.know)
            return
        is_in_no_hurry()
        if hello.get("resumed"):
            await self.views.editors_first()
        else:
            await self.views.load_for_agents()
        try:
            selection = self.views.selection(options)
        except ValueError as error:
            writer.write(wire.encoded({"error": str(error)}))
            return
        welcome["repeatable"] = sorted(name for name, row in selection.callable.items() if row.repeatable)
        writer.write(wire.encoded(welcome))
        folders = [connection.cwd] if connection.cwd else []
        await self.views.serve_agent(reader, writer, folders, options, selection, connection.know)


def _hurry(writer: asyncio.StreamWriter) -> None:
    """An editor's forwarder does not wait for the turns of processes that compute."""
    if writer.is_closing():
        return
    process = peer.process_of(writer.get_extra_info("socket"))
    if process is not None:
        take_short_turns(process)


def _has_room() -> bool:
    """True if another client leaves enough file descriptors for connected clients and for worker processes."""
    if sys.platform == "win32":
        return True
    import resource

    try:
        used = len(os.listdir("/dev/fd"))
    except OSError:
        return False
    return used + _SPARE_DESCRIPTORS <= resource.getrlimit(resource.RLIMIT_NOFILE)[0]


async def _hello(reader: asyncio.StreamReader) -> dict[str, Any]:
    line = await reader.readline()
    # A client that only tests whether the daemon is running sends nothing.
    return wire.decoded(line) if line else {}


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0
