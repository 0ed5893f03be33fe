"""`boruna_replay`: a program against an event log that was recorded before."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

from pydantic import Field

from boruna_ls.answers.run import structured
from boruna_ls.answers.sealed import replay_answer
from boruna_ls.mcp.arguments import at_most_json
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Deferred, Tool
from boruna_ls.mcp.tools.run_sealed import SEALED_FIELDS
from boruna_ls.mcp.tools.running import RunArguments, deferred
from boruna_ls.runtime.job import Job, Mode

_LONGEST: Final = 16 * 1024 * 1024


class ReplayParams(RunArguments):
    event_log: Annotated[str, Field(max_length=_LONGEST)] | Annotated[dict[str, Any], at_most_json(_LONGEST)] = Field(
        description="Canonical event log, as text or as an object {version, events}"
    )


def run(call: Call[ReplayParams]) -> dict[str, Any] | Deferred:
    log = call.arguments.event_log
    text = log if isinstance(log, str) else json.dumps(log)
    return deferred(call, Job(module=b"", mode=Mode.REPLAY, log=text), replay_answer)


TOOL: Final = Tool(
    name="boruna_replay",
    title="Replay a run",
    description=(
        "Runs an .ax program on the answers of a recorded event log and compares the two runs: every event, and the "
        "capability calls alone, each with the first difference."
    ),
    arguments=ReplayParams,
    answer_fields=SEALED_FIELDS
    | {"recorded_sha256": TEXT, "recorded_event_count": {"type": "integer"}, "capability_calls_verified": {"type": "boolean"}},
    run=run,
    example={"path": "app.ax", "event_log": {"version": 1, "events": []}},
    structured=structured,
    task="when_slow",
)
