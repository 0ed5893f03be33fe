"""`boruna_workflow_status`: a run of a workflow as it is now."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.workflow_calls import ANSWER_FIELDS, RunIdArguments, state_of


class WorkflowStatusParams(RunIdArguments):
    pass


async def run(call: Call[WorkflowStatusParams]) -> dict[str, Any]:
    return await state_of(call, call.arguments.run_id)


TOOL: Final = Tool(
    name="boruna_workflow_status",
    title="Show a workflow run",
    description="The state of a run: its steps with outputs and errors, the decision that it waits for, its evidence so far.",
    arguments=WorkflowStatusParams,
    answer_fields=ANSWER_FIELDS,
    run=run,
    example={"run_id": "eaa800472e7dd989"},
)
