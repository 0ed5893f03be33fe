"""The rest of the workspaces in which an editor works: checked when there is time, with a progress bar if that takes long.

With the setting `boruna.diagnostics.scope` = "workspace" the diagnostics of files that are not open are pushed, too.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from boruna_ls.workspace import Host
from boruna_ls.workspace.warming import Warming

if TYPE_CHECKING:
    from boruna_ls.lsp.server import Server

log = logging.getLogger(__name__)
SHOWN_AFTER: Final = 0.5
"""Seconds after which work is shown as progress."""
_REPORTED_EVERY: Final = 0.25
_PATIENCE: Final = 10.0
"""Seconds in which an editor has to answer that it shows progress."""


class Idle:
    """Idle-time work for one editor. All of it runs on the event loop."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._session = server.session
        self._warming = Warming.of(server.session.host)
        self._roots: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def opened(self, root: str) -> None:
        """The editor opened a file of a workspace."""
        if root and root not in self._roots:
            self._roots.add(root)
            self._start(self._walk(root))

    def changed(self) -> None:
        """Files, libraries or settings are others than before."""
        for root in self._roots:
            self._start(self._walk(root))
        self.publish()

    def publish(self) -> None:
        """The diagnostics of files that are not open may be others."""
        self._start(self._server.others.publish())

    def end(self) -> None:
        """The connection has ended."""
        for task in self._tasks:
            task.cancel()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("idle work failed", exc_info=error)

    async def _walk(self, root: str) -> None:
        host: Host = self._session.host
        bar = _Bar(self._server, "Checking the workspace")
        try:
            await self._warming.walk(host, self._session.client, root, bar.report)
        finally:
            bar.end()
        await self._server.others.publish()


class _Bar:
    """Work-done progress that appears only if the work takes a while, and which the user can stop."""

    def __init__(self, server: Server, title: str) -> None:
        self._server = server
        self._title = title
        self._begun = self._reported = time.monotonic()
        self._token: str | None = None
        self._is_shown = False
        self._is_over = False

    def report(self, done: int, total: int) -> bool:
        """Shows how far the work is; False once the user does not want it any more."""
        now = time.monotonic()
        if self._token is None:
            if now - self._begun > SHOWN_AFTER and self._server.session.supports("window.work_done_progress"):
                self._token = f"boruna-{secrets.token_hex(6)}"
                self._creating = asyncio.ensure_future(self._create(self._token, done, total))
        elif self._is_shown:
            if self._server.work_done_progress.tokens[self._token].cancelled():
                return False
            if now - self._reported > _REPORTED_EVERY:
                self._reported = now
                value = types.WorkDoneProgressReport(message=f"{done} of {total} files", percentage=100 * done // max(total, 1))
                self._server.work_done_progress.report(self._token, value)
        return True

    def end(self) -> None:
        """The work is done, or was stopped."""
        self._is_over = True
        if self._is_shown and self._token is not None:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd())
            self._server.work_done_progress.tokens.pop(self._token, None)

    async def _create(self, token: str, done: int, total: int) -> None:
        with contextlib.suppress(Exception):  # an editor that refuses gets no progress bar
            await asyncio.wait_for(self._server.work_done_progress.create_async(token), _PATIENCE)
            percentage = 100 * done // max(total, 1)
            value = types.WorkDoneProgressBegin(self._title, cancellable=True, percentage=percentage)
            self._server.work_done_progress.begin(token, value)
            self._is_shown = True
            if self._is_over:
                self.end()
