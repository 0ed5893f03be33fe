"""`boruna_workflow_validate`: whether a text is a valid workflow, and in which order its steps run."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.workflow import LARGEST_DOCUMENT, validation_answer
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.schemas import ERRORS, INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool


class WorkflowArguments(Arguments):
    """The workflow that a tool is about."""

    workflow_json: str = Field(description="Text of the workflow document", max_length=LARGEST_DOCUMENT)


class WorkflowValidateParams(WorkflowArguments):
    pass


def run(call: Call[WorkflowValidateParams]) -> dict[str, Any]:
    return validation_answer(call.arguments.workflow_json)


TOOL: Final = Tool(
    name="boruna_workflow_validate",
    title="Check a workflow",
    description=(
        "Checks a workflow document {schema_version: 1, name, version, steps: {id: {kind: source | approval_gate | "
        "external_trigger, source, inputs: {name: 'step.result'}, depends_on}}, edges: [[from, to]]}. Gives its order and "
        "levels, or `errors`, each with code, path, line and column; warnings are in `problems`."
    ),
    arguments=WorkflowValidateParams,
    answer_fields={
        "valid": {"type": "boolean"},
        "steps_count": INTEGER,
        "execution_order": {"type": "array", "items": TEXT},
        "levels": {"type": "array"},
        "errors": ERRORS,
        "problems": ERRORS,
    },
    run=run,
    example={"workflow_json": '{"schema_version": 1, "name": "w", "version": "1", "steps": {}, "edges": []}'},
)
