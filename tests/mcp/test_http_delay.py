"""Answers over HTTP are sent as soon as they are written."""

from __future__ import annotations

import asyncio
import contextlib
import socket

from boruna_ls.wire.tcp import listen_at


async def test_what_is_written_to_a_connection_is_sent_at_once() -> None:
    """Without this option the end of an answer waits for the client's acknowledgement of its beginning: 40 ms a request."""
    accepted: asyncio.Queue[int] = asyncio.Queue()

    class Noting(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            sock = transport.get_extra_info("socket")
            accepted.put_nowait(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            transport.close()

    with contextlib.closing(listen_at("127.0.0.1", 0, 8)) as listener:
        server = await asyncio.get_running_loop().create_server(Noting, sock=listener)
        _, writer = await asyncio.open_connection(*listener.getsockname())
        assert await asyncio.wait_for(accepted.get(), 10)
        writer.close()
        server.close()
