"""The answer of `boruna_trace`: executed instructions with their places."""

from __future__ import annotations

from typing import Any

from boruna_ls.answers.places import Places
from boruna_ls.answers.run import run_answer


def trace_answer(outcome: dict[str, Any], places: Places, max_steps: int, offset: int) -> dict[str, Any]:
    """A run's answer whose trace is a list of objects, given whether the run failed or not."""
    answer = run_answer(outcome, places, max_steps, trace=False)
    lines, spots = outcome.get("trace", []), outcome.get("trace_places", [])
    by_spot: dict[tuple[int, int], dict[str, Any]] = {}
    values = outcome.get("trace_values")
    shown: list[dict[str, Any]] = []
    for number, (line, spot) in enumerate(zip(lines, spots, strict=True)):
        key = (spot[0], spot[1])
        if key not in by_spot:
            by_spot[key] = {name: value for name, value in places.at(*key).items() if name in ("line", "col", "file")}
        shown.append({"step": offset + number + 1, "instruction": line, **by_spot[key]})
        if values is not None:
            shown[-1]["value"] = values[number]
    answer |= {"trace": shown, "trace_truncated": outcome.get("trace_truncated", False)}
    if answer["trace_truncated"]:
        end = offset + len(lines)
        answer["omitted"] = {"field": "trace", "shown": len(lines), "rest": f"call again with `offset` {end}"}
    return answer
