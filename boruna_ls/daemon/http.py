"""Agents over HTTP, for as long as the command that asked for them is connected."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from boruna_ls.daemon.views import deadline_of
from boruna_ls.loop import is_in_no_hurry
from boruna_ls.rendezvous import wire

if TYPE_CHECKING:
    from boruna_ls.daemon.clients import Clients

_log = logging.getLogger(__name__)


async def serve(clients: Clients, hello: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Listens as the hello's options say, answers with the port, and serves until the connection ends.

    What cannot be served is answered as `error`, with `status` 2 if it is the options' fault and 1 if it is the port's.
    """
    from boruna_ls.mcp.http.options import from_json

    options, views = hello["options"], clients.views
    is_in_no_hurry()
    with clients.counted("http", hello) as connection:
        await views.editors_first()
        serving = (await asyncio.to_thread(views.load, "http")).serving
        try:
            chosen, selection = from_json(options.get("http")), views.selection(options)
            async with serving(views.host, chosen, selection, deadline_of(options), options.get("libs_dir")) as port:
                connection.url = chosen.url_at(port)
                writer.write(wire.encoded({"port": port, "pid": clients.life.about["pid"]}))
                # The command says nothing more: its end is ours.
                while await reader.read(1 << 12):
                    continue
        except ValueError as error:
            writer.write(wire.encoded({"error": str(error), "status": 2}))
        except OSError as error:
            _log.warning("agents are not served over HTTP: %s", error)
            writer.write(wire.encoded({"error": error.strerror or str(error), "status": 1}))
