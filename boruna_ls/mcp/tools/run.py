"""`boruna_run`: compiles and runs a program."""

from __future__ import annotations

import json
from typing import Any, Final

from boruna_ls.answers.envelope import with_freshness
from boruna_ls.answers.run import run_answer, structured, unsupported_memory_limit
from boruna_ls.mcp.arguments import Argument
from boruna_ls.mcp.schemas import ERRORS, INTEGER, OMITTED, TEXT
from boruna_ls.mcp.tool import FILE_NAME, PATH, SOURCE, Call, Deferred, Tool
from boruna_ls.mcp.tools.running import MAX_STEPS, POLICY, deferred, inputs_of, is_live
from boruna_ls.runtime.job import TRACE_LINES, Job

_LIMITS: Final = Argument(
    "limits",
    dict,
    "Limits of the run beside `max_steps`",
    fields=(
        Argument("max_wall_ms", int, "Milliseconds that the run may take"),
        Argument("max_output_bytes", int, "Bytes of JSON that result and UI output may have"),
        Argument("max_memory_mb", int, "Not supported: every run may take 1024 MB"),
    ),
)
_TRACE: Final = Argument("trace", bool, "Whether to list the first 500 executed instructions")
_SCHEMA: Final = Argument("output_schema", object, "JSON Schema (2020-12) that the result must match")
_INPUT: Final = Argument("input", dict, "What `step_input(name)` answers: JSON by name")
_HANDLERS: Final = Argument("handlers", str, '"mock" (default): fixed answers; "live": real effects, within `policy`')
_OFFSET: Final = Argument("offset", int, "How much of a long answer to leave out at its beginning: see `omitted`")
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


def run(call: Call) -> dict[str, Any] | Deferred:
    arguments = call.arguments
    limits = arguments["limits"] or {}
    live = is_live(arguments["handlers"])
    if limits.get("max_memory_mb") is not None:
        return with_freshness(unsupported_memory_limit(), call.host, call.program())
    schema, trace = arguments["output_schema"], bool(arguments["trace"])
    job = Job(
        module=b"",
        trace_lines=TRACE_LINES if trace else 0,
        max_wall_ms=limits.get("max_wall_ms"),
        max_output_bytes=limits.get("max_output_bytes"),
        output_schema="" if schema is None else json.dumps(schema, ensure_ascii=False, sort_keys=True, separators=(",", ":")),
        inputs=inputs_of(arguments["input"]),
        live=live,
        offset=call.offset,
    )
    return deferred(call, job, lambda outcome, places, max_steps: run_answer(outcome, places, max_steps, trace))


def whole(answer: dict[str, Any], limit: int, call: Call) -> dict[str, Any]:
    """The worker has bounded the answer already."""
    return answer


TOOL: Final = Tool(
    name="boruna_run",
    title="Run a program",
    schema_title="RunParams",
    description=(
        "Compiles and runs `main` of an .ax program in a process of its own, bounded in steps, time and memory. Effects are "
        'mocked unless `handlers` is "live". Run-time errors tell function, line, col, call_stack and a hint; compile errors '
        "are in `errors`."
    ),
    arguments=(SOURCE, PATH, FILE_NAME, POLICY, MAX_STEPS, _TRACE, _LIMITS, _SCHEMA, _INPUT, _HANDLERS, _OFFSET),
    answer_fields=ANSWER_FIELDS,
    run=run,
    shorten=whole,
    structured=structured,
    acts=True,
    scope="run",
)
