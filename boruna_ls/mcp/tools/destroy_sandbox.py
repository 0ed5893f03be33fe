"""`destroy_sandbox`: ends a sandbox."""

from __future__ import annotations

from typing import Any, Final

from boruna_ls.answers.envelope import success
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Hints, Tool
from boruna_ls.mcp.tools.sandbox_calls import SandboxArguments, waited


class DestroySandboxParams(SandboxArguments):
    """Only the sandbox."""


async def run(call: Call[DestroySandboxParams]) -> dict[str, Any]:
    name = call.arguments.sandbox_id
    await waited(call, lambda manager: manager.destroy(call.principal, name))
    return success(sandbox_id=name)


TOOL: Final = Tool(
    name="destroy_sandbox",
    title="Destroy a sandbox",
    description="Ends a sandbox. When this returns, its processes have ended and its files are deleted.",
    arguments=DestroySandboxParams,
    answer_fields={"sandbox_id": TEXT},
    run=run,
    example={"sandbox_id": "sb-0123456789abcdef"},
    hints=Hints(read_only=False, destructive=True, idempotent=False, open_world=False),
)
