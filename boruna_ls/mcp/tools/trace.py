"""`boruna_trace`: what a program executes, instruction by instruction, with the place in the source of each."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.run import structured
from boruna_ls.answers.trace import trace_answer
from boruna_ls.mcp.arguments import Offset
from boruna_ls.mcp.schemas import OMITTED
from boruna_ls.mcp.tool import Call, Deferred, Tool
from boruna_ls.mcp.tools.run import ANSWER_FIELDS
from boruna_ls.mcp.tools.running import InputArguments, RunArguments, deferred, inputs_of
from boruna_ls.runtime.job import Job

MOST: Final = 5_000
"""Lines of one answer."""


class TraceParams(InputArguments, RunArguments):
    limit: int = Field(500, description="Lines to give", ge=0, le=MOST)
    offset: Offset | None = Field(None, description="Number of steps to skip")


def run(call: Call[TraceParams]) -> dict[str, Any] | Deferred:
    job = Job(module=b"", trace_lines=call.arguments.limit, trace_offset=call.offset, inputs=inputs_of(call.arguments.input))
    return deferred(call, job, lambda outcome, places, max_steps: trace_answer(outcome, places, max_steps, call.offset))


TOOL: Final = Tool(
    name="boruna_trace",
    title="Trace a program",
    description=(
        "Runs an .ax program and lists its executed instructions from `offset` on, each with line and col in the source, also if "
        "the run fails; `last_trace` are the last ones before a failure."
    ),
    arguments=TraceParams,
    answer_fields=ANSWER_FIELDS | {"trace": {"type": "array"}, "omitted": OMITTED},
    run=run,
    example={"path": "app.ax", "limit": 50},
    structured=structured,
    task="when_slow",
)
