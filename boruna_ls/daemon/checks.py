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
    """What a report about a file needs; an `error` where the command line has to check for itself."""
    name, path, folder = hello.get("name"), hello.get("path"), hello.get("cwd")
    if not isinstance(name, str) or not isinstance(path, str) or not isinstance(folder, str):
        return {"error": "name and path are needed"}
    if hello.get("version") != __version__ or hello.get("package") != wire.PACKAGE:
        return {"error": "another package asks"}
    if not clients.views.is_loaded:
        return {"error": "nothing is loaded yet"}
    from boruna_ls.workspace import ask

    return await asyncio.wrap_future(ask(clients.views.host, partial(_checked, name, path, folder)))


def _checked(name: str, path: str, folder: str, host: Host) -> dict[str, Any]:
    from analysis.documents.check import file_diagnostics
    from analysis.inputs import source
    from boruna_ls.answers.check import check_answer
    from boruna_ls.answers.envelope import as_text, with_freshness
    from boruna_ls.workspace import FileUnavailable

    try:
        file = host.file_for_agent(path, [folder])
    except FileUnavailable as error:
        # The command line finds out, and says so, for itself.
        return {"error": error.reason}
    answer = with_freshness(check_answer(host.db, file, name), host, file)
    text = source(host.db, file).text.split("\n")
    told = [place for made in answer.get("diagnostics", ()) for place in (made, made.get("shown")) if place]
    shown = {place["location"]["line"] for place in told}
    is_unsaved = any(one["unsaved"] for one in host.open_texts(paths=[path]).values())
    return {
        "answer": answer,
        "json": as_text(answer),
        "messages": [made.message for _, made in file_diagnostics(host.db, file).entries],
        "lines": {str(number): text[number - 1].removesuffix("\r") for number in shown if 0 < number <= len(text)},
        "unreadable": "",
        "unsaved": is_unsaved,
        "problems": list(host.problems(file.workspace)),
    }
