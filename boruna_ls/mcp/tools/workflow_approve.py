"""`boruna_workflow_approve`: an approval at a gate, by a principal that may decide there."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.mcp.tool import Call, Hints, Tool
from boruna_ls.mcp.tools.workflow_calls import ANSWER_FIELDS
from boruna_ls.mcp.tools.workflow_decision import DecisionArguments, decided


class WorkflowApproveParams(DecisionArguments):
    pass


async def run(call: Call[WorkflowApproveParams]) -> dict[str, Any]:
    return await decided(call, approve=True)


TOOL: Final = Tool(
    name="boruna_workflow_approve",
    title="Approve at a gate",
    description=(
        "Approves a gate of a paused run, which then continues. If you started the run, you may decide only if the "
        "gate has self_approval; otherwise the user is asked, if the client can ask."
    ),
    arguments=WorkflowApproveParams,
    answer_fields=ANSWER_FIELDS,
    run=run,
    example={"run_id": "eaa800472e7dd989", "step": "sign_off"},
    hints=Hints(read_only=False, destructive=False, idempotent=False, open_world=False),
    asks=True,
)
