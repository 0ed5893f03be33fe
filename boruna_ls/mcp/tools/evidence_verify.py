"""`boruna_evidence_verify`: whether an evidence bundle is what it says."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.envelope import success
from boruna_ls.mcp.arguments import Arguments, Path, refusal
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.workflow.evidence.verify import Wanted, verify
from boruna_ls.workspace.disk import FileUnavailable


class BundleArguments(Arguments):
    """A bundle on disk."""

    path: Path = Field(description="Folder of the bundle")


def bundle_folder(call: Call[Any], path: str) -> FilePath:
    """The folder that a client names, inside of the folders that it works in. Raises MCPError."""
    try:
        return FilePath(call.resolved(path))
    except FileUnavailable as error:
        raise refusal("path", f"argument `path`: {error}") from None


class EvidenceVerifyParams(BundleArguments):
    expected_bundle_hash: str | None = Field(None, description="The expected hash, stored elsewhere", max_length=200)
    verify_key: str | None = Field(None, description="Public key (64 hex digits) that must have signed it", max_length=200)


async def run(call: Call[EvidenceVerifyParams]) -> dict[str, Any]:
    arguments = call.arguments
    folder = await call.analyse(lambda call: bundle_folder(call, arguments.path))
    wanted = Wanted(anchor=arguments.expected_bundle_hash, verify_key=arguments.verify_key)
    verdict = await call.apart(verify, folder, wanted)
    return success(
        valid=verdict.is_valid,
        problems=verdict.problems,
        warnings_of_bundle=verdict.warnings,
        redacted_entries=verdict.redacted,
        vouched_by=verdict.vouched,
        run_id=None if verdict.manifest is None else verdict.manifest.run_id,
        bundle_hash=None if verdict.manifest is None else verdict.manifest.computed_hash(),
    )


TOOL: Final = Tool(
    name="boruna_evidence_verify",
    title="Verify evidence",
    description=(
        "Verifies an evidence bundle of a workflow run: checksums, audit chain, signature. `valid` with `problems`; `vouched_by` "
        "says whether an anchor or a signature ties it to somebody: without one it is only self-consistent."
    ),
    arguments=EvidenceVerifyParams,
    answer_fields={
        "valid": {"type": "boolean"},
        "problems": {"type": "array", "items": TEXT},
        "vouched_by": {"type": "array", "items": TEXT},
        "bundle_hash": {"type": ["string", "null"]},
    },
    run=run,
    example={"path": "evidence/eaa800472e7dd989"},
)
