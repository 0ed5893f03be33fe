"""Checks many programs in several processes, one for each processor: where there is enough to do, and no other thread.

The processes are forked from this one, so they have its imports and its session, with what editors have unsaved. Where that is
impossible, or a process dies, this one does the work itself.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Final

from boruna_ls.cli.checking import Checked, check_program
from boruna_ls.cli.output import with_progress
from boruna_ls.cli.programs import Program, Session

_WORTH: Final = 150_000
"""Bytes of programs from which on processes are started: a tenth of a second for each."""
_MOST_PROCESSES: Final = 8
_session: Session | None = None
"""The session of the forked processes."""


def check_programs(session: Session, programs: Sequence[Program]) -> list[Checked]:
    """Checks programs, in their order, with progress."""
    processes = _processes(programs)
    if processes < 2:
        return _checked_here(session, programs)
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    global _session
    _session = session
    executor = ProcessPoolExecutor(processes, get_context("fork"), _begin)
    checked: list[Checked] = []
    try:
        done = executor.map(_check, programs)
        for _ in with_progress(programs, "checking"):
            program, problems = next(done)
            session.add_problems(problems)
            checked.append(program)
    except BrokenProcessPool:
        checked += _checked_here(session, programs[len(checked) :])
    finally:
        # An interpreter that ends before the executor has complains of a closed pipe; after an interrupt we do not wait for that.
        executor.shutdown(wait=len(checked) == len(programs), cancel_futures=True)
        _session = None
    return checked


def _checked_here(session: Session, programs: Sequence[Program]) -> list[Checked]:
    with session.host.jobs.one_look():
        return [check_program(session, program) for program in with_progress(programs, "checking")]


def _processes(programs: Sequence[Program]) -> int:
    """Number of processes to use; 1 means this one."""
    # Elsewhere libraries of the system do not survive a fork, or there is none.
    if sys.platform != "linux" or threading.active_count() > 1:
        return 1
    paths = [program.path for program in programs]
    if len(paths) < 2 or None in paths or sum(map(_size, paths)) < _WORTH:
        return 1
    return min(len(os.sched_getaffinity(0)), len(paths), _MOST_PROCESSES)


def _size(path: str | None) -> int:
    try:
        return os.stat(path or "").st_size
    except OSError:
        return 0


def _begin() -> None:
    """In a forked process: ends silently with the command, and does not look for cycles, of which there are few."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(100_000, 50, 1000)


def _check(program: Program) -> tuple[Checked, list[str]]:
    assert _session is not None
    with _session.host.jobs.one_look():
        return check_program(_session, program), _session.problems()
