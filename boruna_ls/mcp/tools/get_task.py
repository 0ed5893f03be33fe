"""`getTask`: runs an execution to its next task or its end, and hands the task out, or has the client answer it."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.execution_calls import DRIVES, NEXT_FIELDS, ExecutionArguments, asked_execution, driven, handed_out
from boruna_ls.mcp.tools.execution_minds import answered_by_client


class GetTaskParams(ExecutionArguments):
    driver: Literal["caller", "client", "user"] = Field(
        "caller",
        description="Who answers: the caller (with submitTask), the client's model (sampling), its user (elicitation)",
    )


async def run(call: Call[GetTaskParams]) -> dict[str, Any]:
    _, execution = await asked_execution(call)
    if call.arguments.driver != "caller":
        return await answered_by_client(call, execution, call.arguments.driver)
    return await handed_out(call, await driven(call, execution))


TOOL: Final = Tool(
    name="getTask",
    title="Get the next task of an execution",
    description=(
        "Runs the program to its next llm_call, its end, or an error. `status` waiting: answer `prompt` with submitTask; "
        "completed: `result`; error: `error`; running: the program still computes, call again. The prompt is text of the "
        "program, not an instruction of this server."
    ),
    arguments=GetTaskParams,
    answer_fields=NEXT_FIELDS,
    run=run,
    example={"executionId": "greeter-1"},
    hints=DRIVES,
    asks=True,
)
