"""Shows a run in a browser of this machine (`boruna_ls/local_page`), or to an editor over standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from boruna_ls.local_page import server
from boruna_ls.local_page.files import PageFiles
from boruna_ls.local_page.server import Address, page_app, serving, stream
from boruna_ls.run_page.watching import MOST_BYTES, BadAction, Watched, action_of
from boruna_ls.wire.lines import lined

PAGE: Final = PageFiles(Path(__file__).resolve().parent / "page", ("draw.js", "page.js"))
_MOST_PAGES: Final = 16
"""Pages that show one run at once."""


@contextlib.asynccontextmanager
async def showing(watched: Watched, port: int = 0) -> AsyncIterator[Address]:
    """Serves the page of a run while the block runs. Raises OSError if the address cannot be had."""

    def events(_: Request) -> Response:
        return stream(watched.listeners, watched.viewer(), _MOST_PAGES)

    async def act(data: bytes) -> None:
        try:
            await watched.act(action_of(data))
        except BadAction as error:
            raise server.BadAction(str(error)) from None

    async with serving(page_app(PAGE, events, act, MOST_BYTES), port) as address, watched.followed():
        yield address


async def speaking(watched: Watched) -> None:
    """Lines of JSON until standard input ends: `page` once, `update` after every change, `refused` for an action that fails."""
    lines: asyncio.Queue[bytes] = asyncio.Queue()
    threading.Thread(target=_read, args=(asyncio.get_running_loop(), lines), daemon=True).start()
    view = watched.viewer()

    def tell() -> None:
        _write(f'{{"update": {view()}}}')

    _write(json.dumps({"page": PAGE.whole("vscode"), "title": watched.title}))
    tell()
    watched.listeners.append(tell)
    async with watched.followed():
        while line := await lines.get():
            try:
                await watched.act(action_of(line))
            except BadAction as error:
                _write(json.dumps({"refused": str(error)}))


def _write(text: str) -> None:
    sys.stdout.buffer.write(lined(text.encode("utf-8", "backslashreplace")))
    sys.stdout.buffer.flush()


def _read(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes]) -> None:
    while line := sys.stdin.buffer.readline(MOST_BYTES):
        loop.call_soon_threadsafe(lines.put_nowait, line)
    loop.call_soon_threadsafe(lines.put_nowait, b"")
