"""Keeps a preview up to date while a page shows it: every edit, saved or not, every change on disk."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Final

from boruna_ls.preview.session import Preview
from boruna_ls.workspace import Change, Kind

_INTERVAL: Final = 2.0
"""Seconds between two looks without an event: for changes that cause no event."""
_TOGETHER: Final = 0.01
"""Seconds in which changes are waited for that come together."""
_log = logging.getLogger(__name__)


@contextlib.asynccontextmanager
async def followed(preview: Preview, stops: bool = True) -> AsyncIterator[None]:
    """Follows the program of a preview as long as the block runs; at its end what runs is stopped if `stops`."""
    loop, signal = asyncio.get_running_loop(), asyncio.Event()

    def changed(change: Change) -> None:
        if change.kind is Kind.LIBRARY or change.workspace == preview.workspace:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(signal.set)

    async def follow() -> None:
        while True:
            signal.clear()
            try:
                await preview.refresh()
            except Exception:
                _log.exception("a preview could not be updated")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(signal.wait(), _INTERVAL)
                await asyncio.sleep(_TOGETHER)

    preview.host.listeners.append(changed)
    task = asyncio.create_task(follow())
    try:
        yield
    finally:
        preview.host.listeners.remove(changed)
        task.cancel()
        if stops:
            preview.stop()
        with contextlib.suppress(asyncio.CancelledError):
            await task
