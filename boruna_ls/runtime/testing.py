"""Functions of a module as tests: each is run by itself, from the beginning, and passes or fails.

A test is a function without parameters. It passes if it ends without an error and gives `true`, Unit or an `Ok`.
"""

from __future__ import annotations

import time
from typing import Any

from boruna_ls.runtime.errors import LimitExceeded
from boruna_ls.runtime.forms import TooLarge, display
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.job import Job, unpacked
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.run import RunOutcome, run_module
from boruna_ls.runtime.values import OK_HEAD, Value

_SHOWN = 500
"""Maximum number of characters of a reported value or message."""
_PARTS = 10_000


def run_tests(job: Job) -> dict[str, Any]:
    """Runs the functions `job.tests`, with mocked effects; one entry for each, in that order.

    `status` is "passed", "failed" or "not_run": nothing is begun after the time is up, or the memory.
    """
    module = unpacked(job.module)
    ends = None if job.max_wall_ms is None else time.monotonic() + job.max_wall_ms / 1000
    entries: list[dict[str, Any]] = []
    stopped, is_full = "", False
    for function in job.tests:
        left = None if ends is None else int((ends - time.monotonic()) * 1000)
        if not stopped and left is not None and left <= 0:
            stopped = f"the time for tests, {job.max_wall_ms} ms, has expired"
        if stopped:
            entries.append({"function": function, "status": "not_run", "message": stopped, "steps": 0})
            continue
        options = Options(
            max_steps=job.max_steps,
            max_wall_ms=left,
            gateway=Gateway(job.policy, Mock(display, job.inputs)),
            entry=function,
            debug=lambda text: None,
        )
        run = run_module(module, options)
        entries.append({"function": function, "steps": run.steps, **_item_diagnostics(run)})
        if run.error is not None and isinstance(run.error.cause, LimitExceeded) and run.error.cause.limit_kind == "memory":
            stopped, is_full = "a test before it used up the memory", True
    outcome: dict[str, Any] = {"tests": entries, "steps": sum(entry["steps"] for entry in entries)}
    if is_full:
        # As for a run: what it did to the heap must not be felt by the next one.
        outcome["error"] = {"limit_kind": "memory"}
    return outcome


def passes(value: Value) -> bool:
    """True if a test that returns this value has passed."""
    return value is None or value is True or (type(value) is tuple and value[0] == OK_HEAD)


def _item_diagnostics(outcome: RunOutcome) -> dict[str, Any]:
    if outcome.error is not None:
        error = outcome.error
        return {
            "status": "failed",
            "kind": error.kind,
            "message": error.message[:_SHOWN],
            "stack": [list(frame) for frame in error.call_stack],
        }
    if passes(outcome.value):
        return {"status": "passed"}
    try:
        text = display(outcome.value, _PARTS)
    except TooLarge:
        text = "a value that is too large to be shown"
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return {"status": "failed", "kind": "wrong_value", "message": f"gave {shown}; a test passes with true, Unit or Ok"}
