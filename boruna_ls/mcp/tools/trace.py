"""`boruna_trace`: what a program executes, instruction by instruction, with the place in the source of each."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.run import structured
from boruna_ls.answers.trace import trace_answer
from boruna_ls.mcp.arguments import Argument
from boruna_ls.mcp.schemas import OMITTED
from boruna_ls.mcp.tool import FILE_NAME, PATH, SOURCE, Call, Deferred, Tool
from boruna_ls.mcp.tools.run import ANSWER_FIELDS, whole
from boruna_ls.mcp.tools.running import MAX_STEPS, POLICY, deferred, inputs_of
from boruna_ls.runtime.job import Job

MOST: Final = 5_000
"""Lines of one answer."""
_LIMIT: Final = Argument("limit", int, f"Lines to give (default 500, at most {MOST})", default=500)
_OFFSET: Final = Argument("offset", int, "Steps to leave out at the beginning")
_INPUT: Final = Argument("input", dict, "What `step_input(name)` answers: JSON by name")


def run(call: Call) -> dict[str, Any] | Deferred:
    limit = min(call.arguments["limit"], MOST)
    job = Job(module=b"", trace_lines=limit, trace_offset=call.offset, inputs=inputs_of(call.arguments["input"]))
    return deferred(call, job, lambda outcome, places, max_steps: trace_answer(outcome, places, max_steps, call.offset))


TOOL: Final = Tool(
    name="boruna_trace",
    title="Trace a program",
    schema_title="TraceParams",
    description=(
        "Runs an .ax program and lists its executed instructions from `offset` on, each with line and col in the source, also if "
        "the run fails; `last_trace` are the last ones before a failure."
    ),
    arguments=(SOURCE, PATH, FILE_NAME, POLICY, MAX_STEPS, _LIMIT, _OFFSET, _INPUT),
    answer_fields=ANSWER_FIELDS | {"trace": {"type": "array"}, "omitted": OMITTED},
    run=run,
    shorten=whole,
    structured=structured,
    listed=False,
    scope="run",
)
