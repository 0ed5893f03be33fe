"""`boruna_workflow_list`: the runs of workflows that are stored."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from boruna_ls.answers.envelope import success
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.schemas import ERRORS, INTEGER
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.workflow_calls import answered, principal
from boruna_ls.workflow.runner import Runner

_MOST: Final = 200


class WorkflowListParams(Arguments):
    status: Literal["running", "paused", "completed", "failed", "cancelled"] | None = Field(
        None, description="Only runs in this state"
    )


async def run(call: Call[WorkflowListParams]) -> dict[str, Any]:
    def listed(runner: Runner) -> dict[str, Any]:
        records = runner.store.runs(call.arguments.status, principal(call).name if call.client.confined else None)
        latest = sorted(records, key=lambda record: record.updated_at, reverse=True)[:_MOST]
        runs = [
            {
                "run_id": record.run_id,
                "workflow_name": record.workflow_name,
                "status": record.status,
                "started_at_ms": record.started_at,
                "updated_at_ms": record.updated_at,
            }
            for record in latest
        ]
        return success(runs=runs, total=len(records))

    return await answered(listed)


TOOL: Final = Tool(
    name="boruna_workflow_list",
    title="List runs of workflows",
    description=f"The runs that are stored, the latest first, at most {_MOST}.",
    arguments=WorkflowListParams,
    answer_fields={"runs": ERRORS, "total": INTEGER},
    run=run,
    example={"status": "paused"},
)
