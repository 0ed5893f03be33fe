"""The process that drives the runs of this user's store: `python -m boruna_ls.workflow.service`. Started by `runner.py`.

DBOS and its threads live here, not beside the analysis: an editor never waits for them. Requests are lines of JSON on standard
input (`drive`, `hold`), events are lines on standard output. The process ends with its parent; what it drove is taken up by
the next one, whose first act is to look for it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from typing import Any, Final

from boruna_ls import lock_order
from boruna_ls.runtime.workers import shared_pool
from boruna_ls.state import folder
from boruna_ls.state.sql import Sqlite, StoreError
from boruna_ls.wire.lines import lined
from boruna_ls.workflow.driver import Driver, Hooks
from boruna_ls.workflow.engine import AT_ONCE, PART, Engine, place_for
from boruna_ls.workflow.records import RUNNING
from boruna_ls.workflow.store import Outdated, Store, now_ms

FILE: Final = "runs.db"
_LOOK: Final = 3.0
"""Seconds between two looks for runs whose process has ended."""
_GRACE_MS: Final = 5000
"""Milliseconds in which the process that began a drive may still pass it to the engine."""


class Service:
    """Drives runs until standard input ends."""

    def __init__(self) -> None:
        place = folder.opened(PART)
        self._out = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        self.store = Store(Sqlite(place / FILE, is_durable=True))
        self.engine = Engine(Driver(self.store, shared_pool(), Hooks(notify=self.tell)), place_for(place))
        self._drives: dict[str, asyncio.Task[None]] = {}
        self._held: set[str] = set()
        """Runs in our parent's queue, which are not abandoned."""
        self._lock = lock_order.lock("workflows")

    def tell(self, run: str, event: dict[str, Any]) -> None:
        """Writes one event."""
        with self._lock:
            self._out.write(lined(json.dumps({"run": run, **event}).encode()))
            self._out.flush()

    async def serve(self) -> None:
        """Until the end of standard input."""
        lines: asyncio.Queue[bytes] = asyncio.Queue()
        threading.Thread(target=_read, args=(asyncio.get_running_loop(), lines), daemon=True).start()
        looking = asyncio.ensure_future(self._look())
        try:
            while line := await lines.get():
                self._take(json.loads(line))
        finally:
            looking.cancel()
            # Drives are not ended in order: the next process resumes them as after any other end.
            os._exit(0)

    def _take(self, request: dict[str, Any]) -> None:
        run = str(request["run"])
        if request["do"] == "hold":
            self._held.add(run)
        elif request["do"] == "drive":
            self._held.add(run)
            task = asyncio.ensure_future(self._drive(run, int(request["number"])))
            self._drives[run] = task
            task.add_done_callback(lambda _: self._drives.pop(run, None))

    async def _drive(self, run: str, number: int) -> None:
        try:
            status = await self.engine.drive(run, number)
        except Exception as error:
            # The record is as it was: it is taken up again, as after the end of a process.
            status = RUNNING
            self.tell(run, {"kind": "trouble", "message": f"{type(error).__name__}: {error}"})
        self._held.discard(run)
        self.tell(run, {"kind": "ended", "status": status})

    async def _look(self) -> None:
        """Takes up what processes that have ended left behind."""
        while True:
            try:
                await self._take_up()
            except StoreError as error:
                self.tell("", {"kind": "trouble", "message": str(error)})
            await asyncio.sleep(_LOOK)

    async def _take_up(self) -> None:
        alive = await asyncio.to_thread(self.engine.take_over)
        for summary in self.store.runs(RUNNING):
            record = self.store.run(summary.run_id)
            if record is None or summary.run_id in self._drives or f"{summary.run_id}:{record.drive}" in alive:
                continue
            if summary.run_id in self._held or now_ms() - summary.updated_at < _GRACE_MS:
                continue
            # Begun, but not yet known to the engine when its process ended.
            try:
                number = self.store.take(summary.run_id, after=record.drive)
            except Outdated:
                continue
            self._take({"do": "drive", "run": summary.run_id, "number": number})


def _read(loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes]) -> None:
    """Reads beside the loop; the end of the parent ends this process whatever it is at."""
    for line in sys.stdin.buffer:
        loop.call_soon_threadsafe(lines.put_nowait, line)
    loop.call_soon_threadsafe(lines.put_nowait, b"")


def main() -> int:
    """Serves the store of the state folder."""
    service = Service()
    service.engine.launch(listen=AT_ONCE)
    asyncio.run(service.serve())
    return 0


if __name__ == "__main__":
    sys.exit(main())
