"""`boruna_workflow_resume`: goes on with a run that waited, once what it waited for is there."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.mcp.tool import Call, Hints, Tool
from boruna_ls.mcp.tools.workflow_calls import ANSWER_FIELDS, RunIdArguments, answered, state_of, visible_run, waited
from boruna_ls.workflow.folders import WorkflowError
from boruna_ls.workflow.records import PAUSED
from boruna_ls.workflow.runner import Drive, Runner
from boruna_ls.workflow.store import Outdated


class WorkflowResumeParams(RunIdArguments):
    pass


async def run(call: Call[WorkflowResumeParams]) -> dict[str, Any]:
    return await resumed(call, call.arguments.run_id)


async def resumed(call: Call[Any], run_id: str) -> dict[str, Any]:
    """The run after another drive; one that does not wait is only shown."""
    record = await answered(lambda runner: visible_run(call, runner, run_id))
    if isinstance(record, dict):
        return record
    if record.status != PAUSED:
        return await state_of(call, run_id)

    def begin(runner: Runner, tell: Any) -> Drive:
        try:
            return runner.drive(run_id, runner.store.take(run_id), tell)
        except Outdated:
            raise WorkflowError(f"run '{run_id}' has ended meanwhile") from None

    return await waited(call, begin)


TOOL: Final = Tool(
    name="boruna_workflow_resume",
    title="Resume a run",
    description="Resumes a paused run; an undecided gate pauses it again. Other runs are only shown.",
    arguments=WorkflowResumeParams,
    answer_fields=ANSWER_FIELDS,
    run=run,
    example={"run_id": "eaa800472e7dd989"},
    hints=Hints(read_only=False, destructive=False, idempotent=True, open_world=False),
)
