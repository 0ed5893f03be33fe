"""`run_command`: runs a command line in a sandbox."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.sandbox import shorter_outcome
from boruna_ls.mcp.arguments import Source
from boruna_ls.mcp.tool import ACTS, Call, Tool
from boruna_ls.mcp.tools.sandbox_calls import COMMAND_FIELDS, CommandArguments, SandboxPath, check_path, executed, longest


class RunCommandParams(CommandArguments):
    command: Source = Field(description="Command line for a shell")
    workdir: SandboxPath | None = Field(None, description="Directory to run it in (default: the home)")


async def run(call: Call[RunCommandParams]) -> dict[str, Any]:
    if call.arguments.workdir is not None:
        check_path(call.arguments.workdir, "workdir")
    return await executed(call, call.arguments.command, folder=call.arguments.workdir or ".")


TOOL: Final = Tool(
    name="run_command",
    title="Run a command in a sandbox",
    description=(
        "Runs a command line in the shell of a sandbox and returns when it has ended. `command &` leaves a process in the "
        "background for later calls."
    ),
    arguments=RunCommandParams,
    answer_fields=COMMAND_FIELDS,
    run=run,
    example={"sandbox_id": "sb-0123456789abcdef", "command": "ls -l"},
    shorten=shorter_outcome,
    hints=ACTS,
    task="when_slow",
    longest=longest,
)
