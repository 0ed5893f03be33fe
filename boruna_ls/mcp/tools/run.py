"""`boruna_run`: compiles and runs a program."""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.envelope import with_freshness
from boruna_ls.answers.run import run_answer, structured, unsupported_memory_limit
from boruna_ls.mcp.arguments import Arguments, Count, Json, Offset, refusal
from boruna_ls.mcp.schemas import ACCOMPANYING, ERRORS, INTEGER, OMITTED, TEXT
from boruna_ls.mcp.tool import Call, Deferred, Tool
from boruna_ls.mcp.tools.running import InputArguments, RunArguments, deferred, inputs_of
from boruna_ls.runtime.job import TRACE_LINES, Job


class RunLimitsParams(Arguments):
    max_wall_ms: Count | None = Field(None, description="Maximum duration of the run in milliseconds")
    max_output_bytes: Count | None = Field(None, description="Maximum bytes of JSON of result and UI output")
    max_memory_mb: Count | None = Field(None, description="Not supported: every run may take 1024 MB")


class RunParams(InputArguments, RunArguments):
    trace: bool = Field(False, description="Whether to list the first 500 executed instructions")
    limits: RunLimitsParams | None = Field(None, description="Limits of the run in addition to `max_steps`")
    output_schema: Json = Field(None, description="JSON Schema (2020-12) that the result must match")
    offset: Offset | None = Field(None, description="How much of a long answer to skip: see `omitted`")


ANSWER_FIELDS: Final = {
    "result": {"description": "The value as JSON; JSON text if nested deeper than 100 levels"},
    "result_text": TEXT,
    "ui_output": {"type": ["array", "string"]},
    "steps": INTEGER,
    "steps_used": INTEGER,
    "event_log_summary": {"type": "object"},
    "trace": {"type": "array", "items": TEXT},
    "trace_truncated": {"type": "boolean"},
    "debug_output": TEXT,
    "errors": ERRORS,
    **ACCOMPANYING,
    "function": TEXT,
    "line": {"type": ["integer", "null"]},
    "col": {"type": ["integer", "null"]},
    "call_stack": {"type": "array", "items": {"type": "object"}},
    "hint": TEXT,
    "limit_kind": TEXT,
    "limit": INTEGER,
    "phase": TEXT,
    "omitted": OMITTED,
}


def run(call: Call[RunParams]) -> dict[str, Any] | Deferred:
    """With fixed answers to every capability call."""
    if (call.arguments.model_extra or {}).get("handlers") == "live":
        raise refusal("handlers", "boruna_run has no live effects: call boruna_run_live, with the same arguments but `handlers`")
    return started(call, live=False)


def started(call: Call[Any], live: bool) -> dict[str, Any] | Deferred:
    """A run of the call's program, with its effects or without."""
    arguments: RunParams = call.arguments
    limits = arguments.limits or RunLimitsParams.model_validate({})
    if limits.max_memory_mb is not None:
        return with_freshness(unsupported_memory_limit(), call.host, call.program())
    schema, trace = arguments.output_schema, arguments.trace
    job = Job(
        module=b"",
        trace_lines=TRACE_LINES if trace else 0,
        max_wall_ms=limits.max_wall_ms,
        max_output_bytes=limits.max_output_bytes,
        output_schema="" if schema is None else json.dumps(schema, ensure_ascii=False, sort_keys=True, separators=(",", ":")),
        inputs=inputs_of(arguments.input),
        live=live,
        offset=call.offset,
    )
    return deferred(call, job, lambda outcome, places, max_steps: run_answer(outcome, places, max_steps, trace))


TOOL: Final = Tool(
    name="boruna_run",
    title="Run a program",
    description=(
        "Compiles and runs `main` of an .ax program, bounded in steps, time and memory. Effects are "
        "always mocked (boruna_run_live has real ones). Run-time errors have function, line, col, call_stack and a hint; compile "
        "errors are in `errors`; `diagnostics` as in boruna_check, also on success."
    ),
    arguments=RunParams,
    answer_fields=ANSWER_FIELDS,
    run=run,
    example={"path": "app.ax"},
    structured=structured,
    task="when_slow",
)
