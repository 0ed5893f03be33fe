"""`execute_code`: runs a program in a sandbox."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.sandbox import shorter_outcome
from boruna_ls.mcp.arguments import Source
from boruna_ls.mcp.tool import ACTS, Call, Tool
from boruna_ls.mcp.tools.sandbox_calls import COMMAND_FIELDS, CommandArguments, executed, longest


class ExecuteCodeParams(CommandArguments):
    language: str = Field(
        description="python, node, bash, ax, or another one of the sandbox's `languages`", max_length=40, min_length=1
    )
    code: Source = Field(description="Text of the program")


async def run(call: Call[ExecuteCodeParams]) -> dict[str, Any]:
    return await executed(call, call.arguments.code, call.arguments.language)


TOOL: Final = Tool(
    name="execute_code",
    title="Run code in a sandbox",
    description=(
        "Runs a program in a sandbox, in the home folder of the sandbox, and returns when the program has ended. `ax` "
        "programs run as by boruna_run, with mocked effects. Long output: the beginning in `stdout`, the end in `stdout_end`."
    ),
    arguments=ExecuteCodeParams,
    answer_fields=COMMAND_FIELDS,
    run=run,
    example={"sandbox_id": "sb-0123456789abcdef", "language": "python", "code": "print(1)"},
    shorten=shorter_outcome,
    hints=ACTS,
    task="when_slow",
    longest=longest,
)
