"""`status`: where an execution stands."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.execution import status_answer
from boruna_ls.executions.service import Service
from boruna_ls.mcp.schemas import ERRORS, INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.execution_calls import ExecutionArguments, asked_execution, is_current, stored


class StatusParams(ExecutionArguments):
    pass


async def run(call: Call[StatusParams]) -> dict[str, Any]:
    who, execution = await asked_execution(call)

    def work(service: Service) -> dict[str, Any]:
        return status_answer(service.store, execution, is_current(service, who, execution))

    return await stored(call, work)


TOOL: Final = Tool(
    name="status",
    title="Show the state of an execution",
    description="State, function and line, call stack, variables in scope, steps, tasks answered. It runs nothing.",
    arguments=StatusParams,
    answer_fields={
        "executionId": TEXT,
        "programId": TEXT,
        "state": TEXT,
        "function": TEXT,
        "line": INTEGER,
        "callStack": ERRORS,
        "variables": {"type": "object"},
        "steps": INTEGER,
        "tasksAnswered": INTEGER,
        "openTasks": ERRORS,
        "error": {"type": "object"},
    },
    run=run,
    example={"executionId": "greeter-1"},
)
