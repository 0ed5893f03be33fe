"""`delete_execution`: deletes an execution after a confirmation."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.envelope import success
from boruna_ls.executions.names import ID_RULE
from boruna_ls.mcp.arguments import Name
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.delete_program import CONFIRMATION, TOKEN
from boruna_ls.mcp.tools.execution_calls import DELETES, NamedArguments, asked_execution, confirmed, stored


class DeleteExecutionParams(NamedArguments):
    executionId: str = Field(description=f"Id of the execution; {ID_RULE}", max_length=1000)
    confirmToken: Name | None = TOKEN


async def run(call: Call[DeleteExecutionParams]) -> dict[str, Any]:
    who, execution = await asked_execution(call)
    name, count = execution.execution_id, execution.answered
    what = f"The execution '{name}' is {execution.state} and has {count} answered task{'s' * (count != 1)}."
    question = await confirmed(call, who, "execution", name, call.arguments.confirmToken, what)
    if question is not None:
        return question | {"executionId": name}
    await stored(call, lambda service: service.delete(execution))
    return success(deleted=True, executionId=name)


TOOL: Final = Tool(
    name="delete_execution",
    title="Delete an execution",
    description="The first call returns a confirmToken; call again with it to delete. A running program is stopped.",
    arguments=DeleteExecutionParams,
    answer_fields={"executionId": TEXT, **CONFIRMATION},
    run=run,
    example={"executionId": "greeter-1"},
    hints=DELETES,
)
