"""`list_executions`: summaries, a page at a time."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from boruna_ls.answers.envelope import success
from boruna_ls.answers.execution import summary_answer
from boruna_ls.executions.service import Service, check_id
from boruna_ls.mcp.schemas import ERRORS, INTEGER
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.execution_calls import NamedArguments, caller, stored


class ListExecutionsParams(NamedArguments):
    state: Literal["READY", "RUNNING", "AWAITING_COGNITIVE_RESULT", "COMPLETED", "ERROR"] | None = Field(
        None, description="Only those in this state"
    )
    programId: str | None = Field(None, description="Only those of this program", max_length=1000)
    limit: int = Field(50, description="How many", ge=1, le=200)
    cursor: int | None = Field(None, description="`nextCursor` of the page before", ge=1, le=2**62)


async def run(call: Call[ListExecutionsParams]) -> dict[str, Any]:
    who, arguments = await caller(call), call.arguments

    def work(service: Service) -> dict[str, Any]:
        if arguments.programId is not None:
            check_id("programId", arguments.programId)
        chosen = arguments.state, arguments.programId
        page = service.store.executions(who.owner, who.workspace, *chosen, arguments.cursor, arguments.limit)
        answer = success(
            executions=[summary_answer(execution) for execution in page], total=service.store.count(who.owner, *chosen)
        )
        return answer | ({"nextCursor": page[-1].key} if len(page) == arguments.limit else {})

    return await stored(call, work)


TOOL: Final = Tool(
    name="list_executions",
    title="List executions",
    description="The stored executions, the latest first: state, which one is current, and the beginning of the open prompt.",
    arguments=ListExecutionsParams,
    answer_fields={"executions": ERRORS, "total": INTEGER, "nextCursor": INTEGER},
    run=run,
    example={"state": "AWAITING_COGNITIVE_RESULT"},
)
