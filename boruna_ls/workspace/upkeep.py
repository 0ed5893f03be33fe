"""Decides when the database lets go of what was computed about texts that are gone (`analysis/upkeep.py`).

Every couple of hundred edits a job of the lowest priority walks through it, and starts where it was after more urgent ones.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from analysis.database import Database
from analysis.upkeep import let_go
from boruna_ls.workspace.worker import Worker

EVERY: Final = 250
"""Texts that were replaced or removed: each has left some ten kilobytes behind."""
_TURN: Final = 0.002
"""Seconds for which it works before it looks whether somebody waits."""


class Upkeep:
    """Counts the texts that went, and does what is to be done after many. May be called from any thread."""

    def __init__(self, db: Database, worker: Worker) -> None:
        self._db = db
        self._worker = worker
        self._gone = 0
        self._steps: Iterator[None] | None = None

    def text_gone(self) -> None:
        """A text was replaced by another one, or removed."""
        self._gone += 1
        if self._gone >= EVERY and self._steps is None:
            self._gone = 0
            self._steps = let_go(self._db)
            self._queue()

    def _queue(self) -> None:
        try:
            self._worker.launch(self._work)
        except RuntimeError:
            # Stopped: the process is about to end.
            self._steps = None

    def _work(self) -> None:
        steps = self._steps
        if steps is None:
            return
        end = time.perf_counter() + _TURN
        is_at_end = True
        try:
            for _ in steps:
                # Where there is never an idle moment it comes to an end all the same.
                if self._gone < EVERY and time.perf_counter() > end and self._worker.should_yield():
                    is_at_end = False
                    self._queue()
                    return
        finally:
            # Whatever happened here: after the next texts that go it begins anew.
            if is_at_end:
                self._steps = None
