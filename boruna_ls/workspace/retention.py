"""Schedule of eviction: when the database evicts answers about texts that no longer exist (`analysis/database/retention.py`).

After every `EVERY` edits a job of the lowest priority runs it, and resumes where it was after more urgent jobs.
After long texts were removed and no request came for a while, all answers about them are evicted.
Without jobs, eviction is done at once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from analysis.database import Cancelled, Database, retain
from boruna_ls.workspace.worker import Worker

EVERY: Final = 250
"""Texts replaced or removed between two runs: each leaves some ten kilobytes behind."""
MUCH: Final = 500_000
"""Characters of removed texts, or by which texts became shorter or longer, after which a run follows: they leave 50 MB behind."""
SOME: Final = 50_000
"""The same after a while without requests: then all answers about removed texts are evicted."""
_TURN: Final = 0.002
"""Seconds of work before it checks whether a more urgent job waits."""
_QUIET: Final = 1.0
_LONG_QUIET: Final = 5.0
_LONGEST_WAIT: Final = 600.0
"""Seconds without a job before freed memory is returned to the system, and before all objects are collected, which stops all
threads for 0.2 s and would delay the next keystroke. After the third, free memory is returned in any case. A daemon short of
memory acts by itself (`daemon/life.py`)."""


class Retention:
    """Counts removed texts and evicts after many. May be called from any thread."""

    def __init__(self, db: Database, worker: Worker) -> None:
        self._db = db
        self._worker = worker
        self._gone = self._characters = self._unswept = 0
        """Texts and characters removed since the last run, and characters removed since the last complete run."""
        self._steps: Iterator[None] | None = None
        self._awaits_quiet = False
        """True while a thread waits for a quiet moment for a complete run."""
        self._must_sweep = False
        """True if a complete eviction follows the current run."""
        self._has_swept = self._gives_back = self._collects = False
        """True if there was a complete run since all objects were collected; True while a thread waits for a moment to return
        memory; the same for collecting."""

    def text_gone(self, characters: int) -> None:
        """A text was replaced or removed; `characters` is the minimum number lost or gained."""
        self._gone += 1
        self._characters += characters
        self._unswept += characters
        if self._unswept >= SOME and not self._awaits_quiet and self._worker.is_used:
            self._awaits_quiet = True
            threading.Thread(target=self._sweep_when_quiet, name="sweep", daemon=True).start()
        if (self._gone >= EVERY or self._characters >= MUCH) and self._steps is None:
            self._gone = self._characters = 0
            self._steps = retain(self._db)
            self._queue()

    def sweep(self) -> None:
        """Evicts soon and completely, even after few removed texts: a client has disconnected, or memory is short.

        A few remaining answers would keep whole regions of memory allocated.
        """
        self._must_sweep = True
        if self._steps is None:
            self._begin_sweep()

    def _sweep_when_quiet(self) -> None:
        self._wait_for(_LONG_QUIET)
        self._awaits_quiet = False
        with suppress(RuntimeError):  # stopped: the process is about to end
            self._worker.launch(self.sweep)

    def _begin_sweep(self) -> None:
        self._must_sweep = False
        self._has_swept = True
        self._gone = self._characters = self._unswept = 0
        self._steps = retain(self._db, 0)
        self._queue()

    def _queue(self) -> None:
        if not self._worker.is_used:
            # The command line uses the database directly: its edits would have to wait for a job.
            for _ in self._steps or ():
                continue
            self._steps = None
            return
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
                if time.perf_counter() > end and self._worker.should_yield():
                    is_at_end = False
                    # The same job continues later: it gets its share of the time even without an idle moment.
                    raise Cancelled
        finally:
            # The next run starts from the beginning, even after an exception.
            if is_at_end:
                self._steps = None
                if self._must_sweep:
                    self._begin_sweep()
                elif not self._gives_back:
                    self._gives_back = True
                    threading.Thread(target=self._give_back, name="trim", daemon=True).start()

    def _give_back(self) -> None:
        """Trims memory when no job runs, because it would delay all jobs; after a while in any case. On its own thread."""
        from boruna_ls.process import give_back, trim  # now: a check at a terminal has no use for it

        self._wait_for(_QUIET)
        self._gives_back = False
        trim()
        if not self._has_swept or self._collects:
            return
        self._collects = True
        if self._wait_for(_LONG_QUIET):
            self._has_swept = False
            give_back()
        self._collects = False

    def _wait_for(self, quiet: float) -> bool:
        """Waits until no job has run for `quiet` seconds; False if that did not happen."""
        ends = time.monotonic() + _LONGEST_WAIT
        while (idle := self._worker.idle_for()) < quiet and time.monotonic() < ends:
            time.sleep(min(quiet - idle, _QUIET / 2))
        return idle >= quiet
