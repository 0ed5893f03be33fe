"""`boruna_workflow_cancel`: ends a run that is not over."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.mcp.tool import Call, Hints, Tool
from boruna_ls.mcp.tools.workflow_calls import ANSWER_FIELDS, RunIdArguments, answered, state_of, visible_run
from boruna_ls.workflow.folders import WorkflowError
from boruna_ls.workflow.runner import Runner


class WorkflowCancelParams(RunIdArguments):
    pass


async def run(call: Call[WorkflowCancelParams]) -> dict[str, Any]:
    run_id = call.arguments.run_id

    def end(runner: Runner) -> dict[str, Any]:
        record = visible_run(call, runner, run_id)
        if not runner.store.cancel(run_id):
            latest = runner.store.run(run_id)
            raise WorkflowError(f"run '{run_id}' is already {(latest or record).status}")
        return {}

    return await answered(end) or await state_of(call, run_id)


TOOL: Final = Tool(
    name="boruna_workflow_cancel",
    title="Cancel a run",
    description="Ends an unfinished run permanently: the running step is stopped, later steps never start.",
    arguments=WorkflowCancelParams,
    answer_fields=ANSWER_FIELDS,
    run=run,
    example={"run_id": "eaa800472e7dd989"},
    hints=Hints(read_only=False, destructive=True, idempotent=False, open_world=False),
)
