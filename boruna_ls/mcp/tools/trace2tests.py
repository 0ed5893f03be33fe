"""`boruna_trace2tests`: a test of a session of messages, a failing one made as short as it can be."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from boruna_ls.answers.app import recording_answer
from boruna_ls.framework.recording import RecordTask
from boruna_ls.mcp.schemas import ERRORS, INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Deferred, Tool
from boruna_ls.mcp.tools.apps import AppArguments, deferred_app, messages_of, until_of


class Trace2TestsParams(AppArguments):
    name: Annotated[str, Field(max_length=100, pattern=r"^test_[A-Za-z0-9_]{1,95}$")] = Field(
        "test_session", description="Name of the test"
    )
    minimize: bool = Field(True, description="Keep only the messages that are needed to fail in the same way")


def run(call: Call[Trace2TestsParams]) -> dict[str, Any] | Deferred:
    arguments = call.arguments
    return deferred_app(
        call,
        lambda app: RecordTask(
            app.module, messages_of(call), app.message_type, arguments.name, arguments.minimize, until_of(call), call.deadline
        ),
        lambda outcome, app: recording_answer(outcome, app.places, arguments.name),
    )


TOOL: Final = Tool(
    name="boruna_trace2tests",
    title="Make a test of a session",
    description=(
        "Sends messages to an .ax application and writes the outcome as a function `test` (states, number of effects, the "
        "last view) to be added to the program; try_edits runs it with `test`. A failing session is shortened as far as possible."
    ),
    arguments=Trace2TestsParams,
    answer_fields={
        "test": TEXT,
        "test_name": TEXT,
        "messages": {"type": "array"},
        "cycles": INTEGER,
        "trace_hash": {"type": ["string", "null"]},
        "minimized": {"type": "object", "description": "from, to: numbers of messages; runs"},
        "error": {"type": "object", "description": "cycle, message, function, line, col, call_stack, hint"},
        "errors": ERRORS,
    },
    run=run,
    example={"path": "app.ax", "messages": ["inc", "set:5"], "name": "test_counter"},
)
