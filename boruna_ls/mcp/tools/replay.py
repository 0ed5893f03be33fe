"""`boruna_replay`: a program against an event log that was recorded before."""

from __future__ import annotations

import json
from typing import Any, Final

from boruna_ls.answers.run import structured
from boruna_ls.answers.sealed import replay_answer
from boruna_ls.mcp.arguments import Argument, refusal
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import FILE_NAME, PATH, SOURCE, Call, Deferred, Tool
from boruna_ls.mcp.tools.run import whole
from boruna_ls.mcp.tools.run_sealed import SEALED_FIELDS
from boruna_ls.mcp.tools.running import MAX_STEPS, POLICY, deferred
from boruna_ls.runtime.job import Job, Mode

_LOG: Final = Argument("event_log", object, "Canonical event log, as text or as an object {version, events}", required=True)
_LONGEST: Final = 16 * 1024 * 1024


def run(call: Call) -> dict[str, Any] | Deferred:
    log = call.arguments["event_log"]
    if not isinstance(log, str | dict):
        raise refusal("event_log", "argument `event_log` must be a string or an object")
    text = log if isinstance(log, str) else json.dumps(log)
    if len(text) > _LONGEST:
        raise refusal("event_log", f"event_log exceeds {_LONGEST >> 20} MB limit")
    return deferred(call, Job(module=b"", mode=Mode.REPLAY, log=text), replay_answer)


TOOL: Final = Tool(
    name="boruna_replay",
    title="Replay a run",
    schema_title="ReplayParams",
    description=(
        "Runs an .ax program on the answers of a recorded event log and says whether it did the same again: every event, and the "
        "capability calls alone, each with the first difference."
    ),
    arguments=(SOURCE, PATH, FILE_NAME, _LOG, POLICY, MAX_STEPS),
    answer_fields=SEALED_FIELDS
    | {"recorded_sha256": TEXT, "recorded_event_count": {"type": "integer"}, "capability_calls_verified": {"type": "boolean"}},
    run=run,
    shorten=whole,
    structured=structured,
    listed=False,
    scope="run",
)
