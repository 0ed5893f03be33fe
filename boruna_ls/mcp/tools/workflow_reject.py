"""`boruna_workflow_reject`: a rejection at a gate, by a principal that may decide there."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.mcp.tool import Call, Hints, Tool
from boruna_ls.mcp.tools.workflow_calls import ANSWER_FIELDS
from boruna_ls.mcp.tools.workflow_decision import DecisionArguments, decided


class WorkflowRejectParams(DecisionArguments):
    pass


async def run(call: Call[WorkflowRejectParams]) -> dict[str, Any]:
    return await decided(call, approve=False)


TOOL: Final = Tool(
    name="boruna_workflow_reject",
    title="Reject at a gate",
    description=(
        "Rejects a gate of a paused run, which then continues. If you started the run, you may decide only if the "
        "gate has self_approval; otherwise the user is asked, if the client can ask."
    ),
    arguments=WorkflowRejectParams,
    answer_fields=ANSWER_FIELDS,
    run=run,
    example={"run_id": "eaa800472e7dd989", "step": "sign_off"},
    hints=Hints(read_only=False, destructive=True, idempotent=False, open_world=False),
    asks=True,
)
