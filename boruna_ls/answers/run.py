"""The answers of `boruna_run` and `boruna_trace` (spec chapter 10, chapter 26 section 3), made of what a worker says."""

from __future__ import annotations

import json
from typing import Any, Final

from boruna_ls.answers.envelope import RawList, RawValue, failure, success
from boruna_ls.answers.hints import hint_for
from boruna_ls.answers.places import Places

NESTING_LIMIT: Final = 100
"""Levels of structured content that every JSON reader takes."""
_SIGNALS: Final = {6: "SIGABRT", 9: "SIGKILL", 11: "SIGSEGV", 24: "SIGXCPU"}
_UNSUPPORTED: Final = (
    'max_memory_mb cannot be chosen: every run may take 1024 MB, and one that needs more ends with limit_kind "memory". '
    "Leave max_memory_mb out."
)


def unsupported_memory_limit() -> dict[str, Any]:
    """The answer for a call that sets `max_memory_mb`."""
    return failure(error_kind="unsupported_limit", limit_kind="memory_mb", message=_UNSUPPORTED)


def policy_failure(kind: str, message: str, extra: dict[str, Any]) -> dict[str, Any]:
    """The answer for a policy that cannot be used."""
    return failure(error_kind=kind, message=message, **extra)


def run_answer(outcome: dict[str, Any], places: Places, max_steps: int, trace: bool) -> dict[str, Any]:
    """The outcome of a run."""
    if "error" in outcome:
        answer = failed(outcome, places, max_steps)
        if outcome.get("ui"):
            answer["ui_output"] = _raw_list(outcome["ui"], outcome)
        if outcome.get("last_trace"):
            answer["last_trace"] = outcome["last_trace"]
    else:
        answer = success(steps=outcome["steps"], ui_output=_raw_list(outcome["ui"], outcome))
        _add_result(answer, outcome)
        answer["event_log_summary"] = {"cap_calls": sum(outcome["calls"].values()), "actor_spawns": outcome["spawns"]}
        if trace:
            answer |= {"trace": outcome.get("trace", []), "trace_truncated": outcome.get("trace_truncated", False)}
    if "debug" in outcome:
        answer["debug_output"] = outcome["debug"]
    return answer


def _add_result(answer: dict[str, Any], outcome: dict[str, Any]) -> None:
    if "result" in outcome:
        answer["result"] = RawValue(outcome["result"], outcome["depth"])
    else:
        part = outcome["result_part"]
        shown = part["offset"] + len(part["text"])
        answer["result_part"] = part["text"]
        rest = f"the JSON of the result has {part['total']} characters: call again with `offset` {shown} for the next ones"
        answer["omitted"] = {"field": "result", "shown": shown, "left_out": part["total"] - shown, "rest": rest}
    answer["result_text"] = outcome["text"]
    if outcome["text_size"] > len(outcome["text"]):
        answer["result_text_size"] = outcome["text_size"]
    shown = outcome["ui_offset"] + len(outcome["ui"])
    if shown < outcome["ui_total"] and "omitted" not in answer:
        rest = f"call again with `offset` {shown}"
        left = outcome["ui_total"] - shown
        answer["omitted"] = {"field": "ui_output", "shown": len(outcome["ui"]), "left_out": left, "rest": rest}


def failed(outcome: dict[str, Any], places: Places, max_steps: int) -> dict[str, Any]:
    """The answer of a run that did not give a value."""
    error = dict(outcome["error"])
    frames = error.pop("stack", [])
    variables = error.pop("locals", [])
    kind = error.pop("kind")
    answer = failure(error_kind=kind, **error)
    if kind == "invalid_output_schema":
        return answer
    answer["steps"] = outcome["steps"]
    if kind in ("runtime_error", "step_limit_exceeded", "capability_denied"):
        answer["steps_used"] = outcome["steps"]
    if kind == "step_limit_exceeded":
        answer["max_steps"] = max_steps
    answer |= places.stack(frames)
    if variables:
        answer["locals"] = [{"name": name, "value": value} for name, value in variables]
    if (hint := hint_for(answer["message"], places.module)) is not None:
        answer["hint"] = hint
    return answer


def worker_died(signal: int) -> dict[str, Any]:
    """The answer of a run whose process ended in the middle of it."""
    name = _SIGNALS.get(signal, f"signal {signal}" if signal else "no signal")
    message = (
        f"the process that ran the program ended ({name}); other runs are not affected, and the next call gets a new process"
    )
    return failure(error_kind="worker_died", message=message)


def structured(answer: dict[str, Any]) -> dict[str, Any] | None:
    """The answer as structured content if it is nested too deep for that: deep values become their JSON texts."""
    raw = {name: value for name, value in answer.items() if isinstance(value, RawValue | RawList)}
    if all(_depth(value) <= NESTING_LIMIT for value in raw.values()):
        return None
    result = dict(answer)
    for name, value in raw.items():
        text = value.text() if isinstance(value, RawList) else str(value)
        result[name] = text if _depth(value) > NESTING_LIMIT else json.loads(text)
    return result


class DeepList(RawList):
    """A list of JSON texts that nest `depth` levels."""

    depth = 0


def _depth(value: RawValue | RawList) -> int:
    return getattr(value, "depth", 0)


def _raw_list(texts: list[str], outcome: dict[str, Any]) -> DeepList:
    raw = DeepList(texts)
    raw.depth = outcome.get("depth", 0)
    return raw
