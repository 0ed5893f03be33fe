"""`restart`: a new execution of a program, current."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.executions.names import ID_RULE
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.execution_calls import CHANGES
from boruna_ls.mcp.tools.start import ANSWER_FIELDS, BeginArguments, started


class RestartParams(BeginArguments):
    executionId: str | None = Field(None, description=f"Id of the new execution (default: generated); {ID_RULE}", max_length=1000)


async def run(call: Call[RestartParams]) -> dict[str, Any]:
    return await started(call, call.arguments.executionId, True)


TOOL: Final = Tool(
    name="restart",
    title="Start a program again",
    description="Creates a new execution with the current version of a program; it becomes current. Earlier ones stay.",
    arguments=RestartParams,
    answer_fields=ANSWER_FIELDS,
    run=run,
    example={"programId": "greeter"},
    hints=CHANGES,
)
