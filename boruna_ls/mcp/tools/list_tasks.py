"""`list_tasks`: all open tasks of an execution; actors may wait for several at once."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.envelope import success
from boruna_ls.answers.execution import task_answer
from boruna_ls.executions.service import Service
from boruna_ls.mcp.schemas import ERRORS, INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.execution_calls import ExecutionArguments, asked_execution, stored

_WHOLE: Final = 500_000
"""Characters of whole prompts in one answer; further ones are cut."""


class ListTasksParams(ExecutionArguments):
    pass


async def run(call: Call[ListTasksParams]) -> dict[str, Any]:
    _, execution = await asked_execution(call)

    def work(service: Service) -> dict[str, Any]:
        left, shown = _WHOLE, []
        for task in service.store.open_tasks(execution.key):
            left -= len(task.prompt)
            shown.append(task_answer(execution, task, whole=left > 0))
        return success(executionId=execution.execution_id, state=execution.state, tasks=shown, total=len(shown))

    return await stored(call, work)


TOOL: Final = Tool(
    name="list_tasks",
    title="List the open tasks of an execution",
    description="The tasks that wait, the oldest first; answer any of them with submitTask and its taskId. It runs nothing.",
    arguments=ListTasksParams,
    answer_fields={"executionId": TEXT, "state": TEXT, "tasks": ERRORS, "total": INTEGER},
    run=run,
    example={"executionId": "greeter-1"},
)
