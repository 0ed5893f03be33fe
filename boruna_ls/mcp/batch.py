"""Many runs for one call: a few at a time, so that the programs of other clients get their turn, all of them within the time.

A run that fails, dies or comes too late is an outcome of its own; the others go on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable
from typing import Final

from boruna_ls.deadline import Deadline
from boruna_ls.mcp.tool import Batch, Report
from boruna_ls.runtime.pool_run import DeadlineExceeded, Died, QueueFull, Run, Stopped
from boruna_ls.runtime.workers import shared_pool

LONGEST: Final = 50.0
"""Seconds that all runs of a call may take together."""
_MARGIN: Final = 1.0
"""Seconds of the call's time that are kept for its answer."""
_LEAST: Final = 0.05


async def run_batch(batch: Batch, ends: float, report: Report | None, owner: Hashable = None) -> list[bytes | Exception]:
    """The outcome of each job; `ends` is when the call must be answered, on the monotonic clock."""
    now = time.monotonic()
    ends = min(max(ends - _MARGIN, now + (ends - now) / 2), now + LONGEST)
    outcomes: list[bytes | Exception] = [Stopped()] * len(batch.jobs)
    waiting = iter(range(len(batch.jobs)))
    running: set[Run] = set()
    done = 0

    async def work() -> None:
        nonlocal done
        for number in waiting:
            outcomes[number] = await _one(batch.jobs[number], ends, running, owner)
            done += 1
            if report is not None:
                await report(float(done), float(len(batch.jobs)), None)

    workers = [asyncio.ensure_future(work()) for _ in range(max(shared_pool().size - 1, 1))]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        for run in running:
            run.stop()
    return outcomes


async def _one(make: Callable[[], object], ends: float, running: set[Run], owner: Hashable) -> bytes | Exception:
    if ends - time.monotonic() < _LEAST:
        return DeadlineExceeded()
    job = await asyncio.to_thread(make)
    try:
        run = shared_pool().submit(job, Deadline(max(ends, time.monotonic() + _LEAST)), owner=owner)
    except QueueFull as full:
        return full
    running.add(run)
    try:
        # The pool may be full with the programs of others: waiting for a process counts, too.
        async with asyncio.timeout(max(ends - time.monotonic(), _LEAST)):
            return await asyncio.wrap_future(run.future)
    except TimeoutError:
        run.stop(DeadlineExceeded())
        return DeadlineExceeded()
    except (Died, DeadlineExceeded, Stopped) as error:
        return error
    finally:
        if run.future.done():
            running.discard(run)
