"""`list_programs`: the programs that executions can be started of."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from boruna_ls.answers.envelope import success
from boruna_ls.answers.execution import timestamp
from boruna_ls.mcp.arguments import Offset
from boruna_ls.mcp.execution_tasks import owner_of
from boruna_ls.mcp.schemas import ERRORS, INTEGER
from boruna_ls.mcp.tool import Call, Tool
from boruna_ls.mcp.tools.execution_calls import NamedArguments, stored

_PAGE: Final = 200


class ListProgramsParams(NamedArguments):
    offset: Offset = Field(0, description="Number of programs to skip: those of earlier pages")


async def run(call: Call[ListProgramsParams]) -> dict[str, Any]:
    owner, offset = owner_of(call.client), call.arguments.offset
    programs = await stored(call, lambda service: service.store.programs(owner))
    page = programs[offset : offset + _PAGE]
    shown = [program | {"created": timestamp(program["created"]), "loaded": timestamp(program["loaded"])} for program in page]
    answer = success(programs=shown, total=len(programs))
    return answer | ({"nextOffset": offset + _PAGE} if offset + _PAGE < len(programs) else {})


TOOL: Final = Tool(
    name="list_programs",
    title="List loaded programs",
    description=f"The programs that were loaded, by id, with how many executions each has; {_PAGE} a page.",
    arguments=ListProgramsParams,
    answer_fields={"programs": ERRORS, "total": INTEGER, "nextOffset": INTEGER},
    run=run,
    example={},
)
