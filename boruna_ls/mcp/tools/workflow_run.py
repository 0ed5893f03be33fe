"""`boruna_workflow_run`: runs a workflow whose document and programs the call brings along."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from pydantic import Field

from analysis.workflow.canonical import workflow_hash
from analysis.workflow.json_scanner import JsonError
from analysis.workflow.reader import GATE, TRIGGER, Definition
from boruna_ls.answers.envelope import failure
from boruna_ls.answers.run import policy_failure
from boruna_ls.answers.workflow import described, validated
from boruna_ls.answers.workflow_run import run_state, sources_problem
from boruna_ls.mcp.arguments import Count, Json, JsonObject
from boruna_ls.mcp.tool import Call, Hints, Tool
from boruna_ls.mcp.tools.workflow_calls import ANSWER_FIELDS, principal, waited
from boruna_ls.mcp.tools.workflow_validate import WorkflowArguments
from boruna_ls.runtime.options import DEFAULT_MAX_STEPS
from boruna_ls.runtime.policy import PolicyError, policy_of
from boruna_ls.workflow.decisions import check_json
from boruna_ls.workflow.driver import with_options
from boruna_ls.workflow.folders import WorkflowError
from boruna_ls.workflow.plan import OPEN
from boruna_ls.workflow.policies import policy_text
from boruna_ls.workflow.records import NewRun
from boruna_ls.workflow.rehearsal import Rehearsal, any_run
from boruna_ls.workflow.run_inputs import checked_inputs
from boruna_ls.workflow.runner import Drive, Runner

_MOST_AT_ONCE: Final = 32


class WorkflowRunParams(WorkflowArguments):
    source_files: JsonObject = Field(description="Text of each program by the path that its step names")
    policy: Json = Field(None, description='"allow-all" (default), "deny-all", or a policy document as an object')
    max_steps: Count = Field(DEFAULT_MAX_STEPS, description="Maximum steps of each program")
    concurrency: Count = Field(1, description="Maximum number of concurrent programs")
    inputs: JsonObject | None = Field(None, description="Values of its inputs")
    approvals: JsonObject | None = Field(
        None, description='By gate: "approved" or {"rejected": "reason"}; a rehearsal: nothing is stored'
    )
    triggers: JsonObject | None = Field(None, description="By trigger: JSON text of the event; a rehearsal")


def prepared(call: Call[WorkflowRunParams]) -> NewRun | dict[str, Any]:
    """Parameters of a new run, or the answer that says why it cannot begin."""
    arguments = call.arguments
    validation = validated(arguments.workflow_json)
    if isinstance(validation, dict):
        return validation
    if validation.errors:
        return described(validation)
    try:
        policy = policy_of(arguments.policy)
    except PolicyError as error:
        return policy_failure(error.kind, error.message, error.extra)
    files = arguments.source_files
    if wrong := sorted(path for path, text in files.items() if not isinstance(text, str)):
        return failure(error_kind="invalid_source", message=f"source_files '{wrong[0]}' must be a text", path=wrong[0])
    definition = validation.document.definition
    if problem := sources_problem(definition, files) or answers_problem(definition, arguments):
        return problem
    try:
        inputs = checked_inputs(definition, arguments.inputs or {})
    except WorkflowError as error:
        return failure(error_kind="invalid_input", message=str(error))
    return NewRun(
        workflow_name=definition.name,
        workflow_hash=workflow_hash(definition),
        policy=policy_text(policy),
        definition=validation.document.text,
        workflow_dir="",
        sources={name: str(files[step.source]) for name, step in definition.steps.items() if step.source},
        starter=principal(call).name,
        options=with_options(OPEN, min(max(arguments.concurrency, 1), _MOST_AT_ONCE), arguments.max_steps),
        inputs=inputs,
    )


def answers_problem(definition: Definition, arguments: WorkflowRunParams) -> dict[str, Any] | None:
    """The answer that names the first decision or event that no step of its kind waits for, or that is malformed."""
    for name, given in sorted((arguments.approvals or {}).items()):
        message = ""
        if not _is_kind(definition, name, GATE):
            message = f"approvals '{name}' is not an approval gate of the workflow"
        elif given != "approved" and not (isinstance(given, dict) and set(given) == {"rejected"}):
            message = f'approvals \'{name}\' must be "approved" or {{"rejected": "reason"}}'
        if message:
            return failure(error_kind="invalid_approval", message=message, step=name)
    for name, given in sorted((arguments.triggers or {}).items()):
        if message := _event_problem(definition, name, given):
            return failure(error_kind="invalid_trigger", message=f"triggers '{name}' {message}", step=name)
    return None


def _event_problem(definition: Definition, name: str, given: Any) -> str:
    if not _is_kind(definition, name, TRIGGER):
        return "is not an external_trigger step of the workflow"
    if not isinstance(given, str):
        return "must be JSON text"
    try:
        check_json(given)
    except JsonError as error:
        return f"is not valid JSON: {error}"
    return ""


def _is_kind(definition: Definition, name: str, kind: str) -> bool:
    step = definition.steps.get(name)
    return step is not None and step.kind == kind


async def run(call: Call[WorkflowRunParams]) -> dict[str, Any]:
    new = await call.analyse(prepared)
    if isinstance(new, dict):
        return new
    if call.arguments.approvals is not None or call.arguments.triggers is not None:
        return await _rehearsed(call, new)

    def begin(runner: Runner, tell: Any) -> Drive:
        return runner.drive(runner.store.begin(new), 1, tell)

    return await waited(call, begin)


async def _rehearsed(call: Call[WorkflowRunParams], new: NewRun) -> dict[str, Any]:
    approvals, triggers = dict(call.arguments.approvals or {}), dict(call.arguments.triggers or {})
    rehearsal = await call.apart(Rehearsal, new, approvals, triggers, any_run(lambda event: None))
    try:
        await call.apart(rehearsal.carry_out)
    except asyncio.CancelledError:
        rehearsal.stop()
        raise
    record = rehearsal.store.run(rehearsal.run)
    assert record is not None
    return run_state(rehearsal.store, record) | {"rehearsal": True}


TOOL: Final = Tool(
    name="boruna_workflow_run",
    title="Run a workflow",
    description=(
        "Runs a workflow given as text: the document, and in `source_files` the text of every program that its steps name. "
        "Effects are mocked. The run is stored and survives restarts; it pauses at gates, where somebody else decides "
        "(boruna_workflow_status, boruna_workflow_resume). After 50 s the answer has the status `running`."
    ),
    arguments=WorkflowRunParams,
    answer_fields=ANSWER_FIELDS,
    run=run,
    example={
        "workflow_json": '{"schema_version": 1, "name": "w", "version": "1", '
        '"steps": {"a": {"kind": "source", "source": "a.ax"}}, "edges": []}',
        "source_files": {"a.ax": "fn main() -> Int { 1 }"},
    },
    hints=Hints(read_only=False, destructive=False, idempotent=False, open_world=False),
)
