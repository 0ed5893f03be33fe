"""`create_sandbox`: an isolated place in which an agent runs code."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Final

from pydantic import Field

from boruna_ls.answers.sandbox import created
from boruna_ls.effects import trust
from boruna_ls.mcp.arguments import Arguments, at_most_entries, at_most_json
from boruna_ls.mcp.schemas import TEXT
from boruna_ls.mcp.tool import Call, Hints, Tool
from boruna_ls.mcp.tools.sandbox_calls import Text, check_path, refused, waited
from boruna_ls.sandbox.backend import Network, SandboxError
from boruna_ls.sandbox.box import Box
from boruna_ls.sandbox.manager import Sandboxes
from boruna_ls.sandbox.settings import LEAST_MEMORY, MOST_MEMORY

_FILES_LIMIT: Final = 4 << 20
_MOST_FILES: Final = 1000


class CreateSandboxParams(Arguments):
    memory_mib: int | None = Field(
        None, description="Memory of all its processes together, in MiB (default 256)", ge=LEAST_MEMORY, le=MOST_MEMORY
    )
    vcpu_count: int = Field(1, description="Number of processors", ge=1, le=8)
    network: bool = Field(False, description="Whether it can reach the hosts that the owner allows for the workspace")
    files: Annotated[dict[str, Text], at_most_entries(_MOST_FILES), at_most_json(_FILES_LIMIT)] | None = Field(
        None, description="Initial files: text by path, relative to its home"
    )
    copy_of: str | None = Field(None, description="Id of a sandbox whose files are copied", max_length=100)


async def run(call: Call[CreateSandboxParams]) -> dict[str, Any]:
    arguments = call.arguments
    for path in arguments.files or {}:
        check_path(path, "files")
    network = await _network(call) if arguments.network else None

    def make(manager: Sandboxes) -> Box:
        copied = manager.find(call.principal, arguments.copy_of) if arguments.copy_of is not None else None
        spec = manager.spec(arguments.memory_mib, arguments.vcpu_count, network)
        return manager.create(call.principal, spec, arguments.files, copied)

    return created(await waited(call, make))


async def _network(call: Call[CreateSandboxParams]) -> Network:
    """The hosts that the owner allows for the client's workspace. Raises RefusedCall if there are none."""
    roots = call.host.roots(call.client)
    workspace = roots[0] if len(roots) == 1 else ""
    if not workspace:
        raise refused(SandboxError("A network needs a workspace that it is allowed for: start the client in one folder"))
    try:
        ceiling = await asyncio.to_thread(trust.ceiling_of, workspace)
    except trust.TrustError as error:
        raise refused(error) from None
    if not ceiling.sandbox_network or not ceiling.net_hosts:
        what = "no hosts" if ceiling.sandbox_network else "no network for sandboxes"
        advice = "`boruna-ls trust allow sandbox-network` and `boruna-ls trust allow net HOST`, or leave `network` out"
        raise refused(SandboxError(f"The owner allows {what} in this workspace. To allow it, the owner types {advice}"))
    return Network(tuple(ceiling.net_hosts))


TOOL: Final = Tool(
    name="create_sandbox",
    title="Create a sandbox",
    description=(
        "Creates an isolated environment for code: its own files and processes, no network, nothing of this machine except "
        "installed programs. Files and background processes stay between calls until destroy_sandbox or 15 idle minutes. "
        "`languages` of the answer lists what execute_code can run."
    ),
    arguments=CreateSandboxParams,
    answer_fields={
        "sandbox_id": TEXT,
        "limits": {"type": "object"},
        "languages": {"type": "array", "items": TEXT},
        "memory": TEXT,
    },
    run=run,
    example={"files": {"main.py": "print('hello')"}},
    hints=Hints(read_only=False, destructive=False, idempotent=False, open_world=True),
)
