"""Lenses of workflows follow runs that others drive or decide about: the command line, agents, other editors.

The store of runs is looked at once a second while a document that can be run is open. A look is two calls of the file system,
unless something was written.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Final

from analysis.documents.kinds import kind_of
from boruna_ls.lsp.workflow_runs import paused_runs, store_path

if TYPE_CHECKING:
    from boruna_ls.lsp.session import Session
    from boruna_ls.workflow.records import Paused

_INTERVAL: Final = 1.0


class RunLenses:
    """Lenses that one editor shows of paused runs. Created when it first asks for lenses of a workflow."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shown: list[Paused] = []
        self._work: asyncio.Task[None] | None = None

    def follow(self, shown: list[Paused]) -> None:
        """The editor has lenses of these runs now."""
        self._shown = shown
        if self._work is None or self._work.done():
            self._work = asyncio.get_running_loop().create_task(self._look_again())

    async def _look_again(self) -> None:
        # What was written since the lenses were made is found by the first look.
        written: list[tuple[int, int]] = []
        while self._is_open():
            await asyncio.sleep(_INTERVAL)
            before, written = written, await asyncio.to_thread(_written)
            if written == before:
                continue
            runs = await asyncio.to_thread(paused_runs)
            if runs != self._shown:
                self._shown = runs
                self._session.connection.refresh_views()

    def _is_open(self) -> bool:
        paths = self._session.host.open_paths(self._session.client)
        return any(kind_of(path).identity is not None for path in paths)


def _written() -> list[tuple[int, int]]:
    """Times and sizes of the store's files; they differ after each write to the store."""
    lenses = []
    for suffix in ("", "-wal"):
        try:
            status = os.stat(f"{store_path()}{suffix}")
            lenses.append((status.st_mtime_ns, status.st_size))
        except OSError:
            lenses.append((0, 0))
    return lenses
