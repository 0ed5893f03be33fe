"""The language server as a process of its own: protocol on stdin and stdout, everything else on stderr."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import stat
import sys
import threading
from typing import Any, BinaryIO

from boruna_ls.loop import attend, run
from boruna_ls.lsp.server import run_connection
from boruna_ls.process import prepare, take_stdout
from boruna_ls.workspace import Host


def main(libs_dir: str | None = None) -> int:
    """Serves one editor; returns the process's exit status."""
    prepare()
    # The library logs every refused request with a traceback; the server reports what is wrong with itself.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    output = take_stdout()
    return run(_serve(Host(libs_dir, watch=True), output))


async def _serve(host: Host, output: int) -> int:
    attend(host)
    if _is_one_socket(output):
        # As a forwarder hands it over: each of two transports would take the other's bytes for the end of its own.
        reader, stream = await asyncio.open_connection(sock=socket.socket(fileno=output))
        status = await run_connection(host, reader, stream)
        stream.close()
        await stream.wait_closed()
        return status
    reader = await _stdin_reader()
    writer = await _writer(output)
    try:
        return await run_connection(host, reader, writer)
    finally:
        await writer.drained()


def _is_one_socket(output: int) -> bool:
    """True if input and output are the two directions of one socket."""
    read, written = os.fstat(0), os.fstat(output)
    return stat.S_ISSOCK(read.st_mode) and (read.st_dev, read.st_ino) == (written.st_dev, written.st_ino)


async def _stdin_reader() -> asyncio.StreamReader:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 20)
    try:
        _refuse_on_windows()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb", closefd=False))
    except (OSError, ValueError):
        # A regular file, or Windows: a thread reads.
        threading.Thread(target=_feed, args=(loop, reader), name="stdin", daemon=True).start()
    return reader


def _refuse_on_windows() -> None:
    """Raises OSError where an event loop cannot wait for pipes of others: it would notice only later."""
    if sys.platform == "win32":
        raise OSError("standard streams need threads")


def _feed(loop: asyncio.AbstractEventLoop, reader: asyncio.StreamReader) -> None:
    while True:
        try:
            data = os.read(0, 1 << 16)
            if not data:
                loop.call_soon_threadsafe(reader.feed_eof)
                return
            loop.call_soon_threadsafe(reader.feed_data, data)
        except (OSError, RuntimeError):
            return


class BlockingWriter:
    """Writes at once; for outputs that cannot be written to asynchronously."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, data: bytes) -> None:
        """Writes everything or waits."""
        self._file.write(data)
        self._file.flush()

    async def drained(self) -> None:
        """Return at once: output is never buffered."""


class PipeWriter:
    """Writes without waiting; what a slow reader leaves is kept by the transport."""

    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self.transport = transport

    def write(self, data: bytes) -> None:
        """Hands the bytes to the operating system, or keeps them until it takes them."""
        self.transport.write(data)

    async def drained(self) -> None:
        """Gives a reader some seconds to take what is left."""
        for _ in range(500):
            if self.transport.is_closing() or not self.transport.get_write_buffer_size():
                return
            await asyncio.sleep(0.01)


async def _writer(output: int) -> Any:
    loop = asyncio.get_running_loop()
    file = os.fdopen(output, "wb")
    try:
        _refuse_on_windows()
        transport, _ = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, file)
    except (OSError, ValueError):
        return BlockingWriter(file)
    return PipeWriter(transport)
