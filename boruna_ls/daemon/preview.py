"""Previews, each for as long as the command that asked for it is connected."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from boruna_ls.rendezvous import wire

if TYPE_CHECKING:
    from boruna_ls.daemon.clients import Clients


async def serve(clients: Clients, hello: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Shows the program `path` of the hello's options, answers with port and token, and serves until the connection ends.

    `port` and `token` of an earlier answer give the same address again. What cannot be served is answered as `error`.
    """
    from boruna_ls.preview.server import showing
    from boruna_ls.workspace import Host

    options = hello["options"]
    path, title, port, token = (options.get(name) for name in ("path", "title", "port", "token"))
    libs = options.get("libs_dir")
    if not (isinstance(path, str) and isinstance(title, str) and isinstance(port, int) and isinstance(token, str)):
        writer.write(wire.encoded({"error": "a preview needs path, title, port and token", "status": 2}))
        return

    def find(host: Host) -> Any:
        return host.file_for_agent(path, [hello["cwd"]] if hello.get("cwd") else [], libs if isinstance(libs, str) else None)

    with clients.counted("preview", hello) as connection:
        try:
            async with showing(clients.views.host, find, title, port, token) as address:
                connection.url = f"http://127.0.0.1:{address.port}/"
                writer.write(wire.encoded({"port": address.port, "token": address.token, "pid": clients.life.about["pid"]}))
                while await reader.read(1 << 12):
                    continue
        except OSError as error:
            writer.write(wire.encoded({"error": error.strerror or str(error), "status": 1}))
