"""`boruna.preview`: a preview of a document for its editor, as a page in a webview or in the browser.

With `{"webview": true}` as second argument the answer holds the page, which the editor shows; updates come as notifications
`boruna/preview/update`, and `boruna/preview/act` brings what its user does. Otherwise the page is served on this machine, and the
editor is asked to open its address.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from boruna_ls.lsp.session import Session
from boruna_ls.preview import pages
from boruna_ls.preview.actions import BadAction, action_of
from boruna_ls.preview.following import followed
from boruna_ls.preview.session import Preview, Viewer
from boruna_ls.workspace import Host
from boruna_ls.workspace.uris import path_of

UPDATE: Final = "boruna/preview/update"
MOST: Final = 8
"""Previews of one editor; the oldest ends when another one begins."""
_log = logging.getLogger(__name__)


class _Shown:
    """A preview that runs until its task ends."""

    def __init__(self, task: asyncio.Task[None], preview: Preview | None = None) -> None:
        self.task = task
        self.preview = preview
        self.viewer: Viewer | None = None


class Previews:
    """Previews of one editor."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shown: dict[str, _Shown] = {}

    async def show(self, uri: str, is_webview: bool) -> dict[str, Any]:
        """The answer of the command."""
        path = path_of(uri)
        title = os.path.basename(path)

        def find(host: Host) -> Any:
            return host.file_for_editor(self._session.client, path)

        while len(self._shown) >= MOST:
            self._shown.pop(next(iter(self._shown))).task.cancel()
        name = secrets.token_hex(8)
        if is_webview:
            preview = Preview(self._session.host, find, title, self._session.client.id)
            shown = self._shown[name] = _Shown(asyncio.create_task(_followed(preview)), preview)
            preview.listeners.append(partial(self._tell, name))
            shown.task.add_done_callback(lambda _: self._shown.pop(name, None))
            return {"success": True, "preview": name, "title": title, "html": pages.whole("vscode")}
        return await self._in_browser(name, find, title)

    async def _in_browser(self, name: str, find: Callable[[Host], Any], title: str) -> dict[str, Any]:
        from boruna_ls.preview.server import showing  # the HTTP server: now, as most editors never need it

        url: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def serve() -> None:
            try:
                async with showing(self._session.host, find, title, client=self._session.client.id) as address:
                    url.set_result(address.url)
                    await asyncio.Event().wait()
            except OSError as error:
                if not url.done():
                    url.set_exception(error)

        task = asyncio.create_task(serve())
        self._shown[name] = _Shown(task)
        task.add_done_callback(lambda _: self._shown.pop(name, None))
        try:
            address = await url
        except OSError as error:
            return {"success": False, "message": str(error)}
        if self._session.supports("window.show_document.support"):
            await self._session.connection.open_outside(address)
        else:
            self._session.connection.show(types.MessageType.Info, f"preview of {title}: {address}")
        return {"success": True, "url": address}

    async def act(self, params: Any) -> dict[str, Any]:
        """`{"preview": …, "action": …}`; without an action a new page gets the whole state."""
        given = params if isinstance(params, dict) else {}
        shown = self._shown.get(str(given.get("preview")))
        if shown is None or shown.preview is None:
            raise JsonRpcInvalidParams("this preview no longer exists: open it again")
        action = given.get("action")
        if action is None:
            shown.viewer = Viewer(shown.preview)
            self._tell(str(given["preview"]))
            return {}
        try:
            await shown.preview.act(action_of(action))
        except BadAction as error:
            raise JsonRpcInvalidParams(f"invalid action: {error}") from None
        return {}

    async def close(self, params: Any) -> dict[str, Any]:
        """The editor does not show a preview any more."""
        shown = self._shown.pop(str(params.get("preview") if isinstance(params, dict) else ""), None)
        if shown is not None:
            shown.task.cancel()
        return {}

    async def end(self) -> None:
        """The editor has gone."""
        tasks = [shown.task for shown in self._shown.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _tell(self, name: str) -> None:
        shown = self._shown.get(name)
        if shown is None or shown.viewer is None:
            return
        params = f'{{"preview": "{name}", "update": {shown.viewer.update()}}}'
        message = f'{{"jsonrpc": "2.0", "method": "{UPDATE}", "params": {params}}}'
        self._session.connection.send(message.encode("utf-8", "backslashreplace"))


async def _followed(preview: Preview) -> None:
    async with followed(preview):
        await asyncio.Event().wait()


def of(session: Session) -> Previews:
    """The previews of an editor."""
    return session.part(Previews, session)


async def execute(session: Session, params: types.ExecuteCommandParams) -> dict[str, Any]:
    """Shows a preview of the document whose URI is the first argument."""
    arguments = params.arguments or []
    if not arguments or not isinstance(arguments[0], str):
        raise JsonRpcInvalidParams("the first argument of boruna.preview is the URI of a document")
    options = arguments[1] if len(arguments) > 1 else None
    is_webview = isinstance(options, dict) and options.get("webview") is True
    return await of(session).show(arguments[0], is_webview)
