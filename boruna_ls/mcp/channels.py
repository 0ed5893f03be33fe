"""Transports of lines: the standard streams of the process, or a socket of the daemon.

A channel returns all complete lines that have arrived, and writes without blocking the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import threading
from collections.abc import Callable
from typing import Final, Protocol

from boruna_ls import lock_order
from boruna_ls.forwarder.streams import has_no_reader
from boruna_ls.mcp.messages import LONGEST
from boruna_ls.process import take_stdout
from boruna_ls.wire.lines import Lines

OUTPUT_LIMIT: Final = 8 * 1024 * 1024
"""Bytes that a client may leave unread before it gets nothing more to do."""
_BLOCK: Final = 1 << 18
_LARGE_BLOCK: Final = 1 << 20
"""Bytes that are read at once, the second where a daemon reads: the text of a long file is not taken in pieces."""


class Channel(Protocol):
    """One client's two directions."""

    async def lines(self) -> list[bytes]:
        """The lines that have arrived, at least one; none at the end of input. A last line may lack its line feed."""
        ...

    def write(self, data: bytes) -> None:
        """Queues whole lines."""
        ...

    def is_gone(self) -> bool:
        """True if the client will not read the pending answers; valid once the input has ended."""
        ...

    @property
    def is_full(self) -> bool:
        """True if the client has left OUTPUT_LIMIT bytes or more unread."""
        ...

    async def room(self) -> None:
        """Waits until the client has read enough for more to be written."""
        ...

    async def finish(self) -> None:
        """Waits until everything is written."""
        ...


class StandardStreams:
    """Standard input and output; everything else that writes to standard output is sent to standard error.

    Reading and writing block in a thread each: the descriptors may be files, terminals or pipes shared with others, so
    their flags are left alone.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._input = os.dup(0)
        self._output = take_stdout()
        self._buffer = Lines(LONGEST)
        self._is_broken = False
        self._wanted: queue.SimpleQueue[asyncio.Future[list[bytes]]] = queue.SimpleQueue()
        self._outgoing: queue.SimpleQueue[bytes | Callable[[], object]] = queue.SimpleQueue()
        self._unread = 0
        self._counting = lock_order.leaf()
        self._emptied = asyncio.Event()
        threading.Thread(target=self._read, name="input", daemon=True).start()
        threading.Thread(target=self._write, name="output", daemon=True).start()

    async def lines(self) -> list[bytes]:
        future: asyncio.Future[list[bytes]] = self._loop.create_future()
        self._wanted.put(future)
        return await future

    def write(self, data: bytes) -> None:
        with self._counting:
            self._unread += len(data)
        self._outgoing.put(data)

    def is_gone(self) -> bool:
        return self._is_broken or has_no_reader(self._output)

    @property
    def is_full(self) -> bool:
        return self._unread >= OUTPUT_LIMIT

    async def room(self) -> None:
        while self.is_full:
            self._emptied.clear()
            if self.is_full:
                await self._emptied.wait()

    async def finish(self) -> None:
        written = asyncio.Event()
        self._outgoing.put(lambda: self._loop.call_soon_threadsafe(written.set))
        await written.wait()

    def _read(self) -> None:
        at_end = False
        while True:
            future = self._wanted.get()
            bodies: list[bytes] = []
            while not bodies and not at_end:
                try:
                    data = os.read(self._input, _BLOCK)
                except OSError:
                    data = b""
                at_end = not data
                bodies = [line for line in [self._buffer.rest()] if line] if at_end else list(self._buffer.bodies(data))
            self._loop.call_soon_threadsafe(_answer, future, bodies)

    def _write(self) -> None:
        while True:
            item = self._outgoing.get()
            if callable(item):
                item()
                continue
            size = len(item)
            try:
                while item and not self._is_broken:
                    item = item[os.write(self._output, item) :]
            except OSError:
                # The client has closed: drop what it no longer reads; its input will end, too.
                self._is_broken = True
            with self._counting:
                was_full, self._unread = self.is_full, self._unread - size
            if was_full and not self.is_full:
                self._loop.call_soon_threadsafe(self._emptied.set)


class StreamChannel:
    """The two directions of a connected socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._buffer = Lines(LONGEST)
        writer.transport.set_write_buffer_limits(high=OUTPUT_LIMIT)
        # Of the loop's transports of sockets, where there is such a one.
        if hasattr(writer.transport, "max_size"):
            writer.transport.max_size = _LARGE_BLOCK

    async def lines(self) -> list[bytes]:
        while True:
            try:
                data = await self._reader.read(_LARGE_BLOCK)
            except OSError:
                data = b""
            if not data:
                return [line for line in [self._buffer.rest()] if line]
            if bodies := list(self._buffer.bodies(data)):
                return bodies

    def write(self, data: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(data)

    def is_gone(self) -> bool:
        socket = self._writer.get_extra_info("socket")
        return self._writer.is_closing() or (socket is not None and has_no_reader(socket.fileno()))

    @property
    def is_full(self) -> bool:
        return self._writer.transport.get_write_buffer_size() >= OUTPUT_LIMIT

    async def room(self) -> None:
        # A disconnected client counts as having room: its end is detected elsewhere.
        with contextlib.suppress(OSError):
            await self._writer.drain()

    async def finish(self) -> None:
        try:
            await self._writer.drain()
        except OSError:
            return


def _answer(future: asyncio.Future[list[bytes]], lines: list[bytes]) -> None:
    if not future.done():
        future.set_result(lines)
