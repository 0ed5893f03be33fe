"""`boruna_framework_test`: sends messages to an application and tells what comes of each."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.app import session_answer
from boruna_ls.answers.run import structured
from boruna_ls.framework.job import SessionTask
from boruna_ls.framework.session import Plan
from boruna_ls.mcp.arguments import JsonObject, Offset
from boruna_ls.mcp.schemas import ERRORS, INTEGER, OMITTED, TEXT
from boruna_ls.mcp.tool import Call, Deferred, Tool
from boruna_ls.mcp.tools.apps import AppArguments, deferred_app, messages_of, until_of


class FrameworkTestParams(AppArguments):
    responses: JsonObject | None = Field(
        None, description="By callback tag: payload of a message that follows each effect with that tag"
    )
    offset: Offset | None = Field(None, description="Number of cycles to skip")


def run(call: Call[FrameworkTestParams]) -> dict[str, Any] | Deferred:
    responses = call.arguments.responses or {}
    return deferred_app(
        call,
        lambda app: SessionTask(
            app.module, Plan(messages_of(call), app.message_type, responses, call.offset, until_of(call)), call.deadline
        ),
        lambda outcome, app: session_answer(outcome, app.places, call.offset, app.warnings),
    )


TOOL: Final = Tool(
    name="boruna_framework_test",
    title="Test an application",
    description=(
        "Sends messages to an .ax application. Each of `cycles` has the new state, its `diff`, the declared `effects` and the "
        "result of `view`; after a failure the answer has the cycles before it. Effects are declared, never performed: "
        "`responses` answers them."
    ),
    arguments=FrameworkTestParams,
    answer_fields={
        "init_state": {},
        "init_state_text": TEXT,
        "cycles": {"type": ["array", "string"], "description": "message, tag, state, state_after, diff, effects, ui_tree, view"},
        "final_state": {},
        "final_state_text": TEXT,
        "view": {"type": ["string", "null"]},
        "total_cycles": INTEGER,
        "steps": INTEGER,
        "error": {"type": "object", "description": "cycle, message, function, line, col, call_stack, hint"},
        "errors": ERRORS,
        "omitted": OMITTED,
    },
    run=run,
    structured=structured,
    example={"path": "app.ax", "messages": ["inc", "set:5", {"tag": "add", "payload": [1, 2]}]},
    task="when_slow",
)
