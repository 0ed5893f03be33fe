"""Answers of minds as values: a text, or JSON that fits the schema that the program has given. Checked in a worker process.

A mind may write JSON as JSON, as a text that holds JSON, or in a fenced block; a text that is no JSON can be a JSON string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from analysis.records import dataclass
from boruna_ls.executions.names import TEXT_LIMIT, ExecutionError
from boruna_ls.runtime.job import Task
from boruna_ls.runtime.schemas import InvalidSchema, violations
from boruna_ls.runtime.workers import CannotStart, DeadlineExceeded, Died, QueueFull, WorkerPool, shared_pool

SECONDS: Final = 10.0
_FENCE: Final = "```"
_INFO: Final = re.compile(r"[a-zA-Z0-9]{0,20}")
_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class CheckTask(Task):
    """Search for the first of some JSON texts that fits a schema."""

    schema: str
    candidates: tuple[str, ...]
    deadline: float = SECONDS

    def perform(self, progress: Callable[[bytes], None]) -> dict[str, Any]:
        """`fits` is an index; without one, `errors` are those of the first candidate."""
        shown: list[dict[str, str]] = []
        for index, candidate in enumerate(self.candidates):
            try:
                errors, _ = violations(self.schema, candidate)
            except (InvalidSchema, ValueError, RecursionError) as error:
                return {"errors": [{"path": "", "message": str(error)}]}
            if not errors:
                return {"fits": index}
            shown = shown or errors[:_SHOWN]
        return {"errors": shown}


def text_of_answer(result: Any, schema: str | None, pool: WorkerPool | None = None) -> str:
    """The text that the program gets. Raises ExecutionError with the reason why an answer does not fit; blocks."""
    if schema is None:
        text = result if isinstance(result, str) else _dumped(result)
        _check_size(text)
        return text
    candidates = _candidates(result)
    _check_size(candidates[0])
    try:
        run = (pool or shared_pool()).submit(CheckTask(schema, tuple(candidates)), SECONDS)
        outcome: dict[str, Any] = json.loads(run.future.result())
    except QueueFull:
        raise ExecutionError("busy", "too many programs are already queued: submit the answer again in a moment") from None
    except CannotStart as error:
        raise ExecutionError("unavailable", str(error)) from None
    except (DeadlineExceeded, Died):
        raise ExecutionError("answer_refused", "the answer cannot be checked against the schema: it takes too long") from None
    if "fits" in outcome:
        return candidates[int(outcome["fits"])]
    reasons = "; ".join(f"{error['path'] or 'the answer'}: {error['message']}" for error in outcome.get("errors", ()))[:2000]
    raise ExecutionError("answer_refused", f"the answer does not fit the schema: {reasons}", errors=outcome.get("errors", []))


def _candidates(result: Any) -> list[str]:
    if not isinstance(result, str):
        return [_dumped(result)]
    candidates = []
    for text in (result, _unfenced(result)):
        try:
            candidates.append(_dumped(json.loads(text, parse_constant=_no_constant)))
        except (ValueError, RecursionError):
            continue
    return [*dict.fromkeys(candidates), _dumped(result)]


def _unfenced(text: str) -> str:
    """Content of a fenced block that is the whole text; any other text unchanged."""
    stripped = text.strip()
    if not (stripped.startswith(_FENCE) and stripped.endswith(_FENCE) and len(stripped) > 2 * len(_FENCE)):
        return text
    inner = stripped[len(_FENCE) : -len(_FENCE)]
    first, newline, rest = inner.partition("\n")
    return rest if newline and _INFO.fullmatch(first.strip()) else inner


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _check_size(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > TEXT_LIMIT:
        raise ExecutionError("answer_too_long", f"the answer takes {size} bytes; it may take {TEXT_LIMIT} at most")
