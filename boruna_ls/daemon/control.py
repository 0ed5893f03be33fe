"""The daemon's answers to the command line: one line with a command, one line of answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from boruna_ls.daemon import state
from boruna_ls.rendezvous import wire

if TYPE_CHECKING:
    from boruna_ls.daemon.clients import Clients

Command = Callable[["Clients", dict[str, Any]], dict[str, Any]]


async def answer(clients: Clients, hello: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers the command that a first line holds."""
    name = str(hello.get("command"))
    if name == "http":
        from boruna_ls.daemon.http import serve

        await serve(clients, hello, reader, writer)
        return
    if name == "preview":
        from boruna_ls.daemon.preview import serve as serve_preview

        await serve_preview(clients, hello, reader, writer)
        return
    command = COMMANDS.get(name)
    if name == "check":
        from boruna_ls.daemon.checks import check

        content = await check(clients, hello)
    elif command is None:
        content = {"error": f"there is no command {name!r}: there are {', '.join(COMMANDS)}"}
    else:
        # `texts` reads the disk: not on the event loop, which would delay all clients.
        content = await asyncio.to_thread(command, clients, hello) if command is texts else command(clients, hello)
    writer.write(wire.encoded(content))
    await writer.drain()


def stop(clients: Clients, hello: dict[str, Any]) -> dict[str, Any]:
    """Ends the daemon now."""
    asyncio.get_running_loop().call_later(0.01, clients.life.end, "it was told to stop")
    return {"pid": clients.life.about["pid"], "clients": clients.count}


def retire(clients: Clients, hello: dict[str, Any]) -> dict[str, Any]:
    """Makes room at a quiet moment for a newer installation that has passed its trial, if there is one."""
    return {"pid": clients.life.about["pid"], "retires": clients.life.look_for_successor()}


def texts(clients: Clients, hello: dict[str, Any]) -> dict[str, Any]:
    """The texts of the buffers that were edited last, of the paths asked for or under the roots asked for."""
    if not clients.views.is_loaded:
        return {"texts": {}}
    paths, roots = hello.get("paths"), hello.get("roots")
    return {"texts": clients.views.host.open_texts(paths=_texts(paths), roots=_texts(roots))}


def status(clients: Clients, hello: dict[str, Any]) -> dict[str, Any]:
    """The daemon's status: process, clients, memory."""
    return state.of(clients, time.monotonic())


def _texts(given: Any) -> list[str]:
    return [each for each in given if isinstance(each, str)] if isinstance(given, list) else []


COMMANDS: Final[dict[str, Command]] = {"status": status, "stop": stop, "retire": retire, "texts": texts}
