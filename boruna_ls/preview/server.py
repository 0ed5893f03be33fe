"""Shows a preview in a browser of this machine (`boruna_ls/local_page`)."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from boruna_ls.local_page.server import Address, BadAction, page_app, serving, stream
from boruna_ls.preview import actions
from boruna_ls.preview.actions import MOST_BYTES, action_of
from boruna_ls.preview.following import followed
from boruna_ls.preview.pages import PAGE
from boruna_ls.preview.session import Find, Preview, Viewer
from boruna_ls.workspace import Host

_MOST_PAGES: Final = 16
"""Pages that show one preview at once."""


@contextlib.asynccontextmanager
async def showing(host: Host, find: Find, title: str, port: int = 0, token: str = "", client: int = 0) -> AsyncIterator[Address]:
    """Serves a preview while the block runs. `port` 0 is any free one. Raises OSError if the address cannot be had."""
    preview = Preview(host, find, title, client)

    def events(_: Request) -> Response:
        return stream(preview.listeners, Viewer(preview).update, _MOST_PAGES)

    async def act(data: bytes) -> None:
        try:
            await preview.act(action_of(data))
        except actions.BadAction as error:
            raise BadAction(f"invalid action: {error}") from None

    async with serving(page_app(PAGE, events, act, MOST_BYTES), port, token) as address, followed(preview):
        yield address
