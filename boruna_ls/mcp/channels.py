"""Where lines come from and go to: the standard streams of the process, or a socket of the daemon.

A channel hands over all complete lines that have arrived, and writes without making the event loop wait.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable
from typing import Final, Protocol

from boruna_ls.process import take_stdout

LINE_LIMIT: Final = 128 * 1024 * 1024
"""Bytes of the longest line; of a longer one only the beginning is kept, which then answers as malformed."""
_BLOCK: Final = 1 << 18


class Channel(Protocol):
    """One client's two directions."""

    async def lines(self) -> list[bytes]:
        """The lines that have arrived, at least one; none at the end of input. A last line may lack its line feed."""
        ...

    def write(self, data: bytes) -> None:
        """Queues whole lines."""
        ...

    async def finish(self) -> None:
        """Waits until everything is written."""
        ...


class LineBuffer:
    """Cuts blocks of bytes into lines, in time proportional to their size."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes."""
        head, *rest = data.split(b"\n")
        if not rest:
            self._keep(head)
            return []
        self._keep(head)
        lines = [self.rest(), *rest[:-1]]
        self._keep(rest[-1])
        return lines

    def rest(self) -> bytes:
        """What no line feed has ended; the buffer is empty afterwards."""
        line = b"".join(self._pieces)
        self._pieces.clear()
        self._size = 0
        return line

    def _keep(self, piece: bytes) -> None:
        if piece and self._size <= LINE_LIMIT:
            self._pieces.append(piece)
            self._size += len(piece)


class StandardStreams:
    """Standard input and output; everything else that writes to standard output is sent to standard error.

    Reading and writing block in a thread each: the descriptors may be files, terminals or pipes shared with others, so
    their flags are left alone.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._input = os.dup(0)
        self._output = take_stdout()
        self._buffer = LineBuffer()
        self._wanted: queue.SimpleQueue[asyncio.Future[list[bytes]]] = queue.SimpleQueue()
        self._outgoing: queue.SimpleQueue[bytes | Callable[[], object]] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="input", daemon=True).start()
        threading.Thread(target=self._write, name="output", daemon=True).start()

    async def lines(self) -> list[bytes]:
        future: asyncio.Future[list[bytes]] = self._loop.create_future()
        self._wanted.put(future)
        return await future

    def write(self, data: bytes) -> None:
        self._outgoing.put(data)

    async def finish(self) -> None:
        written = asyncio.Event()
        self._outgoing.put(lambda: self._loop.call_soon_threadsafe(written.set))
        await written.wait()

    def _read(self) -> None:
        at_end = False
        while True:
            future = self._wanted.get()
            found: list[bytes] = []
            while not found and not at_end:
                try:
                    data = os.read(self._input, _BLOCK)
                except OSError:
                    data = b""
                at_end = not data
                found = [line for line in [self._buffer.rest()] if line] if at_end else self._buffer.feed(data)
            self._loop.call_soon_threadsafe(_answer, future, found)

    def _write(self) -> None:
        broken = False
        while True:
            item = self._outgoing.get()
            if callable(item):
                item()
                continue
            try:
                while item and not broken:
                    item = item[os.write(self._output, item) :]
            except OSError:
                # The client is gone; what it no longer reads is dropped, and its input will end, too.
                broken = True


class StreamChannel:
    """The two directions of a connected socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._buffer = LineBuffer()

    async def lines(self) -> list[bytes]:
        while True:
            try:
                data = await self._reader.read(_BLOCK)
            except OSError:
                data = b""
            if not data:
                return [line for line in [self._buffer.rest()] if line]
            if found := self._buffer.feed(data):
                return found

    def write(self, data: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(data)

    async def finish(self) -> None:
        try:
            await self._writer.drain()
        except OSError:
            return


def _answer(future: asyncio.Future[list[bytes]], lines: list[bytes]) -> None:
    if not future.done():
        future.set_result(lines)
