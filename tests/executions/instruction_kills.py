"""Kills a process between two instructions of `submit`: `python -m tests.executions.instruction_kills [--every 1] [--first 1]`.

A trace of all lines and instructions of our code ends the process (SIGKILL) at the first one, then, in another process, at the
next, and so on. Each time the task must be open as it was, or answered, and nothing between.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from tests.executions.stories import begun, driven, service_in

PROGRAM = 'fn main() -> String !{llm.call} {\n    llm_call("a") ++ llm_call("b")\n}\n'


def _in_a_child(work: Any) -> int:
    """Wait status of a process that does this: the parent has no threads, so that children can be forked from it."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1]


def _submitted(folder: Path, kill_at: int) -> None:
    """Answers the task; the process ends at this trace event."""
    service, events = service_in(folder), 0
    execution = service.store.execution("local", "one")
    assert execution is not None

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal events
        if "boruna_ls" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        events += 1
        if events == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)
    service.submit(execution, "answer", execution.task_id(0))
    sys.settrace(None)


def _standing(folder: Path) -> str:
    """State of the task: "open" or "answered"; anything else is a problem."""
    service = service_in(folder)
    execution = service.store.execution("local", "one")
    assert execution is not None
    calls = service.store.calls(execution.key)
    service.store.sql.close()
    counts = (len(calls), execution.state, execution.answered, execution.tokens > 0)
    if calls[0].result is None:
        return "open" if counts == (1, "AWAITING_COGNITIVE_RESULT", 0, False) else f"no answer, but {counts}"
    return "answered" if counts == (1, "RUNNING", 1, True) and "answer" in calls[0].result else f"an answer, but {counts}"


def killed(scratch: Path, first: int, every: int) -> Counter[str]:
    """Number of kills by how the task stood afterwards."""
    begin, copy, counts = scratch / "begin", scratch / "copy", Counter[str]()

    def start() -> None:
        service = service_in(begin)
        driven(service, begun(service, PROGRAM))
        service.store.sql.close()

    assert _in_a_child(start) == 0
    kill_at = first
    while True:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(begin, copy)
        status = _in_a_child(partial(_submitted, copy, kill_at))
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            return counts
        counts[_standing(copy)] += 1
        kill_at += every


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        counts = killed(Path(scratch), options.first, options.every)
    print(", ".join(f"{number} times {name}" for name, number in counts.items()))
    return 0 if set(counts) == {"open", "answered"} else 1


if __name__ == "__main__":
    sys.exit(main())
