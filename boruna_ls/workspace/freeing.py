"""Evicts answers, and frees large ones piece by piece, in jobs of the lowest priority.

`analysis/database/debris.py` says what is freed in pieces and why, `Database.defer_sweeps` why evictions wait.
"""

from __future__ import annotations

import time
from contextlib import suppress
from functools import partial
from typing import Final

from analysis.database import Cancelled, Database, Debris
from boruna_ls.workspace.worker import Worker

_TURN: Final = 0.001
"""Seconds of work before it checks whether a more urgent job waits."""


def free_in_pieces(debris: Debris, worker: Worker) -> None:
    """Free large values in a worker's jobs, piece by piece, from now on."""
    debris.listen(partial(_queue, debris, worker))


def _queue(debris: Debris, worker: Worker) -> None:
    # A worker that was stopped frees nothing: the process is about to end.
    with suppress(RuntimeError):
        worker.launch(partial(_clear, debris, worker))


def _clear(debris: Debris, worker: Worker) -> None:
    end = time.perf_counter() + _TURN
    while debris.clear():
        if time.perf_counter() > end:
            if worker.should_yield():
                # The same job goes on later: it has its share of the time where there is never an idle moment.
                raise Cancelled
            end = time.perf_counter() + _TURN


def sweep_in_jobs(db: Database, worker: Worker) -> None:
    """Have what is beyond the limits of a root evicted in a worker's jobs, from now on."""
    queued: list[bool] = []

    def queue() -> None:
        if not queued:
            queued.append(True)
            with suppress(RuntimeError):
                worker.launch(sweep)

    def sweep() -> None:
        queued.clear()
        if not db.sweep():
            # The same job goes on later, as that of `_clear` does.
            queued.append(True)
            raise Cancelled

    db.defer_sweeps(queue)
