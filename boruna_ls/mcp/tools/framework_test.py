"""`boruna_framework_test`: sends messages to an application and tells what comes of each."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from analysis.codegen.compile import compile_file
from boruna_ls.answers.app import message_type_of, session_answer, shape_warnings
from boruna_ls.answers.compile import refused
from boruna_ls.answers.places import Places
from boruna_ls.answers.run import structured, worker_died
from boruna_ls.framework.job import SessionTask, packed_app
from boruna_ls.framework.machine import MAX_CYCLES
from boruna_ls.framework.messages import message_of
from boruna_ls.framework.session import Plan
from boruna_ls.mcp.arguments import FIRST_ERROR, JSON_LIMIT, JsonObject, Offset
from boruna_ls.mcp.schemas import ERRORS, INTEGER, OMITTED, TEXT
from boruna_ls.mcp.tool import Call, Deferred, NamedProgramArguments, Tool

_RESERVE: Final = 0.85
"""The part of the deadline that a session may take, so that what it did until then can still be told."""


def _is_message(written: str | dict[str, Any]) -> str | dict[str, Any]:
    message_of(written)
    return written


_Text = Annotated[str, Field(max_length=JSON_LIMIT)]
WrittenMessage = Annotated[_Text | JsonObject, AfterValidator(_is_message)]


class FrameworkTestParams(NamedProgramArguments):
    messages: Annotated[list[WrittenMessage], FIRST_ERROR] = Field(
        max_length=MAX_CYCLES + 1,
        description='In order: "tag", "tag:payload" (an Int if it looks like one), or {"tag", "payload"}',
    )
    responses: JsonObject | None = Field(
        None, description="By callback tag: payload of a message that follows each effect with that tag"
    )
    offset: Offset | None = Field(None, description="Cycles to leave out at the beginning")


def run(call: Call[FrameworkTestParams]) -> dict[str, Any] | Deferred:
    messages = [message_of(written) for written in call.arguments.messages]
    host, file = call.host, call.program()
    compiled = compile_file(host.db, file, "app")
    fresh = {"freshness": host.freshness(file).as_dict()}
    if compiled.module is None:
        return refused(host.db, file, compiled) | fresh
    plan = Plan(
        messages,
        message_type_of(host.db, file, compiled.module),
        call.arguments.responses or {},
        call.offset,
        call.deadline * _RESERVE,
    )
    places, warnings = Places(host.db, file, compiled.module), shape_warnings(host.db, file)
    return Deferred(
        job=SessionTask(packed_app(compiled.module), plan, call.deadline),
        finish=lambda data: session_answer(json.loads(data), places, plan.offset, warnings) | fresh,
        died=lambda signal: worker_died(signal) | fresh,
    )


TOOL: Final = Tool(
    name="boruna_framework_test",
    title="Test an application",
    description=(
        "Sends messages to an .ax application. Each of `cycles` has the new state, its `diff`, the declared `effects` and what "
        "`view` draws; after a failure you get the cycles until then. Effects are declared, never performed: `responses` "
        "answers them."
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
)
