"""`get_execution`: the record of an execution."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.execution import record_answer
from boruna_ls.executions.service import Service
from boruna_ls.mcp.schemas import ERRORS, INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.execution_calls import ExecutionArguments, asked_execution, is_current, stored


class GetExecutionParams(ExecutionArguments):
    pass


async def run(call: Call[GetExecutionParams]) -> dict[str, Any]:
    who, execution = await asked_execution(call)

    def work(service: Service) -> dict[str, Any]:
        return record_answer(service.store, execution, is_current(service, who, execution))

    return await stored(call, work)


TOOL: Final = Tool(
    name="get_execution",
    title="Show an execution in full",
    description="Its tasks with prompts, answers, attempts and times, its output, its result, and counts of its event log.",
    arguments=GetExecutionParams,
    answer_fields={
        "executionId": TEXT,
        "programId": TEXT,
        "state": TEXT,
        "tasks": ERRORS,
        "uiOutput": {"type": "array"},
        "result": {},
        "steps": INTEGER,
        "eventLog": {"type": "object"},
        "error": {"type": "object"},
    },
    run=run,
    example={"executionId": "greeter-1"},
)
