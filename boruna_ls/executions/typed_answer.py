"""Answers of minds as values: a text, or JSON that fits the schema that the program has given. Checked in a worker process.

A mind may write JSON as JSON, as a text, in a fenced block, or among other words; a text that is no JSON can be a JSON string.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from typing import Any, Final

from analysis.data_classes import dataclass
from boruna_ls.deadline import Deadline
from boruna_ls.executions.names import TEXT_LIMIT, ExecutionError
from boruna_ls.runtime.job import Task
from boruna_ls.runtime.pool_run import CannotStart, DeadlineExceeded, Died, QueueFull
from boruna_ls.runtime.schemas import InvalidSchema, violations
from boruna_ls.runtime.workers import WorkerPool, shared_pool

SECONDS: Final = 10.0
"""From the call on: whoever has answered waits."""
_OWNER: Final = "answers"
"""Checks of answers have a place of their own in the queue: they are short."""
_BUSY: Final = "too many programs are already queued: submit the answer again in a moment"
_FENCE: Final = "```"
_INFO: Final = re.compile(r"[a-zA-Z0-9]{0,20}")
_SHOWN: Final = 5
_BLOCKS: Final = 3
"""Fenced blocks of an answer that are tried."""
_STARTS: Final = 20
"""Brackets at which JSON may begin that are tried."""
_OPENING: Final = re.compile(r"[{\[]")


@dataclass(frozen=True, slots=True)
class CheckTask(Task):
    """Search for the first of some JSON texts that fits a schema."""

    schema: str
    candidates: tuple[str, ...]
    deadline: float = SECONDS

    def perform(self, progress: Callable[[bytes], None]) -> dict[str, Any]:
        """`fits` is an index; without one, `errors` are those of the first candidate that is more than a text."""
        failed: list[tuple[bool, list[dict[str, str]]]] = []
        for index, candidate in enumerate(self.candidates):
            try:
                errors, _ = violations(self.schema, candidate)
            except (InvalidSchema, ValueError, RecursionError) as error:
                return {"errors": [{"path": "", "message": str(error)}]}
            if not errors:
                return {"fits": index}
            failed.append((candidate.startswith('"'), errors[:_SHOWN]))
        return {"errors": min(failed, key=lambda one: one[0])[1]}


def text_of_answer(result: Any, schema: str | None, pool: WorkerPool | None = None) -> str:
    """The text that the program gets. Raises ExecutionError with the reason why an answer does not fit; blocks."""
    try:
        candidates = [result if isinstance(result, str) else _dumped(result)] if schema is None else _candidates(result)
    except ValueError:
        raise ExecutionError("answer_refused", "the answer holds a number that is too large for JSON") from None
    for candidate in candidates:
        _check_size(candidate)
    if schema is None:
        return candidates[0]
    try:
        run = (pool or shared_pool()).submit(CheckTask(schema, tuple(candidates)), Deadline.after(SECONDS), owner=_OWNER)
    except QueueFull:
        raise ExecutionError("busy", _BUSY) from None
    try:
        outcome: dict[str, Any] = json.loads(run.future.result())
    except CannotStart as error:
        raise ExecutionError("unavailable", str(error)) from None
    except (DeadlineExceeded, Died):
        if not run.is_taken:
            raise ExecutionError("busy", _BUSY) from None
        raise ExecutionError("answer_refused", "the answer cannot be checked against the schema: it takes too long") from None
    if "fits" in outcome:
        return candidates[int(outcome["fits"])]
    reasons = "; ".join(f"{error['path'] or 'the answer'}: {error['message']}" for error in outcome.get("errors", ()))[:2000]
    raise ExecutionError("answer_refused", f"the answer does not fit the schema: {reasons}", errors=outcome.get("errors", []))


def _candidates(result: Any) -> list[str]:
    """The JSON texts that an answer can stand for, the likeliest first."""
    if not isinstance(result, str):
        return [_dumped(result)]
    for text in (result, *_fenced(result)):
        try:
            return [_dumped(_DECODER.decode(text.strip())), _dumped(result)]
        except (ValueError, RecursionError):
            continue
    # Where any text will do, it is the whole answer.
    return [_dumped(result), *_contained(result)]


def _fenced(text: str) -> list[str]:
    """Contents of the first fenced blocks of a text."""
    contents = []
    for block in text.split(_FENCE)[1 : 2 * _BLOCKS : 2]:
        first, newline, rest = block.partition("\n")
        contents.append(rest if newline and _INFO.fullmatch(first.strip()) else block)
    return contents


def _contained(text: str) -> list[str]:
    """The first object or list that stands in a text."""
    for start in itertools.islice((opening.start() for opening in _OPENING.finditer(text)), _STARTS):
        try:
            return [_dumped(_DECODER.raw_decode(text, start)[0])]
        except (ValueError, RecursionError):
            continue
    return []


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_no_constant)


def _dumped(value: Any) -> str:
    """Raises ValueError for numbers that JSON does not have."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _check_size(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > TEXT_LIMIT:
        raise ExecutionError("answer_too_long", f"the answer takes {size} bytes; it may take {TEXT_LIMIT} at most")
