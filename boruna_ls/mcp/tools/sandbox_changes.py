"""`sandbox_changes`: what has changed in a sandbox, as a patch."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.sandbox import changed
from boruna_ls.mcp.schemas import OMITTED, TEXT
from boruna_ls.mcp.tool import READS, Call, Tool
from boruna_ls.mcp.tools.sandbox_calls import SandboxArguments, in_sandbox


class SandboxChangesParams(SandboxArguments):
    """Only the sandbox."""


async def run(call: Call[SandboxChangesParams]) -> dict[str, Any]:
    return await in_sandbox(call, lambda box: changed(box.changes(), box.before))


TOOL: Final = Tool(
    name="sandbox_changes",
    title="Changes in a sandbox as a patch",
    description="The differences from the initial `files` of a sandbox: one patch for `git apply`, and the names of all files.",
    arguments=SandboxChangesParams,
    answer_fields={"patch": TEXT, "changed": {"type": "array", "items": TEXT}, "removed": {"type": "array"}, "omitted": OMITTED},
    run=run,
    example={"sandbox_id": "sb-0123456789abcdef"},
    hints=READS,
)
