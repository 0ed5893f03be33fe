"""What the command line asks of the daemon: one line with a command, one line of answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from boruna_ls.rendezvous import places, wire

if TYPE_CHECKING:
    from boruna_ls.daemon.clients import Clients

Command = Callable[["Clients", dict[str, Any]], dict[str, Any]]


async def answer(clients: Clients, hello: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers the command that a first line holds."""
    command = COMMANDS.get(str(hello.get("command")))
    found = command(clients, hello) if command is not None else {"error": f"there is no command {hello.get('command')!r}"}
    writer.write(wire.encoded(found))
    await writer.drain()


def status(clients: Clients, hello: dict[str, Any]) -> dict[str, Any]:
    """What the daemon is and whom it serves."""
    life = clients.life
    shown = [
        {"protocol": one.protocol, "pid": one.pid, "cwd": one.cwd, "seconds": round(time.monotonic() - one.since, 1)}
        for one in sorted(clients.connections, key=lambda one: one.since)
    ]
    return {**life.about, "folder": life.folder, "log": places.log_path(life.folder), "idle": life.idle, "clients": shown}


def stop(clients: Clients, hello: dict[str, Any]) -> dict[str, Any]:
    """Ends the daemon."""
    asyncio.get_running_loop().call_soon(clients.life.end, "it was told to stop")
    return {"pid": clients.life.about["pid"], "clients": clients.count}


COMMANDS: Final[dict[str, Command]] = {"status": status, "stop": stop}
