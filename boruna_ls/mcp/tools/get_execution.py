"""`get_execution`: the record of an execution."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.execution_record import MOST_TASKS, Page, record_answer, task_record
from boruna_ls.executions.names import ExecutionError
from boruna_ls.executions.service import Service
from boruna_ls.mcp.schemas import ERRORS, INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.execution_calls import ExecutionArguments, asked_execution, is_current, stored


class GetExecutionParams(ExecutionArguments):
    firstTask: int | None = Field(
        None, description="Only tasks, from this one on: `nextFirstTask` of the page before", ge=1, le=10**7
    )
    limit: int = Field(MOST_TASKS, description="Maximum number of tasks", ge=1, le=MOST_TASKS)
    taskId: str | None = Field(None, description="Only this task, in full", max_length=200)


async def run(call: Call[GetExecutionParams]) -> dict[str, Any]:
    who, execution = await asked_execution(call)
    arguments = call.arguments

    def work(service: Service) -> dict[str, Any]:
        if arguments.taskId is None:
            page = Page(arguments.firstTask, arguments.limit)
            return record_answer(service.store, execution, is_current(service, who, execution), page)
        record = task_record(service.store, execution, arguments.taskId)
        if record is None:
            raise ExecutionError("unknown_task", f"no task of this execution has the id '{arguments.taskId}'")
        return record

    return await stored(call, work)


TOOL: Final = Tool(
    name="get_execution",
    title="Show an execution in full",
    description=(
        "Its tasks with prompts, answers, attempts and times, its output, its result, and counts of its event log. With "
        "`nextFirstTask` there are more tasks; one that is `cut` is whole when you name its `taskId`."
    ),
    arguments=GetExecutionParams,
    answer_fields={
        "executionId": TEXT,
        "programId": TEXT,
        "state": TEXT,
        "tasks": ERRORS,
        "tasksTotal": INTEGER,
        "nextFirstTask": INTEGER,
        "uiOutput": {"type": "array"},
        "result": {},
        "steps": INTEGER,
        "eventLog": {"type": "object"},
        "error": {"type": "object"},
    },
    run=run,
    example={"executionId": "greeter-1"},
)
