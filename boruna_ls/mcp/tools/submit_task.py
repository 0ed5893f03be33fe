"""`submitTask`: the answer to an open task. It is on disk when the call returns."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from boruna_ls.answers.envelope import success
from boruna_ls.answers.execution import next_answer
from boruna_ls.executions.service import Service
from boruna_ls.mcp.arguments import Name, at_most_json
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.execution_calls import (
    DRIVES,
    NEXT_FIELDS,
    ExecutionArguments,
    again,
    asked_execution,
    driven,
    handed_out,
    stored,
)

_MOST: Final = 8 << 20
"""Bytes of JSON of an answer; as a text it is bounded by `TEXT_LIMIT`."""


class SubmitTaskParams(ExecutionArguments):
    result: Annotated[Any, at_most_json(_MOST)] = Field(
        description="The answer: a text, or JSON if the task has a schema; 1 MB at most"
    )
    taskId: Name | None = Field(None, description="Id of the task from getTask; guards against answering another one")
    getNext: bool = Field(False, description="Then continue and answer as getTask does")


async def run(call: Call[SubmitTaskParams]) -> dict[str, Any]:
    arguments = call.arguments
    _, execution = await asked_execution(call)

    def submit(service: Service) -> tuple[str, dict[str, Any]]:
        task = service.submit(execution, arguments.result, arguments.taskId)
        now = service.store.by_key(execution.key) or execution
        return execution.task_id(task.number), next_answer(service.store, now)

    task, now = await stored(call, submit)
    taken = {"accepted": True, "taskId": task, "executionId": execution.execution_id}
    if arguments.getNext:
        following = await handed_out(call, await driven(call, await again(call, execution)))
        return success(**taken, state=following["state"], handle=following["handle"], next=following)
    return success(**taken, state=now["state"], handle=now["handle"], next=now.get("next", "Call getTask for the next task"))


TOOL: Final = Tool(
    name="submitTask",
    title="Answer a task of an execution",
    description=(
        "Gives the answer to the open task, once. An answer that does not fit the task's schema is refused with the reason, and "
        "the task stays open. Then call getTask, or set `getNext`."
    ),
    arguments=SubmitTaskParams,
    answer_fields={
        "accepted": {"type": "boolean"},
        **{name: NEXT_FIELDS[name] for name in ("executionId", "taskId", "state", "handle")},
        "next": {"type": ["string", "object"]},
    },
    run=run,
    example={"result": "Hello!", "taskId": "task-1-3f9c2a71"},
    hints=DRIVES,
    asks=True,
)
