"""A profile by function and by line, as plain data."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from boruna_ls.answers.places import Places
from boruna_ls.runtime.profile import Profiler

LINES_SHOWN: Final = 30
"""Maximum number of hot lines shown."""


def profile_answer(profiler: Profiler, places: Places) -> dict[str, Any]:
    """Functions and lines, those with the most steps first."""
    calls = profiler.calls()
    functions = [
        {
            "function": places.module.functions[function].name,
            "calls": calls[function],
            "steps": usage.steps,
            "ms": round(usage.nanoseconds / 1e6, 3),
        }
        for function, usage in profiler.by_function().items()
    ]
    return {
        "steps": sum(profiler.steps.values()),
        "functions": sorted(functions, key=lambda one: (-int(one["steps"]), str(one["function"]))),
        "lines": _lines(profiler, places),
    }


def _lines(profiler: Profiler, places: Places) -> list[dict[str, Any]]:
    steps: Counter[tuple[str, str, int]] = Counter()
    nanoseconds: Counter[tuple[str, str, int]] = Counter()
    for at, count in profiler.steps.items():
        where = places.at(*at)
        key = (where.get("file", ""), where["function"], where.get("line", 0))
        steps[key] += count
        nanoseconds[key] += profiler.nanoseconds[at]
    shown = []
    for (file, function, line), count in steps.most_common(LINES_SHOWN):
        row: dict[str, Any] = {"line": line, "function": function, "steps": count}
        row["ms"] = round(nanoseconds[(file, function, line)] / 1e6, 3)
        shown.append(row | ({"file": file} if file else {}))
    return shown
