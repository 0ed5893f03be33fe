"""`boruna_run_sealed`: a run with its event log, proven by a second run on the recorded answers."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.run import structured
from boruna_ls.answers.sealed import refused_sealed, sealed_answer
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Deferred, Tool
from boruna_ls.mcp.tools.run import ANSWER_FIELDS
from boruna_ls.mcp.tools.running import RunArguments, deferred
from boruna_ls.runtime.job import Job, Mode

SEALED_FIELDS: Final = {
    name: ANSWER_FIELDS[name] for name in ("result", "result_text", "steps", "function", "call_stack", "hint", "diagnostics")
} | {
    "event_count": {"type": "integer"},
    "event_log": {"type": ["object", "string"]},
    "event_log_text": TEXT,
    "event_log_sha256": TEXT,
    "capability_calls": {"type": ["array", "string"]},
    "replay_verified": {"type": "boolean"},
    "replay_divergence_reason": {"type": ["string", "null"]},
    "seal": {"type": "object"},
    "capability": TEXT,
}


class RunSealedParams(RunArguments):
    canonical: bool = Field(False, description="Whether to also return the canonical text of the log, for boruna_replay")


def run(call: Call[RunSealedParams]) -> dict[str, Any] | Deferred:
    return deferred(call, Job(module=b"", mode=Mode.SEALED, canonical=call.arguments.canonical), sealed_answer, refused_sealed)


TOOL: Final = Tool(
    name="boruna_run_sealed",
    title="Run with proof",
    description=(
        "Runs an .ax program with mocked effects, records its event log, runs it again on the recorded answers and compares: "
        "result, log (first 1000 events), SHA-256 of the whole canonical log. A failing run also returns its log."
    ),
    arguments=RunSealedParams,
    answer_fields=SEALED_FIELDS,
    run=run,
    example={"path": "app.ax"},
    structured=structured,
    task="when_slow",
)
