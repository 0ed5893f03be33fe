"""Checks a file for a command line: what was computed for editors and agents is not computed again (`cli/quick.py` asks)."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

from boruna_ls import __version__
from boruna_ls.rendezvous import wire

if TYPE_CHECKING:
    from boruna_ls.daemon.clients import Clients
    from boruna_ls.workspace import Host


async def check(clients: Clients, hello: dict[str, Any]) -> dict[str, Any]:
    """Data for a report about a file; `{"error": reason}` if the command line has to check the file itself."""
    name, path, folder = hello.get("name"), hello.get("path"), hello.get("cwd")
    if not isinstance(name, str) or not isinstance(path, str) or not isinstance(folder, str):
        return {"error": "name and path are needed"}
    if hello.get("version") != __version__ or hello.get("package") != wire.PACKAGE:
        return {"error": "another package asks"}
    if not clients.views.is_loaded:
        return {"error": "the server is still loading"}
    from boruna_ls.workspace import ask

    return await asyncio.wrap_future(ask(clients.views.host, partial(_checked, name, path, folder)))


def _checked(name: str, path: str, folder: str, host: Host) -> dict[str, Any]:
    # The daemon has started before anything of the analysis is loaded.
    from boruna_ls.answers.file_report import file_report

    return file_report(host, name, path, folder)
