"""`boruna_wait`: waits for work that was answered with a handle, a bounded time a call."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.envelope import success
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, RefusedCall, Tool

LONGEST: Final = 55
"""Seconds of one call: many hosts give up after 60."""
_MARGIN: Final = 1.0
"""Seconds of the call's deadline that are kept for the answer."""


class WaitParams(Arguments):
    handle: str = Field(description="Handle that a tool has returned", min_length=1, max_length=200)
    seconds: int = Field(LONGEST, description="Maximum time to wait", ge=0, le=LONGEST)


async def run(call: Call[WaitParams]) -> dict[str, Any]:
    assert call.session is not None
    handle, seconds = call.arguments.handle, min(call.arguments.seconds, max(call.deadline - _MARGIN, 0.0))
    state = await call.session.tasks.wait(handle, seconds)
    if state is None:
        message = f"unknown handle {handle!r}: it may have expired"
        raise RefusedCall("NotFound", message, what=handle, field="handle", accepted="a handle that a tool has returned")
    answer = success(handle=handle, status=state.status, done=state.has_ended)
    if state.message:
        answer["message"] = state.message
    if state.result is not None:
        # Inside this answer the tool's own answer is a value, not a text.
        answer["result"] = state.result.get("structuredContent", state.result)
    if state.error is not None:
        answer["error"] = dict(state.error)
    if state.questions:
        answer["questions"] = dict(state.questions)
    return answer


TOOL: Final = Tool(
    name="boruna_wait",
    title="Wait for long work",
    description=(
        "Waits until the work of a handle has ended or needs an answer, at most 55 seconds; `done` false: call again. "
        "`result` is the answer of the tool that started it."
    ),
    arguments=WaitParams,
    answer_fields={
        "handle": TEXT,
        "status": {"enum": ["working", "input_required", "completed", "failed", "cancelled"]},
        "done": {"type": "boolean"},
        "message": TEXT,
        "result": {"type": "object"},
        "error": {"type": "object"},
        "questions": {"type": "object"},
    },
    run=run,
    example={"handle": "workflow-4f1c", "seconds": 30},
)
