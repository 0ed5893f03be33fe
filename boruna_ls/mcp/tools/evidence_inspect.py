"""`boruna_evidence_inspect`: what an evidence bundle says, unjudged."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from boruna_ls.answers.envelope import failure, success
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.evidence_verify import BundleArguments, bundle_folder
from boruna_ls.workflow.evidence.inspection import Inspection, as_json, itf_trace
from boruna_ls.workflow.folders import WorkflowError


class EvidenceInspectParams(BundleArguments):
    pass


async def run(call: Call[EvidenceInspectParams]) -> dict[str, Any]:
    folder = await call.analyse(lambda call: bundle_folder(call, call.arguments.path))
    return await call.apart(_inspected, folder)


def _inspected(folder: Path) -> dict[str, Any]:
    try:
        inspection = Inspection(folder)
        states = [] if inspection.manifest.encryption is not None else itf_trace(folder)["states"]
    except WorkflowError as error:
        return failure(error_kind="invalid_bundle", message=str(error))
    events = [
        {"action": state["#meta"]["action"], **{key: value for key, value in state.items() if key != "#meta"}} for state in states
    ]
    return success(**as_json(inspection), events=events)


TOOL: Final = Tool(
    name="boruna_evidence_inspect",
    title="Show evidence",
    description="Shows an evidence bundle: manifest, outputs, audit log. boruna_evidence_verify verifies it.",
    arguments=EvidenceInspectParams,
    answer_fields={
        "format_version": {"type": ["string", "null"]},
        "manifest": {"type": "object"},
        "events": {"type": "array"},
        "message": TEXT,
    },
    run=run,
    example={"path": "evidence/eaa800472e7dd989"},
)
