"""`boruna_workflow_validate`: whether a text is a valid workflow, and in which order its steps run."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from analysis.inputs import defect
from boruna_ls.answers.envelope import with_freshness
from boruna_ls.answers.workflow import LARGEST_DOCUMENT, document_answer, validation_answer
from boruna_ls.mcp.arguments import Arguments, Path, refusal
from boruna_ls.mcp.schemas import ERRORS, INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool, Unreadable
from boruna_ls.workspace import FileUnavailable


class WorkflowArguments(Arguments):
    """The workflow that a tool is about."""

    workflow_json: str = Field(description="Text of the workflow document", max_length=LARGEST_DOCUMENT)


class WorkflowValidateParams(Arguments):
    workflow_json: str | None = Field(None, description="Its text; or give `path`", max_length=LARGEST_DOCUMENT)
    path: Path | None = Field(None, description="Its file: checks the programs, too")


def run(call: Call[WorkflowValidateParams]) -> dict[str, Any]:
    text, path = call.arguments.workflow_json, call.arguments.path
    if path is None:
        if text is None:
            raise refusal("workflow_json", "argument `workflow_json` must be the text of a document; or give its `path`")
        return validation_answer(text)
    if text is not None:
        raise refusal("path", "argument `path`: give it or `workflow_json`, not both")
    try:
        file = call.file(path)
    except FileUnavailable as error:
        raise refusal("path", f"argument `path`: {error}") from None
    if reason := defect(call.host.db, file):
        raise Unreadable(file, reason)
    return with_freshness(document_answer(call.host.db, file), call.host, file)


TOOL: Final = Tool(
    name="boruna_workflow_validate",
    title="Check a workflow",
    description=(
        "Checks a workflow document {schema_version: 1, name, version, steps: {id: {kind: source | approval_gate | "
        "external_trigger, source, inputs: {name: 'step.result'}, depends_on}}, edges: [[from, to]]}. Returns order and "
        "levels, or `errors`, and `problems`."
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
