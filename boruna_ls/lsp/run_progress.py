"""A run as the editor shows it: work-done progress with the steps so far, and a button that stops the run.

An editor that sends a token with its request is notified of the run at once, the others when the run takes a while.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from boruna_ls.runtime.pool_run import Run

if TYPE_CHECKING:
    from pygls.progress import Progress

    from boruna_ls.lsp.session import Session

SHOWN_AFTER: Final = 0.5
"""Seconds."""
_LOOKS: Final = 0.1
"""Seconds between two tests whether the button was pressed."""
_REPORTED_EVERY: Final = 0.5
_PATIENCE: Final = 10.0
"""Seconds in which an editor has to answer that it shows progress."""
Token = int | str


class Steps:
    """The progress of a run, reported by another thread."""

    def __init__(self) -> None:
        self.text = ""

    def __call__(self, message: bytes) -> None:
        data = json.loads(message)
        self.text = f"{data['steps']:,} steps" + (f", {data['message']}" if data.get("message") else "")


async def shown(session: Session, run: Run, steps: Steps, title: str, token: Token | None) -> bool:
    """Waits for the end of a run and shows it; False if the user has stopped it."""
    ended: asyncio.Future[bytes] = asyncio.wrap_future(run.future)
    # Only the end matters here; the outcome is read from the run itself.
    waiting = asyncio.ensure_future(asyncio.wait([ended]))
    bar = _Bar(session.connection.progress, title, token)
    can_show = token is not None or session.supports("window.work_done_progress")
    begun = time.monotonic()
    try:
        while not waiting.done():
            await asyncio.wait([waiting], timeout=_LOOKS)
            if can_show and (token is not None or time.monotonic() - begun > SHOWN_AFTER):
                bar.tell(steps.text)
            if bar.is_stopped and not waiting.done():
                run.stop()
                return False
        return True
    finally:
        waiting.cancel()
        ended.add_done_callback(lambda done: None if done.cancelled() else done.exception())
        bar.end()


class _Bar:
    def __init__(self, progress: Progress, title: str, token: Token | None) -> None:
        self._progress = progress
        self._title = title
        self._is_theirs = token is not None
        self._token: Token = token if token is not None else f"boruna-{secrets.token_hex(6)}"
        self._creating: asyncio.Future[None] | None = None
        self._is_begun = self._is_over = False
        self._reported = 0.0
        self._reported_text = ""

    @property
    def is_stopped(self) -> bool:
        """True if the user has pressed the button."""
        held = self._progress.tokens.get(self._token)
        return held is not None and held.cancelled()

    def tell(self, text: str) -> None:
        """Shows the bar if it is not there yet, and how far the run is."""
        if self._is_begun:
            now = time.monotonic()
            if text != self._reported_text and now - self._reported > _REPORTED_EVERY:
                self._reported, self._reported_text = now, text
                self._progress.report(self._token, types.WorkDoneProgressReport(message=text, cancellable=True))
        elif self._is_theirs:
            self._begin()
        elif self._creating is None:
            self._creating = asyncio.ensure_future(self._create(self._progress))

    def end(self) -> None:
        """The run is over."""
        self._is_over = True
        if self._is_begun:
            self._progress.end(self._token, types.WorkDoneProgressEnd())
            self._progress.tokens.pop(self._token, None)

    async def _create(self, progress: Progress) -> None:
        with contextlib.suppress(Exception):  # an editor that refuses gets no progress bar
            await asyncio.wait_for(progress.create_async(self._token), _PATIENCE)
            self._begin()
            if self._is_over:
                self.end()

    def _begin(self) -> None:
        self._is_begun = True
        self._progress.begin(self._token, types.WorkDoneProgressBegin(self._title, cancellable=True))
