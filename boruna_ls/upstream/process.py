"""The transport of a server that speaks over its standard streams: a process started in a clean environment, its lines bounded.

The process gets what programs need to start (PATH, HOME, …) and what its configuration says, nothing else of our environment.
What it writes is read no faster than we take it; a line that is too long, lines that are no messages, and a flood end the
connection.
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import IO, Final, TypeAlias

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from boruna_ls.isolation.launcher import Launch, Launcher, Limits, kill
from boruna_ls.isolation.memory import lift_memory_limit
from boruna_ls.isolation.priority import SESSION, give_way, leads_session, lower_session
from boruna_ls.pace import has_too_many_values
from boruna_ls.upstream import flood
from boruna_ls.upstream.configuration import ConfigurationError, ServerConfiguration
from boruna_ls.upstream.flood import Flood
from boruna_ls.wire.lines import Lines, lined

_MOST_VALUES: Final = 1_000_000
"""Limit of values in a message, higher than for clients' messages: no user types in this process."""
MESSAGE_LIMIT: Final = 4 << 20
"""Bytes of one message of a server."""
_KEPT: Final = "HOME LANG LC_ALL LOGNAME PATH SHELL TERM TMPDIR USER XDG_CACHE_HOME XDG_DATA_HOME".split()
_KEPT_ON_WINDOWS: Final = (
    "APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT SYSTEMDRIVE SYSTEMROOT TEMP USERNAME USERPROFILE".split()
)
_GARBAGE: Final = 50
"""Lines that are no messages, before a server counts as one that speaks another language."""
_CHUNK: Final = 1 << 16
_ROOM: Final = 2 * (MESSAGE_LIMIT // _CHUNK)
"""Lines, or chunks of long ones, that are read ahead of what is taken."""
_STDERR: Final = 4_000
_PRIORITY: Final = 5
"""Steps (`nice`) by which a server comes after the process that started it."""
_GRACE: Final = 2.0
"""Seconds that a server has to end after its standard input is closed."""
_Inward: TypeAlias = MemoryObjectSendStream[SessionMessage | Exception]
_Outward: TypeAlias = MemoryObjectReceiveStream[SessionMessage]
_launcher: Final = Launcher(programs=())
"""Servers reach files and the network as the owner allowed them to: without namespaces."""


class ServerProcess:
    """A started server. `reason` says why its connection ended, "" as long as nothing is wrong; `said` is the end of its
    standard error."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.reason = ""
        self.has_died = False
        """True if the process ended before we ended it."""
        self._stderr: deque[bytes] = deque(maxlen=_STDERR // 100)

    @property
    def death(self) -> str:
        """Reason why the connection ended, as a clause: the server's fault that was detected, else how its process ended."""
        if self.reason:
            return self.reason
        status = self.process.poll()
        how = "closed its output" if status is None else f"ended with status {status}"
        lines = self.stderr_end.splitlines()
        return f"its process {how}" + (f"; its last line was {lines[-1][:300]!r}" if lines else "")

    @property
    def stderr_end(self) -> str:
        """The end of what it wrote to standard error."""
        return b"".join(self._stderr).decode("utf-8", "replace")[-_STDERR:].strip()

    def listen(self) -> None:
        """Reader of standard error on a thread of its own: the pipe must not fill."""
        stream = self.process.stderr
        assert stream is not None

        def read() -> None:
            with suppress(OSError, ValueError):
                while chunk := stream.read1(100):  # type: ignore[attr-defined]
                    self._stderr.append(chunk)

        threading.Thread(target=read, name="upstream-stderr", daemon=True).start()


def started(configuration: ServerConfiguration, folder: str) -> ServerProcess:
    """Starts the command of a configuration whose variables are filled in. Raises ConfigurationError."""
    kept = _KEPT_ON_WINDOWS if sys.platform == "win32" else _KEPT
    environment = {name: os.environ[name] for name in kept if name in os.environ} | configuration.env
    command = configuration.command or ""
    program = shutil.which(command, path=environment.get("PATH")) if os.sep not in command else os.path.join(folder, command)
    if program is None:
        raise ConfigurationError(f"its command {command!r} is not found: install it, or correct PATH")
    launch = Launch(
        (program, *configuration.args),
        environment,
        folder=os.path.join(folder, configuration.cwd or ""),
        network=True,
        limits=Limits(core_size=0),
        # All servers of the process that holds connections have one share together, the low one of its session.
        own_session=not leads_session(),
    )
    try:
        process = _launcher.start(launch, subprocess.PIPE, subprocess.PIPE, subprocess.PIPE)
    except OSError as error:
        raise ConfigurationError(f"its command {command!r} cannot be started: {error.strerror or error}") from None
    # Keystrokes have precedence over a server, however much it computes.
    give_way(process.pid, _PRIORITY)
    lower_session(process.pid, SESSION)
    lift_memory_limit(process.pid)
    server_process = ServerProcess(process)
    server_process.listen()
    return server_process


@asynccontextmanager
async def streams(server: ServerProcess, ended: Callable[[], object]) -> AsyncIterator[TransportStreams]:
    """The messages from and to a started server; `ended` is called when there are no more. The process ends with the context."""
    loop = asyncio.get_running_loop()
    inward, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](16)
    write_stream, outward = anyio.create_memory_object_stream[SessionMessage](16)
    assert server.process.stdout is not None
    assert server.process.stdin is not None
    lines = _Lines(server, server.process.stdout, loop)
    to_write: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    threading.Thread(target=_write, args=(server.process.stdin, to_write), name="upstream-stdin", daemon=True).start()
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_receive, lines, inward, ended)
            tasks.start_soon(_send, to_write, outward)
            try:
                yield read_stream, write_stream
            finally:
                tasks.cancel_scope.cancel()
    finally:
        to_write.put(None)
        for stream in (read_stream, write_stream, inward, outward):
            stream.close()
        await asyncio.shield(asyncio.to_thread(_stop, server, lines.are_over))


async def _receive(lines: _Lines, inward: _Inward, ended: Callable[[], object]) -> None:
    try:
        await _received(lines, inward)
    finally:
        # First: who waits for an answer is told that the streams are closed, and asks why.
        ended()
        await inward.aclose()


async def _received(lines: _Lines, inward: _Inward) -> None:
    while (line := await lines.next()) is not None:
        try:
            if has_too_many_values(line, _MOST_VALUES):
                raise ValueError("too many values")
            # Read first: by itself the library reads a message once for every kind that it could be, and nothing else runs then.
            message = jsonrpc_message_adapter.validate_python(json.loads(line), by_name=False)
        except (ValueError, RecursionError):
            if not lines.garbage():
                return
            continue
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await inward.send(SessionMessage(message))


async def _send(to_write: queue.SimpleQueue[bytes | None], outward: _Outward) -> None:
    async for message in outward:
        to_write.put(lined(message.message.model_dump_json(by_alias=True, exclude_unset=True).encode()))


def _write(stdin: IO[bytes], to_write: queue.SimpleQueue[bytes | None]) -> None:
    """Writes on a thread of its own: a server that does not read delays no other. It ends with its process."""
    with suppress(OSError, ValueError):
        while (data := to_write.get()) is not None:
            stdin.write(data)
            stdin.flush()


class _Lines:
    """Lines of a pipe, read by a thread that waits until the last ones are taken."""

    def __init__(self, server: ServerProcess, stdout: IO[bytes], loop: asyncio.AbstractEventLoop) -> None:
        self._server = server
        self._loop = loop
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._room = threading.Semaphore(_ROOM)
        self._flood = Flood()
        self._no_messages = 0
        self.are_over = False
        threading.Thread(target=self._read, args=(stdout,), name="upstream-stdout", daemon=True).start()

    async def next(self) -> bytes | None:
        """The next line; None at the end."""
        line = await self._queue.get()
        self._room.release(_share(line))
        if line is not None and not await self._flood.passes():
            self._end(flood.REASON)
            return None
        return line

    def garbage(self) -> bool:
        """Notes a line that is no message; False if there were too many."""
        self._no_messages += 1
        if self._no_messages >= _GARBAGE:
            self._end("it writes lines to its standard output that are no messages of the protocol")
            return False
        return True

    def _end(self, reason: str) -> None:
        self._server.reason = self._server.reason or reason
        kill(self._server.process)

    def _read(self, stdout: IO[bytes]) -> None:
        unread = Lines(MESSAGE_LIMIT)
        with suppress(OSError, ValueError):
            while chunk := stdout.read1(_CHUNK):  # type: ignore[attr-defined]
                whole = list(unread.bodies(chunk))
                if unread.size > MESSAGE_LIMIT or any(len(line) > MESSAGE_LIMIT for line in whole):
                    self._end(f"it sent a message of more than {MESSAGE_LIMIT >> 20} MB")
                    break
                for line in whole:
                    if line.strip():
                        self._put(line)
        self.are_over = True
        self._put(None)

    def _put(self, line: bytes | None) -> None:
        for _ in range(_share(line)):
            self._room.acquire()
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)


def _share(line: bytes | None) -> int:
    """A line's part of `_ROOM`."""
    return 1 + len(line or b"") // _CHUNK


def _stop(server: ServerProcess, is_over: bool) -> None:
    """Ends a server: it may end by itself first."""
    process = server.process
    if is_over:
        # Its output has ended, so its status is known in a moment.
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.2)
    server.has_died = process.poll() is not None
    with suppress(OSError, ValueError):
        if process.stdin is not None:
            process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    kill(process)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    for stream in (process.stdout, process.stderr):
        with suppress(OSError, ValueError):
            if stream is not None:
                stream.close()
