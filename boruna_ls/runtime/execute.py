"""Does a job: runs the module and makes JSON of what came of it, bounded in size. Called in worker processes and by commands.

The outcome is plain data whose values of the program are JSON texts already: the server only puts them into answers.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from analysis.bytecode.module import Op
from boruna_ls.runtime.errors import CapabilityDenied, LimitExceeded
from boruna_ls.runtime.forms import TooLarge, brief, display, public_json
from boruna_ls.runtime.gateway import Gateway, Handler
from boruna_ls.runtime.interpreter import Frame, Machine
from boruna_ls.runtime.job import Job, LiveTask, Mode, Task, unpacked
from boruna_ls.runtime.json_text import depth_of
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.named_text import named_parts
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.remote import Ask, Remote
from boruna_ls.runtime.run import RunOutcome, run_module
from boruna_ls.runtime.schemas import InvalidSchema, violations
from boruna_ls.runtime.trace import LAST, op_text

ANSWER_LIMIT: Final = 900_000
"""Bytes of the program's values in one answer, so that the whole of it stays below 1 MB."""
DEPTH_LIMIT: Final = 5_000
"""Levels of a value that an answer can hold."""
PARTS_LIMIT: Final = 1_000_000
"""Values inside a value that is made JSON: one that shares its parts can stand for any number of them."""
_VALIDATED_DEPTH: Final = 500
_DEBUG_LIMIT: Final = 65_536
_TEXT_LIMIT: Final = 200_000
_MOST_LOCALS: Final = 20
_MEMORY: Final = 1 << 30

Outcome = dict[str, Any]
Progress = Callable[[bytes], None]


def execute_safely(job: Job | Task | LiveTask, progress: Progress, ask: Ask) -> tuple[bytes, bool]:
    """The outcome as JSON, and whether the process should end, since the memory it may have is used up."""
    try:
        outcome = execute(job, progress, ask)
        exhausted = outcome.get("error", {}).get("limit_kind") == "memory"
        return json.dumps(outcome).encode(), exhausted
    except (MemoryError, TooLarge):
        return out_of_memory(), True


def out_of_memory() -> bytes:
    """The outcome of a run whose end cannot be told any better."""
    return json.dumps({"steps": 0, "error": _limit("memory", _MEMORY, "execution", _too_much())}).encode()


def execute(job: Job | Task | LiveTask, progress: Progress = lambda content: None, ask: Ask | None = None) -> Outcome:
    """Does a job in this process; `ask` answers the capability calls of a live run."""
    if isinstance(job, LiveTask):
        assert ask is not None
        return job.perform_live(progress, ask)
    if not isinstance(job, Job):
        return job.perform(progress)
    if job.mode is Mode.RUN:
        return _run(job, progress, Remote(ask, job.inputs) if job.live and ask is not None else mock_of(job))
    if job.mode is Mode.TESTS:
        from boruna_ls.runtime.testing import run_tests

        return run_tests(job)
    from boruna_ls.runtime import sealed

    return sealed.run_sealed(job) if job.mode is Mode.SEALED else sealed.run_replay(job)


class PlacedTrace:
    """An observer that keeps lines of a trace from `offset` on, with function and instruction of each, and the last few.

    `values` has the beginning of the value on the top of the stack for each line, if `wants_values`.
    """

    def __init__(self, offset: int, limit: int, wants_values: bool = False) -> None:
        self.values: list[str] = []
        self._wants_values = wants_values
        self.lines: list[str] = []
        self.places: list[tuple[int, int]] = []
        self._last: deque[tuple[str, int, Op, int]] = deque(maxlen=LAST)
        self.truncated = False
        self._skipped = offset
        self._limit = limit

    def __call__(self, machine: Machine, frame: Frame, op: Op) -> None:
        # Texts are made of those that are shown, not of the million before them.
        self._last.append((frame.code.name, frame.ip, op, len(machine.stack)))
        if self._skipped:
            self._skipped -= 1
        elif len(self.lines) < self._limit:
            self.lines.append(_line(*self._last[-1]))
            self.places.append((frame.function, frame.ip))
            if self._wants_values:
                self.values.append(brief(machine.stack[-1]) if machine.stack else "")
        else:
            self.truncated = True

    @property
    def last(self) -> list[str]:
        """The last few lines of all."""
        return [_line(*entry) for entry in self._last]


def _line(function: str, ip: int, op: Op, depth: int) -> str:
    return f"[{function}:{ip}] {op_text(op)}  stack_depth={depth}"


class Debug:
    """Output of a program's debugging functions: to standard error, and its beginning into the answer."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._left = _DEBUG_LIMIT

    def __call__(self, text: str) -> None:
        if self._left > 0:
            shown = text[: self._left]
            self._left -= len(text)
            self.texts.append(shown)
            sys.stderr.write(shown)


def mock_of(job: Job) -> Handler:
    """Handler that answers the capabilities of a job without effects."""
    return Mock(display, job.inputs)


def _run(job: Job, progress: Progress, handler: Handler) -> Outcome:
    gateway, debug = Gateway(job.policy, handler), Debug()

    def tell(steps: int) -> None:
        message = _calls_message(gateway.recent)
        gateway.recent.clear()
        progress(json.dumps({"steps": steps} | ({"message": message} if message else {})).encode())

    placed = PlacedTrace(job.trace_offset, job.trace_lines, job.trace_values) if job.trace_offset is not None else None
    options = Options(
        max_steps=job.max_steps,
        max_wall_ms=job.max_wall_ms,
        trace_lines=0 if placed else job.trace_lines,
        observer=placed,
        gateway=gateway,
        debug=debug,
        progress=tell if job.wants_progress else None,
    )
    run = run_module(unpacked(job.module), options)
    outcome = finished(run, gateway, job, debug)
    if placed is not None:
        outcome |= {"trace": placed.lines, "trace_places": placed.places, "trace_truncated": placed.truncated}
        outcome["last_trace"] = placed.last
        if job.trace_values:
            outcome["trace_values"] = placed.values
    return outcome


def finished(run: RunOutcome, gateway: Gateway, job: Job, debug: Debug | None = None) -> Outcome:
    """Outcome of a run, with its value or with what it emitted before it failed."""
    outcome = basic(run, gateway, debug)
    if run.error is None:
        _add_result(outcome, run, job)
    else:
        _add_output(outcome, run, 0, ANSWER_LIMIT)
    return outcome


def basic(run: RunOutcome, gateway: Gateway, debug: Debug | None = None) -> Outcome:
    """Common fields of every outcome."""
    outcome: Outcome = {"steps": run.steps, "seconds": run.seconds, "spawns": run.actor_spawns, "calls": gateway.used}
    if debug is not None and debug.texts:
        outcome["debug"] = "".join(debug.texts)
    if run.trace or run.last_trace:
        outcome |= {"trace": run.trace, "trace_truncated": run.trace_truncated, "last_trace": run.last_trace}
    if run.error is not None:
        error: dict[str, Any] = {
            "kind": run.error.kind,
            "message": run.error.message[:_TEXT_LIMIT],
            "stack": run.error.call_stack,
        }
        if run.error.locals:
            parts_of = named_parts(run.error.types)
            error["locals"] = [[name, brief(value, parts_of)] for name, value in run.error.locals[-_MOST_LOCALS:]]
        cause = run.error.cause
        if isinstance(cause, CapabilityDenied):
            error["capability"] = cause.capability
        if isinstance(cause, LimitExceeded):
            error |= {"limit_kind": cause.limit_kind, "limit": cause.limit, "phase": "execution"}
        outcome["error"] = error
    return outcome


def _add_result(outcome: Outcome, run: RunOutcome, job: Job) -> None:
    try:
        result = public_json(run.value, PARTS_LIMIT)
    except TooLarge:
        outcome["error"] = _too_many_parts(job.max_output_bytes)
        return
    if job.max_output_bytes is not None and not _fits(result, run, job.max_output_bytes):
        message = f"serialized output exceeded {job.max_output_bytes} bytes"
        outcome["error"] = _limit("output_bytes", job.max_output_bytes, "serialization", message)
        return
    if (depth := depth_of(result)) > DEPTH_LIMIT:
        message = f"the result is nested {depth} levels deep; the limit of an answer is {DEPTH_LIMIT}"
        outcome["error"] = _limit("depth", DEPTH_LIMIT, "serialization", message)
        return
    if job.output_schema and (problem := _schema_problem(job.output_schema, result, depth)):
        outcome["error"] = problem
        return
    outcome["depth"] = depth
    left = ANSWER_LIMIT - _size(result)
    if left >= 0:
        outcome["result"] = result
    else:
        part = result[job.offset : job.offset + ANSWER_LIMIT // 5]
        outcome["result_part"] = {"text": part, "total": len(result), "offset": job.offset}
        left = ANSWER_LIMIT // 5
    text = display(run.value, 2 * PARTS_LIMIT)
    outcome["text"] = text[: min(_TEXT_LIMIT, max(left // 4, 1000))]
    outcome["text_size"] = len(text)
    _add_output(outcome, run, 0 if left < 0 else job.offset, left - _size(outcome["text"]))


def _add_output(outcome: Outcome, run: RunOutcome, offset: int, left: int) -> None:
    """The UI output from `offset` on, as far as it fits."""
    shown: list[str] = []
    for value in run.ui_output[offset:]:
        try:
            text = public_json(value, PARTS_LIMIT)
        except TooLarge:
            break
        left -= _size(text) + 1
        depth = depth_of(text)
        if left < 0 or depth > DEPTH_LIMIT:
            break
        shown.append(text)
        outcome["depth"] = max(outcome.get("depth", 0), depth)
    outcome["ui"] = shown
    outcome["ui_total"] = len(run.ui_output)
    outcome["ui_offset"] = offset


def _fits(result: str, outcome: RunOutcome, limit: int) -> bool:
    left = limit - _size(result)
    for value in outcome.ui_output:
        if left < 0:
            return False
        try:
            left -= _size(public_json(value, PARTS_LIMIT))
        except TooLarge:
            return False
    return left >= 0


def _schema_problem(schema: str, result: str, depth: int) -> dict[str, Any] | None:
    if depth > _VALIDATED_DEPTH:
        message = f"the result is nested {depth} levels deep; a schema is checked down to {_VALIDATED_DEPTH}"
        return _limit("depth", _VALIDATED_DEPTH, "output_validation", message)
    try:
        errors, total = violations(schema, result)
    except InvalidSchema as error:
        return {"kind": "invalid_output_schema", "message": str(error)}
    if not total:
        return None
    return {
        "kind": "validation_failed",
        "message": "result does not match output_schema",
        "phase": "output_validation",
        "errors": errors,
        "total_errors": total,
        "truncated": total > len(errors),
    }


def _calls_message(calls: dict[str, int]) -> str:
    if not calls:
        return ""
    shown = ", ".join(name if count == 1 else f"{name} × {count}" for name, count in calls.items())
    return f"cap: {shown}" if sum(calls.values()) == 1 else f"caps: {shown}"


def _limit(kind: str, limit: int, phase: str, message: str) -> dict[str, Any]:
    return {"kind": "limit_exceeded", "limit_kind": kind, "limit": limit, "phase": phase, "message": message}


def _too_many_parts(max_output_bytes: int | None) -> dict[str, Any]:
    if max_output_bytes is not None and max_output_bytes < PARTS_LIMIT:
        message = f"serialized output exceeded {max_output_bytes} bytes"
        return _limit("output_bytes", max_output_bytes, "serialization", message)
    message = f"the result has more than {PARTS_LIMIT} parts: return a part of it"
    return _limit("result_parts", PARTS_LIMIT, "serialization", message)


def _too_much() -> str:
    return f"memory limit of {_MEMORY >> 20} MiB exceeded"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
