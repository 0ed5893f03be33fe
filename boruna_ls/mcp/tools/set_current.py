"""`set_current`: the execution that calls without an id mean."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.envelope import success
from boruna_ls.executions.names import ID_RULE
from boruna_ls.executions.service import Service
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.execution_calls import CHANGES, NamedArguments, caller, stored


class SetCurrentParams(NamedArguments):
    executionId: str = Field(description=f"Id of the execution; {ID_RULE}", max_length=1000)


async def run(call: Call[SetCurrentParams]) -> dict[str, Any]:
    who = await caller(call)

    def work(service: Service) -> dict[str, Any]:
        execution = service.find(who.owner, who.workspace, call.arguments.executionId)
        service.store.set_current(who.owner, who.workspace, execution.key)
        return success(executionId=execution.execution_id, state=execution.state, isCurrent=True)

    return await stored(call, work)


TOOL: Final = Tool(
    name="set_current",
    title="Choose the current execution",
    description="Makes an execution the current one of this workspace; it stays current after a restart.",
    arguments=SetCurrentParams,
    answer_fields={"executionId": TEXT, "state": TEXT, "isCurrent": {"type": "boolean"}},
    run=run,
    example={"executionId": "greeter-1"},
    hints=CHANGES,
)
