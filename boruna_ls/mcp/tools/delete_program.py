"""`delete_program`: deletes a program after a confirmation."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.envelope import success
from boruna_ls.executions.names import ID_RULE, ExecutionError
from boruna_ls.executions.service import Service, check_id
from boruna_ls.mcp.arguments import Name
from boruna_ls.mcp.schemas import INTEGER, TEXT
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.execution_calls import DELETES, NamedArguments, caller, confirmed, stored

CONFIRMATION: Final[dict[str, Any]] = {
    "confirmationRequired": {"type": "boolean"},
    "confirmToken": TEXT,
    "expiresInSeconds": INTEGER,
    "message": TEXT,
    "deleted": {"type": "boolean"},
}
TOKEN: Final[Any] = Field(None, description="Token that the first call returned")


class DeleteProgramParams(NamedArguments):
    programId: str = Field(description=f"Id of the program; {ID_RULE}", max_length=1000)
    confirmToken: Name | None = TOKEN


async def run(call: Call[DeleteProgramParams]) -> dict[str, Any]:
    who, program = await caller(call), call.arguments.programId

    def executions(service: Service) -> int:
        check_id("programId", program)
        for row in service.store.programs(who.owner):
            if row["programId"] == program:
                return int(row["executions"])
        ids = service.store.program_ids(who.owner)[:5]
        raise ExecutionError("unknown_program", f"no program has the id '{program}'; there are: {', '.join(ids) or 'none'}")

    count = await stored(call, executions)
    what = f"The program '{program}' has {count} execution{'s' * (count != 1)}, which keep their version."
    question = await confirmed(call, who, "program", program, call.arguments.confirmToken, what)
    if question is not None:
        return question | {"programId": program}
    await stored(call, lambda service: service.store.delete_program(who.owner, program))
    return success(deleted=True, programId=program, executions=count)


TOOL: Final = Tool(
    name="delete_program",
    title="Delete a loaded program",
    description="The first call returns a confirmToken; call again with it to delete. Executions keep their version.",
    arguments=DeleteProgramParams,
    answer_fields={"programId": TEXT, "executions": INTEGER, **CONFIRMATION},
    run=run,
    example={"programId": "greeter"},
    hints=DELETES,
)
