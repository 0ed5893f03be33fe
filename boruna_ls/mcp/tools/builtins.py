"""`boruna_builtins`: functions by word, name in another language, type or example."""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic import Field

from analysis.ide.function_search.examples import program
from analysis.ide.function_search.known import builtins
from analysis.ide.function_search.queries import search
from boruna_ls.answers.envelope import success
from boruna_ls.answers.functions import MOST, general, known, rows
from boruna_ls.answers.trials import PASSED
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.schemas import INTEGER, TEXT
from boruna_ls.mcp.tool import Batch, Call, Tool
from boruna_ls.mcp.tools.trial_programs import testable
from boruna_ls.runtime.job import Job, Mode, packed

_STEPS: Final = 20_000
_WALL_MS: Final = 2_000
_NOTHING: Final = "no match: try another word, with types (`List<Int> -> Int`) or an example (`[1, 2] -> 3`)"
_FILE: Final = "boruna_builtins example.ax"


class BuiltinsParams(Arguments):
    query: str = Field("", description="`split`, `Math.floor`, `List<Int> -> Int`, `[1, 2] -> 3`", max_length=200)


def run(call: Call[BuiltinsParams]) -> dict[str, Any] | Batch:
    query = call.arguments.query
    if not query.strip():
        return success(builtins=[one.as_dict() for one in builtins()], total=len(known()))
    result = search(query, general())
    if not result.tried:
        return _answer(rows(search(query, known()).found))
    file = call.host.inline(program(result.tried), _FILE, call.client.id, libs="")
    tests = testable(call.host.db, file, ["example_*"])
    module, numbers = tests.module, tests.tests or ()
    if module is None:
        return _answer(rows(()))

    def finish(outcomes: list[bytes | Exception]) -> dict[str, Any]:
        (outcome,) = outcomes
        results = [] if isinstance(outcome, Exception) else json.loads(outcome).get("tests", [])
        passed = {module.functions[one["function"]].name for one in results if one["status"] == PASSED}
        right = [trial for number, trial in enumerate(result.tried) if f"example_{number}" in passed]
        answer = rows(tuple(trial.known for trial in right))
        for row, trial in zip(answer["builtins"], right[:MOST], strict=True):
            row["call"] = trial.call
        return _answer(answer)

    return Batch((lambda: Job(packed(module), Mode.TESTS, max_steps=_STEPS, max_wall_ms=_WALL_MS, tests=numbers),), finish)


def _answer(listed: dict[str, Any]) -> dict[str, Any]:
    """What was found; of nothing, how else to ask."""
    if listed["builtins"]:
        return success(**listed)
    return success(**listed, note=_NOTHING)


TOOL: Final = Tool(
    name="boruna_builtins",
    title="Find functions",
    description="Finds functions of .ax and its libraries by word, foreign name, type or example.",
    arguments=BuiltinsParams,
    answer_fields={
        "builtins": {"type": "array", "items": {"type": "object"}},
        "total": INTEGER,
        "left_out": INTEGER,
        "note": TEXT,
    },
    run=run,
    example={"query": "split"},
)
