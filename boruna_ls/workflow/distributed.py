"""Runs that several machines drive: records and engine in one PostgreSQL database, work handed out by DBOS's queue.

A worker holds an advisory lock of a session. The database frees it however the worker ends; another one takes its runs over.
Commands only write the record of a run: the workers look for runs without a driver.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

from boruna_ls.runtime.workers import shared_pool
from boruna_ls.state.sql import Postgres, StoreUnavailable
from boruna_ls.workflow.driver import Driver, Hooks, Notify
from boruna_ls.workflow.engine import Engine
from boruna_ls.workflow.records import RUNNING, RunRecord
from boruna_ls.workflow.store import Outdated, Store

_LOOK: Final = 1.0
"""Seconds between two looks for runs without a driver."""


class PostgresPlace:
    """DBOS's tables in PostgreSQL, and the locks by which workers detect that another one has ended."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._url = url
        self._session = Postgres(url)

    def settings(self) -> dict[str, Any]:
        """No further settings."""
        return {}

    def lock(self, executor: str) -> Callable[[], None]:
        """Held until the session of its own ends."""
        session = Postgres(self._url)
        session.read("SELECT pg_advisory_lock(?)", _number(executor))
        return session.close

    def has_ended(self, executor: str) -> bool:
        """True if a worker has ended: its lock is free."""
        [(free,)] = self._session.read("SELECT pg_try_advisory_lock(?)", _number(executor))
        if free:
            self._session.read("SELECT pg_advisory_unlock(?)", _number(executor))
        return bool(free)


def _number(executor: str) -> int:
    return int.from_bytes(sha256(executor.encode()).digest()[:8], "big", signed=True)


class Worker:
    """Drives runs of a database until it is stopped. Raises StoreError."""

    def __init__(self, url: str, concurrency: int, notify: Notify) -> None:
        self._store = Store(Postgres(url))
        self._engine = Engine(Driver(self._store, shared_pool(), Hooks(notify=notify)), PostgresPlace(url))
        self._engine.launch(listen=concurrency)

    async def serve(self) -> None:
        """Put runs without a driver into the queue, which DBOS drives."""
        while True:
            # While the database is unreachable, everything waits for it.
            with contextlib.suppress(StoreUnavailable):
                await asyncio.to_thread(self._take_up)
            await asyncio.sleep(_LOOK)

    def _take_up(self) -> None:
        running = [self._store.run(summary.run_id) for summary in self._store.runs(RUNNING)]
        under_way = self._engine.take_over()
        for record in running:
            if record is not None and f"{record.run_id}:{record.drive}" not in under_way:
                # Another worker may do the same: only the latest drive writes, the others end at once.
                with contextlib.suppress(Outdated):
                    self._engine.enqueue(record.run_id, self._store.take(record.run_id, after=record.drive))


def at_rest(store: Store, run: str) -> RunRecord | None:
    """The run once it has ended or waits; looks again and again."""
    while (record := store.run(run)) is not None and record.status == RUNNING:
        time.sleep(0.1)
    return record
